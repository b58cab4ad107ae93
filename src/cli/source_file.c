// SPDX-License-Identifier: MIT
#include "cli/source_file.h"

#include <errno.h>
#include <fcntl.h>
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
    return realpath(folder, real) && below(path, real);
}

const char *dj_source_folder_next(const char *folders, char folder[PATH_MAX])
{
    while (folders && *(folders += strspn(folders, ":"))) {
        size_t bytes = strcspn(folders, ":");
        const char *name = folders;
        folders += bytes;
        if (bytes < PATH_MAX) {
            snprintf(folder, PATH_MAX, "%.*s", (int)bytes, name);
            return folders;
        }
    }
    return NULL;
}

static bool is_below_any(const char *path, const char *folders)
{
    char folder[PATH_MAX];
    while ((folders = dj_source_folder_next(folders, folder)))
        if (is_below_real(path, folder))
            return true;
    return false;
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
    if (scope->anywhere || is_below_any(path, scope->folders) || is_header(path))
        return NULL;
    return refuse_current(path);
}

// Checks what is open, not its name, which could be given to another file in between. O_PATH opens without
// effects on devices and pipes.
dj_source_file dj_source_file_open(const char *path, const dj_source_scope *scope)
{
    dj_source_file f = {.fd = -1};
    char link[sizeof "/proc/self/fd/" + 3 * sizeof(int)], real[PATH_MAX];
    int found = open(path, O_PATH | O_CLOEXEC);
    if (found < 0 || fstat(found, &f.about) != 0) {
        f.error = errno;
        f.fault = strerror(errno);
        goto end;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", found);
    ssize_t bytes = readlink(link, real, sizeof real - 1);
    real[bytes > 0 ? bytes : 0] = 0;
    f.fault = !S_ISREG(f.about.st_mode)          ? "not a regular file"
              : f.about.st_size > DJ_SOURCE_MOST ? "larger than 32 MiB, the most that is read"
                                                 : NULL;
    f.unfit = f.fault != NULL;
    if (!f.fault) {
        f.fault = refuse(real, scope);
        f.outside = f.fault != NULL;
    }
    if (!f.fault && (f.fd = open(link, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
        f.error = errno;
        f.fault = strerror(errno);
    }
end:
    if (found >= 0)
        close(found);
    return f;
}
