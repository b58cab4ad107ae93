// SPDX-License-Identifier: MIT
// Profiles that were saved as JSON.
#ifndef DEJA_CLI_SAVED_H
#define DEJA_CLI_SAVED_H

#include <deja/profile.h>

// Whether a file begins like a profile. A pipe is read once, so it never does.
bool dj_saved_is_profile(const char *path);

// Reads a profile; "-" is standard input.
int dj_saved_load(dj_context *context, const char *path, dj_profile **out);

#endif
