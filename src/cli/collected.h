// SPDX-License-Identifier: MIT
// Profiles that annotated programs made of themselves, for `deja run`.
#ifndef DEJA_CLI_COLLECTED_H
#define DEJA_CLI_COLLECTED_H

#include <deja/profile.h>

#include <sys/types.h>

#include "cli/attribute.h"
#include "cli/caches.h"
#include "cli/reading.h"

// What the recorder within the program is to do (lines of DEJA_RECORD_OPTIONS); to be freed.
int dj_collected_settings(dj_context *context, const dj_attribute_options *attribute,
                          const dj_reading *reading, char **out);

typedef struct dj_collected {
    dj_profile *profile; // of the program, or of what it started, the longest one
    size_t count;        // of all
} dj_collected;

// Says which of the options mean nothing to them.
void dj_collected_advise(const char *program, const dj_reading *reading, const dj_cache_options *caches,
                         bool paused);

void dj_collected_take(dj_collected *collected, dj_context *context, const char *folder, pid_t root);

#endif
