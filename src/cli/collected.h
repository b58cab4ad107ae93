// SPDX-License-Identifier: MIT
// Profiles that annotated programs made of themselves, for the verbs that run programs.
#ifndef DEJA_CLI_COLLECTED_H
#define DEJA_CLI_COLLECTED_H

#include <deja/profile.h>

#include "cli/attribute.h"
#include "cli/caches.h"
#include "cli/live.h"
#include "cli/reading.h"

// What the recorder within the program is to do (lines of DEJA_RECORD_OPTIONS), and
// `more` of such lines (NULL: none); to be freed.
int dj_collected_settings(dj_context *context, const dj_attribute_options *attribute,
                          const dj_reading *reading, const char *more, char **out);

// An option among these that means nothing to them; NULL: none.
const char *dj_collected_unfit(const dj_attribute_options *attribute, const dj_reading *reading,
                               const dj_cache_options *caches, bool paused);

// The profile in a file, and what is known of the process by it.
int dj_collected_take(dj_worker *worker, const char *path, dj_profile **out, bool *killed);

#endif
