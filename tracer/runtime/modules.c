// SPDX-License-Identifier: MIT
// Which object files are mapped, and where.
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core.h"
#include "system.h"
#include "text.h"

enum { MODULES_MOST = 4096, PATHS_BYTES = 1 << 16 };

typedef struct module {
    uint64_t start, end;
    const char *path; // NULL: the kernel's, or memory ran out
    bool silent;      // not built by `deja cc`
    bool seen;        // in the current round
} module;

static module modules[MODULES_MOST];
static unsigned module_count;
static bool busy; // in another thread
static unsigned long long last_change;

static bool find_bounds(const struct dl_phdr_info *info, module *m)
{
    const uint64_t page = 4096;
    uint64_t low = UINT64_MAX, high = 0;
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

static bool is_same(const char *a, const char *b, size_t bytes)
{
    while (bytes > 0 && *a == *b)
        a++, b++, bytes--;
    return bytes == 0;
}

static bool has_note(const char *at, uint64_t bytes)
{
    static const char owner[] = "Deja";
    for (uint64_t size; bytes >= sizeof(ElfW(Nhdr)); at += size, bytes -= size) {
        const ElfW(Nhdr) *note = (const void *)at;
        const char *name = at + sizeof *note;
        size = sizeof *note + ((note->n_namesz + UINT64_C(3)) & ~UINT64_C(3)) +
               ((note->n_descsz + UINT64_C(3)) & ~UINT64_C(3));
        if (size > bytes)
            return false;
        if (note->n_type == 1 && note->n_namesz == sizeof owner && is_same(name, owner, sizeof owner))
            return true;
    }
    return false;
}

static bool is_silent(const struct dl_phdr_info *info)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_NOTE &&
            has_note((const char *)(info->dlpi_addr + part->p_vaddr), part->p_memsz))
            return false;
    }
    return true;
}

static bool find_path(const struct dl_phdr_info *info, char *path)
{
    if (info->dlpi_name && info->dlpi_name[0])
        return realpath(info->dlpi_name, path);
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

// Not from malloc: the program's malloc may be the one that is traced.
static const char *keep_path(const char *path)
{
    static char *memory;
    static size_t left;
    size_t bytes = dj_rt_length(path) + 1;
    if (bytes > left) {
        memory = dj_rt_map(NULL, PATHS_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
        left = memory ? PATHS_BYTES : 0;
    }
    if (!memory || bytes > left)
        return NULL;
    char *kept = memory;
    dj_rt_append(kept, path);
    memory += bytes;
    left -= bytes;
    return kept;
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

static void send(const module *m)
{
    const uint64_t words[] = {m->start, m->end - m->start};
    if (m->path)
        dj_rt_put_record(DJ_RECORD_MODULE, m->silent, words, 2, m->path);
}

static int look_at(struct dl_phdr_info *info, size_t bytes, void *has_changed)
{
    (void)bytes;
    char path[PATH_MAX];
    module m = {.seen = true};
    bool *changed = has_changed;
    if (!*changed && last_change == info->dlpi_adds + info->dlpi_subs)
        return 1;
    *changed = true;
    last_change = info->dlpi_adds + info->dlpi_subs;
    if (!find_bounds(info, &m) || is_known(&m) || module_count == MODULES_MOST)
        return 0;
    uint64_t kernels = getauxval(AT_SYSINFO_EHDR); // the vDSO has no file
    if ((kernels < m.start || kernels >= m.end) && find_path(info, path))
        m.path = keep_path(path);
    m.silent = is_silent(info);
    modules[module_count++] = m;
    send(&m);
    return 0;
}

// Forgets unloaded modules: one that is loaded in the same place is new.
static void forget_unloaded(void)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < module_count; i++)
        if (modules[i].seen)
            modules[kept++] = modules[i];
    module_count = kept;
}

void dj_rt_modules_changed(void)
{
    bool changed = false;
    if (dj_rt_off || !dj_rt_ring)
        return;
    int saved = errno;
    dj_rt_depth++;
    while (__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE))
        sched_yield();
    for (unsigned i = 0; i < module_count; i++)
        modules[i].seen = false;
    dl_iterate_phdr(look_at, &changed);
    if (changed)
        forget_unloaded();
    __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
    dj_rt_depth--;
    errno = saved;
}

void dj_rt_modules_send_again(void)
{
    busy = false;
    for (unsigned i = 0; i < module_count; i++)
        send(&modules[i]);
}
