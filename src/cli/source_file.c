// SPDX-License-Identifier: MIT
#include "cli/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What follows `folder` in a path below it; NULL: the path is elsewhere.
static const char *below(const char *path, const char *folder)
{
    size_t bytes = strlen(folder);
    while (bytes > 0 && folder[bytes - 1] == '/')
        bytes--;
    return strncmp(path, folder, bytes) == 0 && path[bytes] == '/' ? path + bytes : NULL;
}

static bool is_below_real(const char *path, const char *folder)
{
    char real[PATH_MAX];
    return folder && realpath(folder, real) && below(path, real);
}

// Everyone has them, and they contain nothing of the user.
static bool is_header(const char *path)
{
    static const char *const folders[] = {"/usr/include", "/usr/local/include", "/usr/lib/gcc"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (is_below_real(path, folders[i]))
            return true;
    return false;
}

static const char *refuse_current(const char *path)
{
    char current[PATH_MAX];
    bool known = realpath(".", current) && strcmp(current, "/") != 0;
    const char *rest = known ? below(path, current) : NULL;
    return !known               ? "the current folder is /, which contains everything"
           : !rest              ? "it is not below the current folder"
           : strstr(rest, "/.") ? "its name, or that of its folder, is hidden"
                                : NULL;
}

static const char *refuse(const char *path, const dj_source_scope *scope)
{
    if (scope->anywhere || is_below_real(path, scope->folder) || is_header(path))
        return NULL;
    return refuse_current(path);
}

// Checks what is open, not its name, which could be given to another file in between. O_PATH opens without
// effects on devices and pipes.
int dj_source_file_open(const char *path, const dj_source_scope *scope, struct stat *about,
                        const char **fault, int *error)
{
    char link[sizeof "/proc/self/fd/" + 3 * sizeof(int)], real[PATH_MAX];
    int found = open(path, O_PATH | O_CLOEXEC), fd = -1;
    *fault = NULL;
    *error = 0;
    if (found < 0 || fstat(found, about) != 0) {
        *error = errno;
        *fault = strerror(errno);
        goto end;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", found);
    ssize_t bytes = readlink(link, real, sizeof real - 1);
    real[bytes > 0 ? bytes : 0] = 0;
    *fault = !S_ISREG(about->st_mode)          ? "not a regular file"
             : about->st_size > DJ_SOURCE_MOST ? "larger than 32 MiB"
                                               : refuse(real, scope);
    if (!*fault && (fd = open(link, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
        *error = errno;
        *fault = strerror(errno);
    }
end:
    if (found >= 0)
        close(found);
    return fd;
}
