// SPDX-License-Identifier: MIT
#include "live/profiles.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"

static int compare(const void *a, const void *b)
{
    uint32_t x = ((const dj_profile_file *)a)->pid, y = ((const dj_profile_file *)b)->pid;
    return (x > y) - (x < y);
}

// The program can put anything there: opening a pipe would block.
static bool is_file(DIR *folder, const char *name)
{
    struct stat status;
    return fstatat(dirfd(folder), name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
}

// profile.first is the only profile, of a run whose processes are not followed.
static bool is_profile(const char *name, uint32_t root, uint32_t *pid)
{
    char rest;
    *pid = root;
    return strcmp(name, "profile.first") == 0 || sscanf(name, "profile.%u%c", pid, &rest) == 1;
}

int dj_profile_files_list(dj_context *context, const char *folder, uint32_t root, dj_profile_file **out,
                          size_t *count)
{
    size_t capacity = 0, chosen = 0;
    int err = DJ_OK;
    DIR *list = opendir(folder);
    *out = NULL;
    *count = 0;
    for (const struct dirent *entry; !err && list && (entry = readdir(list));) {
        uint32_t pid;
        if (!is_profile(entry->d_name, root, &pid) || !is_file(list, entry->d_name))
            continue;
        err = dj_grow(context, "the profiles", out, &capacity, *count + 1, sizeof **out);
        if (err)
            break;
        dj_profile_file *file = &(*out)[(*count)++];
        *file = (dj_profile_file){.pid = pid};
        snprintf(file->path, sizeof file->path, "%s/%s", folder, entry->d_name);
    }
    if (list)
        closedir(list);
    if (*count) {
        qsort(*out, *count, sizeof **out, compare);
        for (size_t i = 0; i < *count; i++)
            chosen = (*out)[i].pid == root ? i : chosen;
        (*out)[chosen].main = true;
    }
    return err;
}
