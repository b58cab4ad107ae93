// SPDX-License-Identifier: MIT
#include "base/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define GROUPS "/sys/fs/cgroup"

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// The number in a file; UINT64_MAX if there is none, as in "max".
static uint64_t read_limit(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[64] = "";
    if (!file)
        return UINT64_MAX;
    bool good = fgets(line, sizeof line, file) && line[0] >= '0' && line[0] <= '9';
    fclose(file);
    return good ? strtoull(line, NULL, 10) : UINT64_MAX;
}

// The limit of this process's control group and of all its ancestors.
static uint64_t group_limit(void)
{
    char line[1024], path[2 * sizeof line];
    uint64_t limit = read_limit(GROUPS "/memory/memory.limit_in_bytes");
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::/", 4) != 0)
            continue;
        for (char *end = line + strlen(line); end; end = strrchr(line + 3, '/')) {
            *end = '\0';
            snprintf(path, sizeof path, GROUPS "%s/memory.max", line + 3);
            limit = least(limit, read_limit(path));
        }
    }
    if (file)
        fclose(file);
    return limit;
}

uint64_t dj_machine_usable_bytes(void)
{
    uint64_t bytes = dj_machine_memory_bytes();
    struct rlimit space;
    bytes = least(bytes ? bytes : UINT64_MAX, group_limit());
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        bytes = least(bytes, space.rlim_cur);
    return bytes == UINT64_MAX ? 0 : bytes;
}
