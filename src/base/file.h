// SPDX-License-Identifier: MIT
// File names, and one message everywhere for files that cannot be opened.
#ifndef DEJA_BASE_FILE_H
#define DEJA_BASE_FILE_H

#include <deja/error.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// Reports that `path` could not be opened for reading. A path without a readable file is bad input; anything
// else (too many open files, a failing disk) is an I/O error.
static inline int dj_fail_open(dj_context *context, const char *path, int error)
{
    bool wrong_path = error == ENOENT || error == ENOTDIR || error == EISDIR || error == EACCES ||
                      error == ELOOP || error == ENAMETOOLONG;
    return dj_fail(context, wrong_path ? DJ_ERR_INPUT : DJ_ERR_IO, "%s: cannot open: %s", path,
                   strerror(error));
}

// Opens a file for reading; `what` is what it should be: "a profile".
static inline int dj_file_open(dj_context *context, const char *path, const char *what, FILE **out)
{
    struct stat about;
    FILE *file = fopen(path, "r");
    if (!file)
        return dj_fail_open(context, path, errno);
    if (fstat(fileno(file), &about) == 0 && S_ISDIR(about.st_mode)) {
        fclose(file);
        return dj_fail(context, DJ_ERR_INPUT, "%s: is a directory, not %s", path, what);
    }
    *out = file;
    return DJ_OK;
}

// The part of a path after its last slash.
static inline const char *dj_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

#endif
