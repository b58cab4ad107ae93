// SPDX-License-Identifier: MIT
// Where the path of a target leads. The folder stays open, so that nobody can exchange it in between.
#ifndef DEJA_BASE_TARGET_PATH_H
#define DEJA_BASE_TARGET_PATH_H

#include <deja/error.h>
#include <sys/stat.h>

typedef struct dj_target_path {
    int folder;       // O_PATH
    char *path;       // after the links; its last part is in the folder
    const char *name; // that part
    struct stat about;
    bool exists;
    bool magic; // a link of /proc to an open file; `about` is that file's
} dj_target_path;

int dj_target_path_find(dj_context *context, const char *typed, dj_target_path *out);
void dj_target_path_free(dj_target_path *found);

int dj_target_refuse(dj_context *context, const char *typed, int fault);

#endif
