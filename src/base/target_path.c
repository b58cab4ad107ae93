// SPDX-License-Identifier: MIT
#include "base/target_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINKS_MOST = 40 }; // as the kernel

int dj_target_refuse(dj_context *context, const char *typed, int fault)
{
    return dj_fail(context, DJ_ERR_IO, "cannot write to %s: %s", typed, strerror(fault));
}

static size_t folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// Opens the folder of found->path and looks for its last part.
static int look(dj_context *context, const char *typed, dj_target_path *found)
{
    size_t bytes = folder_bytes(found->path);
    char *folder = bytes ? strndup(found->path, bytes) : strdup(".");
    if (!folder)
        return dj_fail_memory(context, "a file name", bytes);
    if (found->folder >= 0)
        close(found->folder);
    found->name = found->path + bytes;
    found->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fault = found->folder < 0 ? errno : 0;
    free(folder);
    if (!fault && !*found->name)
        fault = EISDIR;
    if (fault)
        return dj_target_refuse(context, typed, fault);
    found->exists = fstatat(found->folder, found->name, &found->about, AT_SYMLINK_NOFOLLOW) == 0;
    return found->exists || errno == ENOENT ? DJ_OK : dj_target_refuse(context, typed, errno);
}

// The kernel's rule for links, pipes and files in such folders (fs.protected_symlinks and its kin), which is
// not switched on everywhere: somebody may have put it there to obtain the result, or to let it overwrite a
// file of the caller.
static int refuse_planted(dj_context *context, const char *typed, const dj_target_path *found)
{
    struct stat folder;
    if (fstat(found->folder, &folder) != 0)
        return dj_target_refuse(context, typed, errno);
    bool open_to_all = (folder.st_mode & S_ISVTX) && (folder.st_mode & S_IWOTH);
    uid_t owner = found->about.st_uid;
    if (!open_to_all || owner == geteuid() || owner == folder.st_uid)
        return DJ_OK;
    return dj_fail(context, DJ_ERR_IO,
                   "cannot write to %s: %s belongs to another user (%u), in a folder where everyone may "
                   "create files; remove it, or use another name",
                   typed, found->path, (unsigned)owner);
}

static bool is_in_proc(int folder)
{
    struct statfs system;
    return fstatfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

static int follow(dj_context *context, const char *typed, dj_target_path *found)
{
    char *text = malloc(PATH_MAX), *joined = NULL;
    ssize_t bytes = text ? readlinkat(found->folder, found->name, text, PATH_MAX) : -1;
    int fault = !text ? ENOMEM : bytes < 0 ? errno : bytes == PATH_MAX ? ENAMETOOLONG : 0;
    size_t before = !fault && text[0] != '/' ? folder_bytes(found->path) : 0;
    if (!fault && asprintf(&joined, "%.*s%.*s", (int)before, found->path, (int)bytes, text) < 0) {
        joined = NULL;
        fault = ENOMEM;
    }
    free(text);
    if (fault)
        return dj_target_refuse(context, typed, fault);
    free(found->path);
    found->path = joined;
    return DJ_OK;
}

static int walk(dj_context *context, const char *typed, dj_target_path *found)
{
    for (unsigned links = 0; links <= LINKS_MOST; links++) {
        int err = look(context, typed, found);
        if (!err && found->exists)
            err = refuse_planted(context, typed, found);
        if (err || !found->exists || !S_ISLNK(found->about.st_mode))
            return err;
        found->magic = is_in_proc(found->folder);
        if (found->magic)
            return fstatat(found->folder, found->name, &found->about, 0) == 0
                       ? DJ_OK
                       : dj_target_refuse(context, typed, errno);
        err = follow(context, typed, found);
        if (err)
            return err;
    }
    return dj_target_refuse(context, typed, ELOOP);
}

int dj_target_path_find(dj_context *context, const char *typed, dj_target_path *out)
{
    *out = (dj_target_path){.folder = -1};
    if (!*typed)
        return dj_fail(context, DJ_ERR_USAGE,
                       "the name of the output file is empty; name a file, or '-' for standard output");
    out->path = strdup(typed);
    int err = out->path ? walk(context, typed, out) : dj_fail_memory(context, "a file name", strlen(typed));
    if (err)
        dj_target_path_free(out);
    return err;
}

void dj_target_path_free(dj_target_path *found)
{
    if (found->folder >= 0)
        close(found->folder);
    free(found->path);
    *found = (dj_target_path){.folder = -1};
}
