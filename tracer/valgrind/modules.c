// SPDX-License-Identifier: MIT
// Which object files are mapped, and where: read from the address space, since Valgrind's debug information
// omits some files.
#include <elf.h>

#include "tool.h"

typedef struct module {
    Addr start, end;
    HChar *path;
} module;

static module *modules;
static UInt module_count, module_capacity;

static void forget(UInt index)
{
    VG_(free)(modules[index].path);
    modules[index] = modules[--module_count];
}

static void send_unmapped(Addr start, SizeT bytes)
{
    uint64_t words[2] = {start, bytes};
    dj_ring_put(DJ_RECORD_UNMAP, 0, words, 2);
}

static void send(const module *m)
{
    uint64_t words[2] = {m->start, m->end - m->start};
    dj_ring_put_text(DJ_RECORD_MODULE, 0, words, 2, m->path);
}

static Bool same_file(const NSegment *a, const NSegment *b)
{
    return b && b->kind == SkFileC && a->dev == b->dev && a->ino == b->ino;
}

static const NSegment *lowest(const NSegment *segment)
{
    const NSegment *below;
    while (segment->start && same_file(segment, below = VG_(am_find_nsegment)(segment->start - 1)))
        segment = below;
    return segment;
}

static Addr highest_end(const NSegment *segment)
{
    const NSegment *above;
    while (same_file(segment, above = VG_(am_find_nsegment)(segment->end + 1)))
        segment = above;
    return segment->end + 1;
}

// The program headers in memory also count memory without a file.
static Addr end_by_headers(const NSegment *first)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)first->start;
    SizeT bytes = first->end + 1 - first->start;
    if (!first->hasR || first->offset != 0 || bytes < sizeof *header ||
        VG_(memcmp)(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff > bytes ||
        header->e_phnum > (bytes - header->e_phoff) / sizeof(Elf64_Phdr))
        return 0;
    const Elf64_Phdr *p = (const Elf64_Phdr *)(first->start + header->e_phoff);
    Addr low = ~(Addr)0, high = 0;
    for (UInt i = 0; i < header->e_phnum; i++) {
        if (p[i].p_type != PT_LOAD)
            continue;
        low = p[i].p_vaddr < low ? p[i].p_vaddr : low;
        high = p[i].p_vaddr + p[i].p_memsz > high ? p[i].p_vaddr + p[i].p_memsz : high;
    }
    low = VG_PGROUNDDN(low);
    return high > low ? first->start + VG_PGROUNDUP(high - low) : 0;
}

static void add(Addr a)
{
    const NSegment *segment = VG_(am_find_nsegment)(a);
    const HChar *path = segment && segment->kind == SkFileC ? VG_(am_get_filename)(segment) : NULL;
    Addr own = (Addr)&VG_(trampoline_stuff_start); // a page of this tool that programs execute
    if (!path || (own >= segment->start && own <= segment->end))
        return;
    const NSegment *first = lowest(segment);
    Addr end = end_by_headers(first);
    module m = {.start = first->start, .end = end > a ? end : highest_end(segment)};
    for (UInt i = module_count; i-- > 0;) {
        if (modules[i].start == m.start && modules[i].end >= m.end && VG_(strcmp)(modules[i].path, path) == 0)
            return;
        if (modules[i].start < m.end && m.start < modules[i].end)
            forget(i);
    }
    if (module_count == module_capacity) {
        module_capacity = module_capacity ? 2 * module_capacity : 32;
        modules = VG_(realloc)("deja.modules", modules, module_capacity * sizeof *modules);
    }
    m.path = VG_(strdup)("deja.module", path);
    modules[module_count++] = m;
    send_unmapped(m.start, m.end - m.start); // its first mapping was reported as data
    send(&m);
}

void dj_modules_mapped(Addr start, SizeT bytes, Bool r, Bool w, Bool x, ULong handle)
{
    (void)bytes, (void)r, (void)w, (void)handle;
    if (x)
        add(start);
}

void dj_modules_mapped_later(Addr start, SizeT bytes, Bool r, Bool w, Bool x, ULong handle)
{
    const NSegment *segment = VG_(am_find_nsegment)(start);
    if (segment &&
        (segment->kind == SkAnonC || segment->kind == SkShmC || (segment->kind == SkFileC && !x))) {
        uint64_t words[2] = {start, bytes};
        ThreadId tid = VG_(get_running_tid)();
        if (!dj_bursts_tracing() && tid != VG_INVALID_THREADID)
            dj_stack_send(tid);
        dj_ring_put(DJ_RECORD_MAP, 0, words, 2);
    }
    dj_modules_mapped(start, bytes, r, w, x, handle);
}

void dj_modules_unmapped(Addr start, SizeT bytes)
{
    for (UInt i = module_count; i-- > 0;)
        if (modules[i].start >= start && modules[i].start < start + bytes)
            forget(i);
    send_unmapped(start, bytes);
}

void dj_modules_notice(Addr pc)
{
    static UInt last;
    if (last < module_count && pc >= modules[last].start && pc < modules[last].end)
        return;
    for (last = 0; last < module_count; last++)
        if (pc >= modules[last].start && pc < modules[last].end)
            return;
    add(pc);
}

void dj_modules_send_again(void)
{
    for (UInt i = 0; i < module_count; i++)
        send(&modules[i]);
}
