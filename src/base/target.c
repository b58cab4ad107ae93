// SPDX-License-Identifier: MIT
#include "base/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "base/target_path.h"

enum { ATTEMPTS = 100, NAME_KEPT = 200 }; // a longer name would leave no space for the ending

static int refuse_kind(dj_context *context, const char *typed, const char *kind)
{
    return dj_fail(context, DJ_ERR_IO, "cannot write to %s: it is %s; use another name", typed, kind);
}

// A descriptor that the caller of this program has passed on, such as that of /dev/stdout or /dev/fd/63; -1:
// none. Opening it again would write a file from its beginning, and replacing it would leave the caller with
// the old one.
static int find_descriptor(const dj_target_path *found)
{
    uint64_t number;
    struct stat about;
    if (!found->magic || !dj_number_parse(found->name, &number) || number > 1u << 20)
        return -1;
    int fd = (int)number, flags = fcntl(fd, F_GETFD);
    bool ours = flags < 0 || (flags & FD_CLOEXEC);
    if (ours || fstat(fd, &about) != 0 || about.st_dev != found->about.st_dev ||
        about.st_ino != found->about.st_ino)
        return -1;
    return fd;
}

static bool is_replaced(const dj_target_path *found)
{
    return !found->exists || (S_ISREG(found->about.st_mode) && !found->magic);
}

static int check_in_place(dj_context *context, const char *typed, const dj_target_path *found)
{
    mode_t mode = found->about.st_mode;
    int fd = find_descriptor(found);
    if (S_ISDIR(mode))
        return dj_target_refuse(context, typed, EISDIR);
    if (S_ISSOCK(mode) && fd < 0)
        return refuse_kind(context, typed, "a socket");
    if (S_ISBLK(mode))
        return refuse_kind(context, typed, "a disk or another block device");
    if (fd >= 0)
        return (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY ? dj_target_refuse(context, typed, EBADF) : DJ_OK;
    if (S_ISREG(mode))
        return refuse_kind(context, typed, "an open file of another process");
    return faccessat(found->folder, found->name, W_OK, AT_EACCESS) == 0
               ? DJ_OK
               : dj_target_refuse(context, typed, errno);
}

static int open_in_place(dj_context *context, const char *typed, const dj_target_path *found, dj_target *out)
{
    int err = check_in_place(context, typed, found);
    if (err)
        return err;
    int fd = find_descriptor(found);
    out->fd = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3)
                      : openat(found->folder, found->name,
                               O_WRONLY | O_NOCTTY | O_CLOEXEC | (found->magic ? 0 : O_NOFOLLOW));
    return out->fd >= 0 ? DJ_OK : dj_target_refuse(context, typed, errno);
}

// At no time may more users read the new file than could read the old one.
static int create_temporary(dj_context *context, const char *typed, const dj_target_path *found,
                            dj_target *out)
{
    mode_t mode = found->exists ? 0600 : 0666;
    int fault = EEXIST;
    for (unsigned i = 0; i < ATTEMPTS && fault == EEXIST; i++) {
        uint32_t random = i;
        if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
            random += (uint32_t)getpid() << 8;
        free(out->temporary);
        if (asprintf(&out->temporary, "%.*s%.*s.%06x", (int)(found->name - found->path), found->path,
                     NAME_KEPT, found->name, (unsigned)(random & 0xffffff)) < 0) {
            out->temporary = NULL;
            return dj_fail_memory(context, "a file name", 0);
        }
        out->fd = openat(found->folder, dj_file_name(out->temporary),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        fault = out->fd < 0 ? errno : 0;
    }
    if (!fault)
        return DJ_OK;
    free(out->temporary);
    out->temporary = NULL;
    if (fault == EACCES || fault == EPERM || fault == EROFS)
        return dj_fail(
            context, DJ_ERR_IO,
            "cannot write to %s: no file can be created in its folder (%s); use another folder, or "
            "redirect standard output",
            typed, strerror(fault));
    return dj_target_refuse(context, typed, fault);
}

static int refuse_owner(dj_context *context, const char *typed, const char *what, unsigned old, unsigned new)
{
    return dj_fail(context, DJ_ERR_IO,
                   "cannot write to %s: it belongs to %s %u, and a new file would belong to %s %u; remove it "
                   "first, or use another name",
                   typed, what, old, what, new);
}

// The permissions of a file that is replaced. With an access control list, those of the group are the mask of
// the list, which the new file does not have.
static mode_t old_mode(const dj_target_path *found)
{
    bool listed = getxattr(found->path, "system.posix_acl_access", NULL, 0) > 0;
    return found->about.st_mode & (listed ? 0707 : 0777);
}

static int keep_access(dj_context *context, const char *typed, int fd, const struct stat *old, mode_t mode)
{
    struct stat fresh;
    if (fstat(fd, &fresh) != 0)
        return dj_target_refuse(context, typed, errno);
    if (old->st_uid != fresh.st_uid && fchown(fd, old->st_uid, (gid_t)-1) != 0)
        return refuse_owner(context, typed, "user", old->st_uid, fresh.st_uid);
    if (old->st_gid != fresh.st_gid && fchown(fd, (uid_t)-1, old->st_gid) != 0)
        return refuse_owner(context, typed, "group", old->st_gid, fresh.st_gid);
    // Some file systems have one mode for all files and refuse to change it.
    bool same = (fresh.st_mode & 07777) == mode;
    return same || fchmod(fd, mode) == 0 ? DJ_OK : dj_target_refuse(context, typed, errno);
}

static int open_replacement(dj_context *context, const char *typed, dj_target_path *found, dj_target *out)
{
    int err = create_temporary(context, typed, found, out);
    if (err)
        return err;
    mode_t mode = found->exists ? old_mode(found) : 0;
    out->folder = found->folder;
    out->path = found->path;
    found->folder = -1;
    found->path = NULL;
    return found->exists ? keep_access(context, typed, out->fd, &found->about, mode) : DJ_OK;
}

int dj_target_open(dj_context *context, const char *path, dj_target *out)
{
    dj_target_path found;
    *out = (dj_target){.fd = -1, .folder = -1};
    int err = dj_target_path_find(context, path, &found);
    if (err)
        return err;
    err = is_replaced(&found) ? open_replacement(context, path, &found, out)
                              : open_in_place(context, path, &found, out);
    dj_target_path_free(&found);
    if (err)
        dj_target_discard(out);
    return err;
}

// A file that can be created, and given to its owner, can be replaced: nothing else is as sure.
static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int dj_target_are_same(dj_context *context, const char *path, const char *other, bool *same)
{
    dj_target_path a, b = {.folder = -1};
    struct stat in_a, in_b;
    int err = dj_target_path_find(context, path, &a);
    *same = false;
    if (err)
        return err;
    err = dj_target_path_find(context, other, &b);
    if (!err && a.exists && b.exists)
        *same = S_ISREG(a.about.st_mode) && is_same(&a.about, &b.about);
    else if (!err && a.exists == b.exists)
        *same = strcmp(a.name, b.name) == 0 && fstat(a.folder, &in_a) == 0 && fstat(b.folder, &in_b) == 0 &&
                is_same(&in_a, &in_b);
    dj_target_path_free(&a);
    if (!err)
        dj_target_path_free(&b);
    return err;
}

int dj_target_check(dj_context *context, const char *path)
{
    dj_target_path found;
    dj_target tried = {.fd = -1, .folder = -1};
    int err = dj_target_path_find(context, path, &found);
    if (err)
        return err;
    err = is_replaced(&found) ? open_replacement(context, path, &found, &tried)
                              : check_in_place(context, path, &found);
    dj_target_path_free(&found);
    dj_target_discard(&tried);
    return err;
}

int dj_target_place(dj_target *target)
{
    if (!target->temporary)
        return 0;
    if (renameat(target->folder, dj_file_name(target->temporary), target->folder,
                 dj_file_name(target->path)) != 0)
        return errno;
    free(target->temporary);
    target->temporary = NULL;
    return 0;
}

int dj_target_close(dj_target *target)
{
    int fault = target->fd >= 0 && close(target->fd) != 0 ? errno : 0;
    target->fd = -1;
    return fault ? fault : dj_target_place(target);
}

void dj_target_discard(dj_target *target)
{
    if (target->fd >= 0)
        close(target->fd);
    if (target->temporary)
        unlinkat(target->folder, dj_file_name(target->temporary), 0);
    if (target->folder >= 0)
        close(target->folder);
    free(target->temporary);
    free(target->path);
    *target = (dj_target){.fd = -1, .folder = -1};
}
