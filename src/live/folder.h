// SPDX-License-Identifier: MIT
// The private folder that a session shares with its tracers. It is locked while
// the session lives, so that one that was killed leaves a folder that the next
// session recognizes and removes.
#ifndef DEJA_LIVE_FOLDER_H
#define DEJA_LIVE_FOLDER_H

#include <deja/error.h>

typedef struct dj_folder {
    char path[256]; // "": none
    int lock;
} dj_folder;

int dj_folder_create(dj_folder *folder, dj_context *context);
// Removes it with all its files.
void dj_folder_remove(dj_folder *folder);

#endif
