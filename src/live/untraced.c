// SPDX-License-Identifier: MIT
#include "live/untraced.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *advice(int error)
{
    return error == ENOSPC   ? "; set XDG_RUNTIME_DIR to a folder with more space"
           : error == EFBIG  ? "; a limit on the size of files (ulimit -f) is below 70 MB"
           : error == ENOMEM ? "; a limit on memory (ulimit -v) leaves less than 70 MB"
                             : "";
}

bool dj_untraced_explain(const char *folder, char *to, size_t capacity)
{
    unsigned pid, lowest = 0;
    int error, first_error = 0;
    size_t count = 0;
    DIR *list = opendir(folder);
    if (!list) {
        snprintf(to, capacity, "processes may be missing: cannot read %s: %s", folder, strerror(errno));
        return true;
    }
    for (const struct dirent *entry; (entry = readdir(list));) {
        char rest;
        if (sscanf(entry->d_name, "untraced.%u.%d%c", &pid, &error, &rest) != 2)
            continue;
        if (count++ == 0 || pid < lowest) {
            lowest = pid;
            first_error = error;
        }
    }
    closedir(list);
    char others[48] = "";
    if (count > 1)
        snprintf(others, sizeof others, " and %zu other%s", count - 1, count == 2 ? "" : "s");
    if (count > 0)
        snprintf(to, capacity, "process %u%s ran untraced: no ring in %s: %s%s", lowest, others, folder,
                 strerror(first_error), advice(first_error));
    return count > 0;
}
