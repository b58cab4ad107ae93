// SPDX-License-Identifier: MIT
// The data object of memory that was allocated, mapped or named.
#include "base/text.h"
#include "locate/locator.h"

#include <string.h>
#include <xxhash.h>

static bool forwards(dj_locator *l, dj_context *context, uint32_t site)
{
    const dj_lookup *ask = &l->options.lookup;
    if (site >= l->located.site_count || l->located.sites[site].module == DJ_NOWHERE || !ask->forwards)
        return false;
    dj_site_memory *m = &l->sites[site];
    const dj_site_id *at = &l->located.sites[site];
    if (m->forwards == DJ_FORWARDS_UNKNOWN)
        m->forwards =
            ask->forwards(ask->user, context, at->module, at->offset) ? DJ_FORWARDS : DJ_FORWARDS_NOT;
    return m->forwards == DJ_FORWARDS;
}

// Libraries whose calls are not reported have no frames of their own.
bool dj_locator_is_within(const dj_locator *l, uint32_t site, const dj_shadow_frame *frame)
{
    uint32_t function = site < l->located.site_count ? l->sites[site].function : 0;
    return !function || !frame->function || function == frame->function || function == frame->called;
}

// The call that a block comes from, beyond functions such as xmalloc. For mmap, the function that asks the
// kernel is still running; other allocation functions have returned.
static void find_allocation(dj_locator *l, dj_context *context, bool mapped, dj_object_id *id)
{
    enum { WRAPPERS_MOST = 8 };
    const dj_thread *thread = &l->threads[l->thread];
    size_t index = thread->depth - 1;
    bool inside = mapped && thread->top->entered && index > 0;
    id->site = mapped ? thread->top->call_site : thread->left_site;
    index -= inside;
    for (unsigned i = 0;
         i < WRAPPERS_MOST && index > 0 &&
         dj_locator_is_within(l, id->site, dj_thread_frame(thread, index)) && forwards(l, context, id->site);
         i++)
        id->site = dj_thread_frame(thread, index--)->call_site;
    id->cct_node = dj_thread_frame(thread, index)->cct_node;
}

// The site that represents a call of which the compiler may have made copies.
static uint32_t first_copy(dj_locator *l, dj_context *context, uint32_t site)
{
    const dj_lookup *ask = &l->options.lookup;
    if (site >= l->located.site_count || l->located.sites[site].module == DJ_NOWHERE || !ask->allocation)
        return site;
    uint32_t *known = &l->sites[site].allocation;
    if (*known != DJ_NOWHERE)
        return *known;
    *known = site;
    const dj_site_id *at = &l->located.sites[site];
    uint64_t hash = ask->allocation(ask->user, context, at->module, at->offset);
    uint64_t *first = hash ? dj_map_at(&l->allocations, context, hash) : NULL;
    if (first) { // if out of memory it represents itself
        *first = *first ? *first : (uint64_t)site + 1;
        *known = (uint32_t)(*first - 1);
    }
    return *known;
}

// The allocator keeps its own data before, between and after the blocks.
static void widen_heap(dj_locator *l, uint64_t address, uint64_t bytes)
{
    const uint64_t page = 4096;
    if (dj_heap_find(l->heap, address) || dj_locator_module(l, address) != DJ_NOWHERE ||
        address + bytes < address || address + bytes > UINT64_MAX - page)
        return;
    uint64_t lo = address & -page, hi = (address + bytes + page) & -page;
    bool first = l->heap_hi == 0;
    l->heap_lo = first || lo < l->heap_lo ? lo : l->heap_lo;
    l->heap_hi = hi > l->heap_hi ? hi : l->heap_hi;
}

// Data named by the program is one object for each name, wherever it is.
static int find_named(dj_locator *l, dj_context *context, const dj_event *event, uint32_t *object)
{
    uint32_t name;
    bool fresh;
    const dj_object_id id = {.kind = DJ_OBJECT_HEAP,
                             .cct_node = l->threads[l->thread].top->cct_node,
                             .site = DJ_NOWHERE,
                             .bytes = event->c,
                             .blocks = 1,
                             .start = event->b};
    uint64_t hash = XXH3_64bits(event->text, strlen(event->text));
    l->always++; // it may be in a variable that sites remember
    int err = dj_dictionary_value(&l->names, context, hash, &name, &fresh);
    if (!err)
        err = dj_locator_object(l, context, &id, name, UINT32_MAX, object);
    return err || !fresh ? err : dj_copy_text(context, event->text, &l->located.objects[*object].name);
}

static int find_allocated(dj_locator *l, dj_context *context, const dj_event *event, bool mapped,
                          uint32_t *object)
{
    dj_object_id id = {.kind = mapped ? DJ_OBJECT_MAPPED : DJ_OBJECT_HEAP,
                       .bytes = event->c,
                       .blocks = 1,
                       .start = event->b};
    find_allocation(l, context, mapped, &id);
    id.site = first_copy(l, context, id.site);
    uint32_t in = l->cct.list[id.cct_node].function;
    return dj_locator_object(l, context, &id, id.site, id.site == DJ_NOWHERE ? in : 0, object);
}

int dj_locator_allocated(dj_locator *l, dj_context *context, const dj_event *event)
{
    bool mapped = strcmp(event->text, "mmap") == 0;
    uint32_t object;
    int err = event->text[0] && !mapped ? find_named(l, context, event, &object)
                                        : find_allocated(l, context, event, mapped, &object);
    if (err)
        return err;
    if (mapped)
        dj_stacks_remove(&l->stacks, event->b, event->b + event->c);
    else
        widen_heap(l, event->b, event->c);
    return dj_heap_add(l->heap, context, event->b, event->c, object);
}
