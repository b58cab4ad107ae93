// SPDX-License-Identifier: MIT
#include "live/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"

#define PREFIX "deja-rings-"
#define ROOM_BYTES (UINT64_C(32) << 20)

#define MARK ".deja-session"

// What tells a folder of a session from a folder of the user that has such a name.
static const char mark_text[] = "This folder belongs to a session of deja, which removes it.\n";

static bool has_mark(int folder)
{
    char text[sizeof mark_text];
    struct stat status;
    int fd = openat(folder, MARK, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool marked = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                  status.st_uid == geteuid() &&
                  dj_read_all(fd, text, sizeof text) == (ssize_t)sizeof mark_text - 1 &&
                  memcmp(text, mark_text, sizeof mark_text - 1) == 0;
    if (fd >= 0)
        close(fd);
    return marked;
}

static bool set_mark(int folder)
{
    int fd = openat(folder, MARK, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool marked = fd >= 0 && dj_write_all(fd, mark_text, sizeof mark_text - 1);
    if (fd >= 0)
        close(fd);
    return marked;
}

// Whether a session or its tracers create files of this name: rings or why there is none, profiles and logs,
// by process.
static bool is_ours(const char *name)
{
    static const char *const prefixes[] = {"ring.", ".ring.", "untraced.", "profile.", "log."};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) != 0)
            continue;
        const char *rest = name + length;
        rest += strncmp(rest, "first", 5) == 0 ? 5 : strspn(rest, "0123456789.");
        return *rest == '\0' || strcmp(rest, "new") == 0 || strcmp(rest, ".new") == 0;
    }
    return false;
}

// A traced program may have put a folder where a file of ours was. If there is something in it, it stays.
static void remove_entry(int folder, const char *name)
{
    if (unlinkat(folder, name, 0) != 0)
        unlinkat(folder, name, AT_REMOVEDIR);
}

// Removes the files of a session, and the folder if nothing else is in it. Otherwise the mark stays too, so
// that a later session removes the folder.
static void remove_files(int folder, const char *path)
{
    // Not by opendir: there may be no memory left, and nothing else removes the files.
    union {
        struct dirent64 entry;
        char bytes[4096];
    } names;
    ssize_t got;
    lseek(folder, 0, SEEK_SET);
    while ((got = getdents64(folder, &names, sizeof names)) > 0)
        for (ssize_t at = 0; at < got;) {
            const struct dirent64 *entry = (const void *)(names.bytes + at);
            if (is_ours(entry->d_name))
                remove_entry(folder, entry->d_name);
            at += entry->d_reclen;
        }
    unlinkat(folder, MARK, 0);
    if (rmdir(path) != 0)
        set_mark(folder);
}

// Of this user alone.
static int open_private(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 &&
        (fstat(fd, &status) != 0 || status.st_uid != geteuid() || (status.st_mode & 0777) != 0700)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool lock(int folder)
{
    return flock(folder, LOCK_EX | LOCK_NB) == 0;
}

// A session locks its folder before it marks it, so the folder of one that runs is locked.
static void remove_abandoned(const char *base)
{
    DIR *dir = opendir(base);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[512];
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", base, entry->d_name);
        int folder = open_private(path);
        if (folder >= 0 && has_mark(folder) && lock(folder))
            remove_files(folder, path);
        if (folder >= 0)
            close(folder);
    }
    if (dir)
        closedir(dir);
}

static bool create_in(dj_folder *folder, const char *base)
{
    snprintf(folder->path, sizeof folder->path, "%s/" PREFIX "XXXXXX", base);
    if (!mkdtemp(folder->path))
        return false;
    folder->lock = open_private(folder->path);
    if (folder->lock >= 0 && lock(folder->lock) && set_mark(folder->lock))
        return true;
    dj_folder_remove(folder);
    return false;
}

static bool has_room(const char *base)
{
    struct statvfs fs;
    return base && *base == '/' && strlen(base) < 200 && access(base, W_OK | X_OK) == 0 &&
           statvfs(base, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize >= ROOM_BYTES;
}

int dj_folder_create(dj_folder *folder, dj_context *context)
{
    // Memory file systems first: a ring on a disk would be written back continuously.
    const char *bases[] = {getenv("XDG_RUNTIME_DIR"), "/dev/shm", getenv("TMPDIR"), "/tmp"};
    *folder = (dj_folder){.lock = -1};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        if (!has_room(bases[i]))
            continue;
        remove_abandoned(bases[i]);
        if (create_in(folder, bases[i]))
            return DJ_OK;
    }
    *folder = (dj_folder){.lock = -1};
    return dj_fail(context, DJ_ERR_IO,
                   "no folder for the tracer's shared memory: none of XDG_RUNTIME_DIR, /dev/shm, TMPDIR "
                   "and /tmp is writable with %llu MiB free",
                   (unsigned long long)(ROOM_BYTES >> 20));
}

void dj_folder_remove(dj_folder *folder)
{
    if (folder->path[0] && folder->lock >= 0)
        remove_files(folder->lock, folder->path);
    else if (folder->path[0])
        rmdir(folder->path);
    if (folder->lock >= 0)
        close(folder->lock);
    *folder = (dj_folder){.lock = -1};
}
