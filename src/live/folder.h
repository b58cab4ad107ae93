// SPDX-License-Identifier: MIT
// The private folder that a session shares with its tracers. It is locked while the session runs, so that the
// next session can recognize and remove the folder of one that was killed.
#ifndef DEJA_LIVE_FOLDER_H
#define DEJA_LIVE_FOLDER_H

#include <deja/error.h>

typedef struct dj_folder {
    char path[256]; // "": none
    int lock;
} dj_folder;

int dj_folder_create(dj_folder *folder, dj_context *context);
// Removes the folder and all its files.
void dj_folder_remove(dj_folder *folder);

#endif
