// SPDX-License-Identifier: MIT
// The profiles that annotated programs left in the folder of a session.
#ifndef DEJA_LIVE_PROFILES_H
#define DEJA_LIVE_PROFILES_H

#include <deja/error.h>

typedef struct dj_profile_file {
    char path[512];
    uint32_t pid;
    bool main; // represents the run: from `root` or, if that recorded nothing, from the first that did
} dj_profile_file;

// Sorted by process; the caller frees the list.
int dj_profile_files_list(dj_context *context, const char *folder, uint32_t root, dj_profile_file **out,
                          size_t *count);

#endif
