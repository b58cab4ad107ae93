// SPDX-License-Identifier: MIT
// Saved profiles, in JSON or in columns, and the option --process.
#ifndef DEJA_CLI_SAVED_H
#define DEJA_CLI_SAVED_H

#include <deja/profile.h>

#include "cli/command.h"

// Whether a file starts like a profile. Always false for a pipe, which can be read only once.
int dj_saved_profile_is(dj_context *context, const char *path, bool *out);

typedef struct dj_saved_profile_options {
    uint64_t process;
} dj_saved_profile_options;

// Adds the option --process.
int dj_saved_profile_list(dj_context *context, dj_saved_profile_options *options, dj_groups *groups);

// Loads a profile; "-" is standard input. `options` may be NULL: the main process.
int dj_saved_profile_load(dj_context *context, const dj_saved_profile_options *options, const char *path,
                          dj_profile **out);

#endif
