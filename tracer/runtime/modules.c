// SPDX-License-Identifier: MIT
// Which object files are mapped, and where.
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core.h"

enum { MODULES_MOST = 4096 };

typedef struct module {
    uint64_t start, end;
    bool seen; // in the present round
} module;

static module modules[MODULES_MOST];
static unsigned module_count;

static bool find_bounds(const struct dl_phdr_info *info, module *m)
{
    uint64_t page = 4096, low = UINT64_MAX, high = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD)
            continue;
        low = part->p_vaddr < low ? part->p_vaddr : low;
        high = part->p_vaddr + part->p_memsz > high ? part->p_vaddr + part->p_memsz : high;
    }
    m->start = info->dlpi_addr + (low & ~(page - 1));
    m->end = info->dlpi_addr + ((high + page - 1) & ~(page - 1));
    return low < high;
}

static bool find_path(const struct dl_phdr_info *info, char *path)
{
    if (info->dlpi_name && info->dlpi_name[0])
        return realpath(info->dlpi_name, path);
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static bool is_known(const module *m)
{
    for (unsigned i = 0; i < module_count; i++)
        if (modules[i].start == m->start && modules[i].end == m->end) {
            modules[i].seen = true;
            return true;
        }
    return false;
}

static int look_at(struct dl_phdr_info *info, size_t bytes, void *unused)
{
    (void)bytes, (void)unused;
    char path[PATH_MAX];
    module m = {.seen = true};
    if (!find_bounds(info, &m) || is_known(&m) || module_count == MODULES_MOST)
        return 0;
    modules[module_count++] = m;
    uint64_t kernels = getauxval(AT_SYSINFO_EHDR); // a module without a file
    if ((kernels >= m.start && kernels < m.end) || !find_path(info, path))
        return 0;
    const uint64_t words[] = {m.start, m.end - m.start};
    dj_rt_put_record(DJ_RECORD_MODULE, 0, words, 2, path);
    return 0;
}

// A module that is gone is forgotten: what comes to its place is new.
void dj_rt_modules_send(bool again)
{
    if (again)
        module_count = 0;
    for (unsigned i = 0; i < module_count; i++)
        modules[i].seen = false;
    dl_iterate_phdr(look_at, NULL);
    unsigned kept = 0;
    for (unsigned i = 0; i < module_count; i++)
        if (modules[i].seen)
            modules[kept++] = modules[i];
    module_count = kept;
}

void dj_rt_modules_changed(void)
{
    if (dj_rt_off || !dj_rt_ring)
        return;
    dj_rt_depth++;
    dj_rt_modules_send(false);
    dj_rt_depth--;
}
