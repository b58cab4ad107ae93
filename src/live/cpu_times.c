// SPDX-License-Identifier: MIT
#include "live/cpu_times.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/grow.h"

// Nanoseconds on a CPU, the first number of schedstat.
static bool read_time(int folder, const char *thread, uint64_t *ns)
{
    char path[64], text[64] = "";
    snprintf(path, sizeof path, "%.32s/schedstat", thread);
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : dj_read_all(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    char *end = text;
    *ns = got > 0 ? strtoull(text, &end, 10) : 0;
    return end != text;
}

// The kernel lists threads in the order of their creation, so those known come first, in the same order.
static int keep(dj_cpu_times *times, dj_context *context, dj_cpu_time found, size_t *from)
{
    size_t at = *from;
    while (at < times->count && times->threads[at].thread != found.thread)
        at++;
    int err = at < times->count ? DJ_OK
                                : dj_grow(context, "the CPU times of threads", &times->threads,
                                          &times->capacity, times->count + 1, sizeof *times->threads);
    if (err)
        return err;
    times->count += at == times->count;
    times->threads[at] = found;
    *from = at + 1;
    return DJ_OK;
}

int dj_cpu_times_sample(dj_cpu_times *times, dj_context *context, pid_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *list = opendir(path);
    if (!list)
        return DJ_OK;
    int err = DJ_OK;
    size_t from = 0;
    for (const struct dirent *entry; !err && (entry = readdir(list));) {
        dj_cpu_time found = {.thread = (pid_t)strtol(entry->d_name, NULL, 10)};
        if (found.thread > 0 && read_time(dirfd(list), entry->d_name, &found.ns))
            err = keep(times, context, found, &from);
    }
    closedir(list);
    return err;
}

void dj_cpu_times_free(dj_cpu_times *times)
{
    free(times->threads);
    *times = (dj_cpu_times){0};
}
