// SPDX-License-Identifier: MIT
// Loaders for the two formats of saved profiles.
#ifndef DEJA_PROFILE_LOAD_H
#define DEJA_PROFILE_LOAD_H

#include <deja/profile.h>

// Read into a profile with one empty lane. `process` is 0 for the first profile of the file.
int dj_json_load_process(dj_context *context, FILE *in, const char *name, size_t process,
                         dj_profile *profile);
int dj_columns_load_process(dj_context *context, FILE *in, const char *name, size_t process,
                            dj_profile *profile);

#endif
