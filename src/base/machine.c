// SPDX-License-Identifier: MIT
#include "base/machine.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"

#define CACHE_ROOT "/sys/devices/system/cpu/cpu0/cache"

// The folder of one cache. The first error remains; a missing file is none.
typedef struct folder {
    dj_context *context;
    const char *root;
    unsigned index;
    int err;
} folder;

static FILE *open_file(dj_context *context, const char *path, int *err)
{
    FILE *file = fopen(path, "r");
    // A missing file is no error, and must not replace the message of one.
    if (!file && !dj_is_wrong_path(errno))
        *err = dj_fail_open(context, path, errno);
    return file;
}

// Reads one line of a sysfs file, without the newline.
static bool read_line(folder *from, const char *name, char *to, size_t capacity)
{
    char path[512];
    snprintf(path, sizeof path, "%s/index%u/%s", from->root, from->index, name);
    FILE *file = from->err ? NULL : open_file(from->context, path, &from->err);
    if (!file)
        return false;
    bool good = fgets(to, (int)capacity, file) != NULL;
    fclose(file);
    if (good)
        to[strcspn(to, "\n")] = '\0';
    return good;
}

static uint64_t read_number(folder *from, const char *name)
{
    char line[64];
    const char *at = line;
    uint64_t value = 0;
    if (!read_line(from, name, line, sizeof line) || !dj_number_scan(&at, &value))
        return 0;
    return *at == 'K' ? value << 10 : *at == 'M' ? value << 20 : value;
}

// Counts the processors in a list as in "0-3,8".
static unsigned count_cpus(const char *list)
{
    unsigned cpus = 0;
    while (*list) {
        uint64_t first = 0, last = 0;
        if (!dj_number_scan(&list, &first))
            return cpus;
        last = first;
        if (*list == '-' && (list++, !dj_number_scan(&list, &last)))
            return cpus;
        if (last >= first && last - first < 1u << 20)
            cpus += (unsigned)(last - first + 1);
        if (*list == ',')
            list++;
    }
    return cpus;
}

static bool read_cache(folder *from, dj_cache *out)
{
    char type[32] = "", list[512] = "";
    if (!read_line(from, "type", type, sizeof type))
        return false;
    read_line(from, "shared_cpu_list", list, sizeof list);
    *out = (dj_cache){
        .level = (unsigned)read_number(from, "level"),
        .kind = strcmp(type, "Data") == 0          ? DJ_CACHE_DATA
                : strcmp(type, "Instruction") == 0 ? DJ_CACHE_INSTRUCTION
                                                   : DJ_CACHE_UNIFIED,
        .bytes = read_number(from, "size"),
        .line_bytes = read_number(from, "coherency_line_size"),
        .ways = read_number(from, "ways_of_associativity"),
        .cpus = count_cpus(list),
    };
    return true;
}

static int by_level(const void *a, const void *b)
{
    const dj_cache *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

// Containers may hide sysfs; the C library queries the processor directly.
static size_t ask_c_library(dj_cache *out)
{
    static const struct {
        unsigned level;
        enum dj_cache_kind kind;
        int bytes, line, ways;
    } rows[] = {
        {1, DJ_CACHE_DATA, _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_LINESIZE, _SC_LEVEL1_DCACHE_ASSOC},
        {2, DJ_CACHE_UNIFIED, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_LINESIZE, _SC_LEVEL2_CACHE_ASSOC},
        {3, DJ_CACHE_UNIFIED, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_LINESIZE, _SC_LEVEL3_CACHE_ASSOC},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        long bytes = sysconf(rows[i].bytes), line = sysconf(rows[i].line), ways = sysconf(rows[i].ways);
        if (bytes > 0)
            out[count++] = (dj_cache){rows[i].level,
                                      rows[i].kind,
                                      (uint64_t)bytes,
                                      line > 0 ? (uint64_t)line : 0,
                                      ways > 0 ? (uint64_t)ways : 0,
                                      0};
    }
    return count;
}

int dj_machine_caches(dj_context *context, const char *root, dj_cache *out, size_t *count)
{
    folder from = {.context = context, .root = root ? root : CACHE_ROOT};
    *count = 0;
    for (; *count < DJ_CACHES_MAX && read_cache(&from, &out[*count]); from.index++)
        if (out[*count].level > 0 && out[*count].bytes > 0)
            ++*count;
    if (from.err)
        return from.err;
    if (*count == 0 && !root)
        *count = ask_c_library(out);
    else
        qsort(out, *count, sizeof *out, by_level);
    return DJ_OK;
}

void dj_cache_name(const dj_cache *cache, char *to)
{
    static const char *const suffix[] = {"d", "i", ""};
    snprintf(to, 16, "L%u%s", cache->level, suffix[cache->kind]);
}

const char *dj_machine_simd(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return "avx512";
    if (__builtin_cpu_supports("avx2"))
        return "avx2";
#endif
    return "portable";
}

int dj_machine_processor(dj_context *context, char *to, size_t capacity)
{
    int err = DJ_OK;
    snprintf(to, capacity, "unknown");
    FILE *file = open_file(context, "/proc/cpuinfo", &err);
    if (!file)
        return err;
    char line[512];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(to, capacity, "%s", colon + 1 + strspn(colon + 1, " "));
        break;
    }
    fclose(file);
    return DJ_OK;
}

uint64_t dj_machine_memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes : 0;
}

unsigned dj_machine_cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}
