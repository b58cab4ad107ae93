// SPDX-License-Identifier: MIT
// The private folder that a session shares with its tracers. It is locked while the session runs, and
// contains a mark, so that the next session can recognize and remove the folder of one that was killed.
#ifndef DEJA_LIVE_FOLDER_H
#define DEJA_LIVE_FOLDER_H

#include <deja/error.h>

typedef struct dj_folder {
    char path[256]; // "": none
    int lock;
} dj_folder;

int dj_folder_create(dj_folder *folder, dj_context *context);
// Removes the files of the session, and the folder unless something else is in it.
void dj_folder_remove(dj_folder *folder);

#endif
