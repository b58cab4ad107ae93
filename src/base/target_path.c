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

#include "base/file.h"

enum { LINKS_MOST = 40 }; // as the kernel

int dj_target_refuse(dj_context *context, const char *typed, int fault)
{
    return dj_fail(context, DJ_ERR_IO, "cannot write to %s: %s", typed, strerror(fault));
}

// The walk along a path, one part after the other, since any of them may be a link.
typedef struct walk {
    const char *typed; // for messages
    char *rest;        // what is still to be walked
    unsigned links;
} walk;

// The kernel's rule for links, pipes and files in such folders (fs.protected_symlinks and its kin), which is
// not switched on everywhere: somebody may have put it there to obtain the result, or to let it overwrite a
// file of the caller.
static int refuse_planted(dj_context *context, const char *typed, const dj_target_path *found,
                          const char *part)
{
    struct stat folder;
    if (fstat(found->folder, &folder) != 0)
        return dj_target_refuse(context, typed, errno);
    bool open_to_all = (folder.st_mode & S_ISVTX) && (folder.st_mode & S_IWOTH);
    uid_t owner = found->about.st_uid;
    if (!open_to_all || owner == geteuid() || owner == folder.st_uid)
        return DJ_OK;
    return dj_fail(context, DJ_ERR_IO,
                   "cannot write to %s: %s%s belongs to another user (%u), in a folder where everyone may "
                   "create files; remove it, or use another name",
                   typed, found->path, part, (unsigned)owner);
}

static bool is_in_proc(int folder)
{
    struct statfs system;
    return fstatfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

// Goes on in another folder.
static int enter(dj_context *context, const walk *w, dj_target_path *found, const char *name, int flags)
{
    int from = found->folder < 0 ? AT_FDCWD : found->folder;
    int folder = openat(from, name, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);
    if (folder < 0)
        return dj_target_refuse(context, w->typed, errno);
    if (found->folder >= 0)
        close(found->folder);
    found->folder = folder;
    return DJ_OK;
}

// The path so far, which has no links, and `name` with `end` after it.
static int extend(dj_context *context, dj_target_path *found, const char *name, const char *end)
{
    char *longer = NULL;
    if (asprintf(&longer, "%s%s%s", name[0] == '/' ? "" : found->path, name, end) < 0)
        return dj_fail_memory(context, "a file name", 0);
    free(found->path);
    found->path = longer;
    return DJ_OK;
}

// Puts the text of the link before the rest.
static int follow(dj_context *context, walk *w, dj_target_path *found, const char *name)
{
    char *text = malloc(PATH_MAX), *joined = NULL;
    ssize_t bytes = text ? readlinkat(found->folder, name, text, PATH_MAX) : -1;
    int fault = !text ? ENOMEM : bytes < 0 ? errno : bytes == PATH_MAX ? ENAMETOOLONG : 0;
    if (!fault && ++w->links > LINKS_MOST)
        fault = ELOOP;
    if (!fault && asprintf(&joined, "%.*s%s%s", (int)bytes, text, *w->rest ? "/" : "", w->rest) < 0)
        fault = ENOMEM;
    free(text);
    if (fault)
        return dj_target_refuse(context, w->typed, fault);
    free(w->rest);
    w->rest = joined;
    if (joined[0] != '/')
        return DJ_OK;
    int err = enter(context, w, found, "/", 0);
    return err ? err : extend(context, found, "/", "");
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

// Takes the next part of the path from the rest; the caller frees it. NULL: out of memory.
static char *take(walk *w, bool *last)
{
    char *from = w->rest + strspn(w->rest, "/");
    size_t bytes = strcspn(from, "/");
    char *part = strndup(from, bytes);
    *last = from[bytes] == 0;
    memmove(w->rest, from + bytes, strlen(from + bytes) + 1);
    return part;
}

// One step. Sets *done at the last part that is no link.
static int step(dj_context *context, walk *w, dj_target_path *found, const char *part, bool last, bool *done)
{
    if (last && (!*part || is_dots(part)))
        return dj_target_refuse(context, w->typed, EISDIR);
    found->exists = fstatat(found->folder, part, &found->about, AT_SYMLINK_NOFOLLOW) == 0;
    if (!found->exists && (errno != ENOENT || !last))
        return dj_target_refuse(context, w->typed, errno);
    bool link = found->exists && S_ISLNK(found->about.st_mode);
    bool magic = link && is_in_proc(found->folder);
    int err = found->exists && (last || link) ? refuse_planted(context, w->typed, found, part) : DJ_OK;
    if (!err && link && !magic)
        return follow(context, w, found, part);
    *done = last;
    if (!err && magic && last && fstatat(found->folder, part, &found->about, 0) != 0)
        err = dj_target_refuse(context, w->typed, errno);
    if (!err && !last)
        err = enter(context, w, found, part, magic ? 0 : O_NOFOLLOW);
    found->magic = magic;
    return err ? err : extend(context, found, part, last ? "" : "/");
}

static int walk_all(dj_context *context, walk *w, dj_target_path *found)
{
    bool done = false;
    int err = enter(context, w, found, w->typed[0] == '/' ? "/" : "./", 0);
    while (!err && !done) {
        bool last;
        char *part = take(w, &last);
        err = part ? step(context, w, found, part, last, &done) : dj_fail_memory(context, "a file name", 0);
        free(part);
    }
    return err;
}

int dj_target_path_find(dj_context *context, const char *typed, dj_target_path *out)
{
    walk w = {.typed = typed, .rest = strdup(typed)};
    *out = (dj_target_path){.folder = -1, .path = strdup(typed[0] == '/' ? "/" : "")};
    int err = !*typed
                  ? dj_fail(context, DJ_ERR_USAGE,
                            "the name of the output file is empty; name a file, or '-' for standard output")
              : !w.rest || !out->path ? dj_fail_memory(context, "a file name", strlen(typed))
                                      : walk_all(context, &w, out);
    free(w.rest);
    if (err)
        dj_target_path_free(out);
    else
        out->name = dj_file_name(out->path);
    return err;
}

void dj_target_path_free(dj_target_path *found)
{
    if (found->folder >= 0)
        close(found->folder);
    free(found->path);
    *found = (dj_target_path){.folder = -1};
}
