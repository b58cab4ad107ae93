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

#define PREFIX "deja-rings-"
#define ROOM_BYTES (UINT64_C(32) << 20)

static void remove_files(const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    rmdir(path);
}

// The lock of a folder, or -1 if another process holds it.
static int try_lock(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static void remove_abandoned(const char *base)
{
    DIR *dir = opendir(base);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[512];
        struct stat status;
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", base, entry->d_name);
        if (lstat(path, &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
            continue;
        int lock = try_lock(path);
        if (lock < 0)
            continue;
        remove_files(path);
        close(lock);
    }
    if (dir)
        closedir(dir);
}

// Creates and locks a folder. Another session that starts at the same time may remove it as abandoned in
// between; then this is retried.
static bool create_in(dj_folder *folder, const char *base)
{
    for (int tries = 0; tries < 16; tries++) {
        struct stat held, named;
        snprintf(folder->path, sizeof folder->path, "%s/" PREFIX "XXXXXX", base);
        if (!mkdtemp(folder->path))
            return false;
        folder->lock = try_lock(folder->path);
        if (folder->lock >= 0 && fstat(folder->lock, &held) == 0 && stat(folder->path, &named) == 0 &&
            held.st_ino == named.st_ino)
            return true;
        if (folder->lock >= 0)
            close(folder->lock);
        rmdir(folder->path);
    }
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
    if (folder->path[0])
        remove_files(folder->path);
    if (folder->lock >= 0)
        close(folder->lock);
    *folder = (dj_folder){.lock = -1};
}
