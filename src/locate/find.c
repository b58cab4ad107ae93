// SPDX-License-Identifier: MIT
// Finds the data object at an address.
#include "base/grow.h"
#include "locate/locator.h"

// At most this much of a frame is remembered at a time.
enum { FRAME_MOST = 1 << 16 };

int dj_locator_object(dj_locator *l, dj_context *context, const dj_object_id *id, uint32_t a, uint32_t b,
                      uint32_t *object)
{
    uint32_t *known = dj_triples_at(&l->object_ids, context, (uint32_t)id->kind, a, b);
    if (!known)
        return DJ_ERR_MEMORY;
    if (*known == DJ_TRIPLE_FREE) {
        *known = 0; // any value, if out of memory
        int err = dj_grow(context, "the data objects", &l->located.objects, &l->object_capacity,
                          l->located.object_count + 1, sizeof *l->located.objects);
        if (err)
            return err;
        *known = (uint32_t)l->located.object_count++;
        l->located.objects[*known] = *id;
    } else {
        l->located.objects[*known].bytes += id->bytes;
        l->located.objects[*known].blocks += id->blocks;
    }
    *object = *known;
    return DJ_OK;
}

static void remember(dj_site_memory *m, uint64_t lo, uint64_t hi, const uint32_t *alive)
{
    m->lo = lo;
    m->span = hi - lo;
    m->relative = 0;
    m->shift = 0;
    m->before = 0;
    m->shapeless = true;
    m->alive = alive;
    m->serial = *alive;
}

static int find_heap(const dj_locator *l, dj_site_memory *m, const dj_heap_block *block, uint32_t *object)
{
    remember(m, block->lo, block->hi, &block->serial);
    m->shapeless = false;
    m->shift = l->options.fresh_heap ? block->fresh - block->lo : 0;
    *object = block->object;
    return DJ_OK;
}

static int find_global(dj_locator *l, dj_context *context, dj_site_memory *m, uint32_t module,
                       uint64_t address, uint32_t *object)
{
    const dj_module_id *in = &l->located.modules[module];
    const dj_lookup *ask = &l->options.lookup;
    dj_extent extent = {0, (int64_t)in->bytes, 0};
    bool found = ask->global && ask->global(ask->user, module, address - in->load, &extent);
    remember(m, in->load + (uint64_t)extent.lo, in->load + (uint64_t)extent.hi, &l->always);
    m->shapeless = !found;
    if (found) {
        const dj_object_id id = {.kind = DJ_OBJECT_GLOBAL,
                                 .module = module,
                                 .variable = extent.variable,
                                 .at = (int64_t)(address - in->load)};
        return dj_locator_object(l, context, &id, extent.variable, 0, object);
    }
    const dj_object_id id = {.kind = DJ_OBJECT_MODULE, .module = module};
    return dj_locator_object(l, context, &id, module, 0, object);
}

// Where the program is in frame `index`: at the access, or at a call.
static uint32_t frame_site(const dj_thread *thread, size_t index, uint32_t site)
{
    return index + 1 < thread->depth ? dj_thread_frame(thread, index + 1)->call_site : site;
}

static uint64_t pc_of(const dj_locator *l, uint32_t site)
{
    return site < l->located.site_count ? l->located.sites[site].offset : 0;
}

// Looks up a variable of a frame, and caches the answer.
static bool ask_local(dj_locator *l, uint32_t function, uint32_t site, int64_t at, dj_extent *extent)
{
    const dj_lookup *ask = &l->options.lookup;
    if (!function || !ask->local)
        return false;
    uint64_t hash = dj_triple_hash(function, site, (uint32_t)at);
    dj_local_memory *m = &l->locals[hash % DJ_LOCALS_REMEMBERED];
    if (m->function != function || m->site != site || m->at != at) {
        *m = (dj_local_memory){.function = function, .site = site, .at = at, .extent = *extent};
        m->found = ask->local(ask->user, function, pc_of(l, site), at, &m->extent);
    }
    *extent = m->extent;
    return m->found;
}

// In the stack of any thread: threads may pass on addresses of their variables.
static int find_local(dj_locator *l, dj_context *context, const dj_thread *thread, uint32_t site,
                      uint64_t address, uint32_t *object)
{
    dj_site_memory *m = &l->sites[site];
    size_t index;
    const dj_shadow_frame *frame = dj_thread_frame_at(thread, address, &index);
    bool top = frame == thread->top, own = top && thread == &l->threads[l->thread];
    uint64_t cfa = index > 0 ? dj_frame_cfa(frame) : thread->stack_hi;
    uint64_t below = top ? thread->stack_lo : dj_frame_cfa(dj_thread_frame(thread, index + 1));
    int64_t at = (int64_t)(address - cfa), least = (int64_t)(below - cfa);
    dj_extent extent = {least, 0, 0};
    uint32_t where = frame_site(thread, index, own ? site : DJ_NOWHERE);
    bool found = index > 0 && ask_local(l, frame->function, where, at, &extent);
    // A frame ends at the next one; a deeper one must not extend below it either.
    int64_t near = at < INT64_MIN + FRAME_MOST ? INT64_MIN : at - FRAME_MOST;
    least = top && least < near ? near : least;
    const int64_t start = extent.lo;
    extent.lo = extent.lo < least ? least : extent.lo;
    extent.hi = extent.hi > 0 ? 0 : extent.hi;
    // Memory between variables changes its owner with every call. So may a variable, if most accesses are not
    // seen.
    remember(m, cfa + (uint64_t)extent.lo, cfa + (uint64_t)extent.hi,
             found && !l->sampled ? &frame->serial : &l->stack_changes);
    m->shapeless = !found;
    m->before = (uint64_t)(extent.lo - start);
    if (own && index > 0 && m->function == frame->function) {
        // All activations of the function have the same layout.
        m->lo = (uint64_t)extent.lo;
        m->relative = UINT64_MAX;
        m->alive = &l->always;
        m->serial = l->always;
    }
    if (found) {
        const dj_object_id id = {.kind = DJ_OBJECT_LOCAL,
                                 .variable = extent.variable,
                                 .function = frame->function,
                                 .at = at,
                                 .pc = pc_of(l, where)};
        return dj_locator_object(l, context, &id, extent.variable, 0, object);
    }
    const dj_object_id id = {.kind = DJ_OBJECT_FRAME, .function = frame->function};
    return dj_locator_object(l, context, &id, frame->function, 0, object);
}

static int find_nothing(dj_locator *l, dj_context *context, dj_site_memory *m, uint64_t address,
                        uint32_t *object)
{
    bool heap = address >= l->heap_lo && address < l->heap_hi;
    const dj_object_id id = {.kind = DJ_OBJECT_UNKNOWN, .in_heap = heap};
    remember(m, address, address + 1, dj_heap_changes_at(l->heap));
    return dj_locator_object(l, context, &id, heap, 0, object);
}

// The thread whose stack contains an address; NULL: none.
static const dj_thread *owner(const dj_locator *l, uint64_t address)
{
    const dj_stack_range *stack = dj_stacks_find(&l->stacks, address);
    return stack ? &l->threads[stack->thread] : NULL;
}

int dj_locator_find(dj_locator *l, dj_context *context, uint32_t site, uint64_t address)
{
    dj_site_memory *m = &l->sites[site];
    const dj_thread *thread = &l->threads[l->thread];
    uint32_t object = 0, module;
    const dj_heap_block *block = NULL;
    int err;
    if (address < thread->stack_lo || address >= thread->stack_hi) {
        block = dj_heap_find(l->heap, address);
        thread = block && l->located.objects[block->object].kind == DJ_OBJECT_HEAP ? NULL : owner(l, address);
    }
    if (thread)
        err = find_local(l, context, thread, site, address, &object);
    else if (block)
        err = find_heap(l, m, block, &object);
    else if ((module = dj_locator_module(l, address)) != DJ_NOWHERE)
        err = find_global(l, context, m, module, address, &object);
    else
        err = find_nothing(l, context, m, address, &object);
    if (object != m->object) {
        m->object = object;
        m->cct_node = DJ_NOWHERE;
    }
    return err;
}
