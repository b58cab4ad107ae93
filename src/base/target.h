// SPDX-License-Identifier: MIT
// A file that a user names for a result. An existing regular file is replaced, never written: the new one is
// created beside it under a temporary name, with its owner, group and permissions (without the set-user-ID,
// set-group-ID and sticky bits), and takes its name at the end. So other hard links keep the old content.
// Symbolic links are followed, and stay. Pipes and character devices are written in place. Everything else
// is refused, and so is what another user has put into a folder where everyone may create files.
#ifndef DEJA_BASE_TARGET_H
#define DEJA_BASE_TARGET_H

#include <deja/error.h>

typedef struct dj_target {
    int fd;          // write here; -1: closed
    int folder;      // of the temporary file; -1: none
    char *path;      // after the links
    char *temporary; // NULL: none, the file has its name
} dj_target;

// Whether the target could be opened now; leaves no trace. Call it before any long work.
int dj_target_check(dj_context *context, const char *path);

// Whether both would be written to the same regular file, which may not exist yet, by whatever names and
// links.
int dj_target_are_same(dj_context *context, const char *path, const char *other, bool *same);

// Opening a pipe waits for its reader. On failure there is nothing to discard.
int dj_target_open(dj_context *context, const char *path, dj_target *out);

// Gives the file its name before it is complete. Returns 0 or errno.
int dj_target_place(dj_target *target);
// Closes the file and gives it its name. Returns 0 or errno. Discard the target afterwards.
int dj_target_close(dj_target *target);
// Closes the file, and removes it if it has no name yet.
void dj_target_discard(dj_target *target);

#endif
