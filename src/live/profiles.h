// SPDX-License-Identifier: MIT
// The profiles that annotated programs have left in the folder of a session.
#ifndef DEJA_LIVE_PROFILES_H
#define DEJA_LIVE_PROFILES_H

#include <deja/error.h>

typedef struct dj_profile_file {
    char path[512];
    uint32_t pid;
    bool main; // stands for the run: of `root`, or, where that recorded nothing, of the first that did
} dj_profile_file;

// By process; to be freed.
int dj_profile_files_list(dj_context *context, const char *folder, uint32_t root, dj_profile_file **out,
                          size_t *count);

#endif
