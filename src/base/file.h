// SPDX-License-Identifier: MIT
// File names, and one message everywhere for files that cannot be opened.
#ifndef DEJA_BASE_FILE_H
#define DEJA_BASE_FILE_H

#include <deja/error.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Of buffers that files are read into: a page. Some processors copy from the page cache to other offsets
// within a page at a fifth of the speed.
enum { DJ_READ_ALIGNMENT = 4096 };

// Whether an open failed because there is no such file for this user, and not for lack of anything.
static inline bool dj_is_wrong_path(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EISDIR || error == EACCES || error == ELOOP ||
           error == ENAMETOOLONG;
}

// Reports that `path` could not be opened for reading. A path without a readable file is bad input; anything
// else (too many open files, a failing disk) is an I/O error.
static inline int dj_fail_open(dj_context *context, const char *path, int error)
{
    return dj_fail(context, dj_is_wrong_path(error) ? DJ_ERR_INPUT : DJ_ERR_IO, "%s: cannot open: %s", path,
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

// Reads until there are `bytes` or the file ends; -1 and errno if reading fails.
static inline ssize_t dj_read_all(int fd, void *to, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t got = read(fd, (char *)to + done, bytes - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

// Writes all bytes; false and errno if that fails.
static inline bool dj_write_all(int fd, const void *from, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t put = write(fd, (const char *)from + done, bytes - done);
        if (put < 0 && errno != EINTR)
            return false;
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

// The part of a path after its last slash.
static inline const char *dj_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

#endif
