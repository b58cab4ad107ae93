// SPDX-License-Identifier: MIT
// The object files of this process.
#include "annotations/recorder.h"

#include <limits.h>
#include <link.h>
#include <unistd.h>

typedef struct module_walk {
    dj_recorder_state *state;
    int err;
} module_walk;

static int add_module(struct dl_phdr_info *info, size_t bytes, void *user)
{
    (void)bytes;
    module_walk *t = user;
    dj_recorder_state *s = t->state;
    uint64_t lo = UINT64_MAX, hi = 0;
    char path[PATH_MAX];
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD)
            continue;
        uint64_t from = segment->p_vaddr & ~UINT64_C(4095), to = segment->p_vaddr + segment->p_memsz;
        lo = from < lo ? from : lo;
        hi = to > hi ? to : hi;
    }
    if (hi <= lo || dj_live_sites_in_module(&s->sites, info->dlpi_addr + lo))
        return 0;
    const char *name = info->dlpi_name;
    if (!name[0]) { // the program itself comes first, without a name
        ssize_t length = s->sites.module_count == 0 ? readlink("/proc/self/exe", path, sizeof path - 1) : 0;
        path[length > 0 ? length : 0] = 0;
        name = path;
    }
    // No calls are reported: every function counts as called by its thread.
    t->err =
        dj_live_sites_add_module(&s->sites, s->context, s->batch, info->dlpi_addr + lo, hi - lo, true, name);
    return t->err;
}

int dj_recorder_modules(dj_recorder_state *state)
{
    module_walk t = {.state = state};
    dl_iterate_phdr(add_module, &t);
    return t.err;
}
