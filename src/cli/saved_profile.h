// SPDX-License-Identifier: MIT
// Profiles that were saved as JSON.
#ifndef DEJA_CLI_SAVED_H
#define DEJA_CLI_SAVED_H

#include <deja/profile.h>

#include "cli/command.h"

// Whether a file begins like a profile. A pipe is read once, so it never does.
bool dj_saved_profile_is(const char *path);

typedef struct dj_saved_profile_options {
    uint64_t process;
} dj_saved_profile_options;

// The option --process.
int dj_saved_profile_list(dj_context *context, dj_saved_profile_options *options, dj_groups *groups);

// Reads a profile; "-" is standard input. Without options the first one.
int dj_saved_profile_load(dj_context *context, const dj_saved_profile_options *options, const char *path,
                          dj_profile **out);

#endif
