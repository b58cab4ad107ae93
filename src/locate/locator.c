// SPDX-License-Identifier: MIT
// The locator: a source around another one that gives each access its place. An access costs a few
// comparisons if it touches the same object in the same context as its site did before; otherwise a search
// for one or both.
#include "locate/locator.h"
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

int dj_locator_create(dj_context *context, const dj_locator_options *options, dj_locator **out)
{
    dj_locator *l = calloc(1, sizeof *l);
    if (!l)
        return dj_fail_memory(context, "the locator", sizeof *l);
    l->options = *options;
    int err = dj_cct_create(&l->cct, context);
    if (!err)
        err = dj_triples_create(&l->object_ids, context);
    if (!err)
        err = dj_triples_create(&l->place_ids, context);
    if (!err)
        err = dj_dictionary_create(&l->thread_ids, context);
    if (!err)
        err = dj_dictionary_create(&l->names, context);
    if (!err)
        err = dj_map_create(&l->allocations, context, &l->allocations_footprint, 0);
    if (!err)
        err = dj_heap_create(context, options->fresh_heap, &l->heap);
    if (!err && options->sampled.filter_count > 0)
        err = dj_sampled_create(context, &options->sampled, &l->sampled);
    if (!err)
        err = dj_locator_thread(l, context, &(dj_event){.type = DJ_EVENT_THREAD, .text = ""});
    if (err) {
        dj_locator_destroy(l);
        return err;
    }
    *out = l;
    return DJ_OK;
}

void dj_locator_destroy(dj_locator *l)
{
    if (!l)
        return;
    dj_located *all = &l->located;
    for (size_t i = 0; i < l->module_capacity; i++) {
        free(all->modules[i].path);
        free(all->modules[i].identity);
    }
    for (size_t i = 0; i < all->object_count; i++)
        free(all->objects[i].name);
    for (size_t i = 0; i < all->thread_count; i++) {
        free(all->threads[i].name);
        dj_thread_destroy(&l->threads[i]);
    }
    for (size_t i = 0; i < DJ_PLACE_CHUNKS && all->places.chunks[i]; i++)
        free(all->places.chunks[i]);
    free(all->modules);
    free(all->sites);
    free(all->passes);
    free(all->threads);
    free(all->objects);
    free(all->place_offsets);
    free(l->module_order);
    free(l->threads);
    free(l->sites);
    dj_cct_destroy(&l->cct);
    dj_triples_destroy(&l->object_ids);
    dj_triples_destroy(&l->place_ids);
    dj_dictionary_destroy(&l->thread_ids);
    dj_dictionary_destroy(&l->names);
    dj_heap_destroy(l->heap);
    dj_map_destroy(&l->allocations);
    dj_sampled_destroy(l->sampled);
    free(l->stacks.list);
    free(l);
}

const dj_located *dj_locator_get(const dj_locator *l)
{
    return &l->located;
}

bool dj_locator_count(const dj_locator *l, uint32_t site, dj_site_count *out)
{
    *out = (dj_site_count){0};
    if (l->sampled && site < l->located.site_count)
        *out = (dj_site_count){l->sites[site].accesses, l->sites[site].function};
    return l->sampled != NULL;
}

int dj_locator_enter(dj_locator *l, dj_context *context, const dj_site_memory *m)
{
    dj_thread *thread = &l->threads[l->thread];
    if (m->stub || m->function == 0)
        return DJ_OK;
    l->stack_changes++;
    if (thread->top->entered && !m->silent && dj_thread_unwind(thread, m->function))
        return DJ_OK;
    dj_shadow_frame *top = thread->top;
    uint32_t caller = dj_locator_caller(m, top);
    // The caller of the first function of a thread is unknown.
    bool first = l->cct.list[caller].parent == DJ_NOWHERE;
    uint32_t call_site = top->entered || first || m->silent ? DJ_NOWHERE : top->call_site;
    int err = dj_cct_child(&l->cct, context, caller, call_site, m->origin, &top->cct_node);
    top->function = m->function;
    if (m->silent) // the function of the frame may not have been seen yet
        return err;
    if (!top->entered) {
        top->called = m->function;
        top->called_node = top->cct_node;
    }
    top->entered = true;
    return err;
}

static int new_place(dj_locator *l, dj_context *context, const dj_place *place, uint64_t offset, uint32_t *id)
{
    dj_place_table *table = &l->located.places;
    int err = dj_grow(context, "the places", &l->located.place_offsets, &l->offset_capacity,
                      (size_t)table->count + 1, sizeof *l->located.place_offsets);
    if (err)
        return err;
    l->located.place_offsets[table->count] = offset;
    uint32_t chunk = table->count / DJ_PLACE_CHUNK;
    if (chunk == DJ_PLACE_CHUNKS)
        return dj_fail(context, DJ_ERR_MEMORY, "the program has more than 2^28 places");
    if (!table->chunks[chunk]) {
        table->chunks[chunk] = malloc(DJ_PLACE_CHUNK * sizeof(dj_place));
        if (!table->chunks[chunk])
            return dj_fail_memory(context, "the places", DJ_PLACE_CHUNK * sizeof(dj_place));
    }
    table->chunks[chunk][table->count % DJ_PLACE_CHUNK] = *place;
    *id = table->count++;
    return DJ_OK;
}

static int find_place(dj_locator *l, dj_context *context, uint32_t site, uint64_t address)
{
    dj_site_memory *m = &l->sites[site];
    uint32_t node = l->threads[l->thread].top->cct_node;
    uint32_t *known = dj_triples_at(&l->place_ids, context, site, node, m->object);
    if (!known)
        return DJ_ERR_MEMORY;
    if (*known == DJ_TRIPLE_FREE) {
        const dj_place place = {site, node, m->object, l->cct.list[node].thread};
        uint64_t base = dj_frame_cfa(l->threads[l->thread].top) & m->relative;
        *known = 0;
        int err = new_place(l, context, &place, address - base - m->lo, known);
        if (err)
            return err;
    }
    m->cct_node = node;
    m->place = *known;
    return DJ_OK;
}

// What the loop below needs of a thread at every access, in registers: otherwise the compiler must assume
// that writing places changes it.
typedef struct here {
    uint32_t function, context;
    uint64_t cfa;
} here;

static here look(const dj_thread *thread)
{
    return (here){thread->top->function, thread->top->cct_node, dj_frame_cfa(thread->top)};
}

// Accesses `from` to `to` − 1, between two events.
static int locate_run(dj_locator *l, dj_context *context, const dj_batch *batch, uint32_t from, uint32_t to)
{
    const uint64_t *address = batch->column.address;
    const uint32_t *site = batch->column.site;
    dj_batch_buffers buffers = dj_batch_writable((dj_batch *)batch);
    const dj_thread *thread = &l->threads[l->thread];
    dj_site_memory *sites = l->sites;
    size_t site_count = l->located.site_count;
    here now = look(thread);
    const bool fresh = l->options.fresh_heap, offsets = l->options.offsets;
    int err = DJ_OK;
    for (uint32_t i = from; i < to; i++) {
        uint32_t s = site[i];
        if (__builtin_expect(s >= site_count, 0)) {
            if ((err = dj_locator_site(l, context, s)))
                return err;
            sites = l->sites;
            site_count = l->located.site_count;
        }
        dj_site_memory *m = &sites[s];
        if (m->function != now.function) {
            if ((err = dj_locator_enter(l, context, m)))
                return err;
            now = look(thread);
        }
        uint64_t at = address[i] - (now.cfa & m->relative) - m->lo;
        if ((at >= m->span || *m->alive != m->serial) && (err = dj_locator_find(l, context, s, address[i])))
            return err;
        if (m->cct_node != now.context && (err = find_place(l, context, s, address[i])))
            return err;
        buffers.place[i] = m->place;
        if (offsets) {
            const uint64_t offset = address[i] - (now.cfa & m->relative) - m->lo + m->before;
            buffers.offset[i] = offset | -(uint64_t)m->shapeless;
        }
        if (fresh)
            buffers.address[i] = address[i] + m->shift;
    }
    return DJ_OK;
}

// The same, of accesses most of which no lane sees. Those have no place, but their functions are on the
// stack, and they are counted by site.
static int locate_sampled(dj_locator *l, dj_context *context, const dj_batch *batch, const uint8_t *verdict,
                          uint32_t from, uint32_t to)
{
    const uint64_t *address = batch->column.address;
    const uint32_t *site = batch->column.site;
    uint32_t *place = dj_batch_writable((dj_batch *)batch).place;
    const dj_thread *thread = &l->threads[l->thread];
    const bool whole = l->options.sampled.split_block == 0;
    dj_site_memory *sites = l->sites;
    size_t site_count = l->located.site_count;
    here now = look(thread);
    int err = DJ_OK;
    for (uint32_t i = from; i < to; i++) {
        const uint32_t s = site[i];
        if (__builtin_expect(s >= site_count, 0)) {
            if ((err = dj_locator_site(l, context, s)))
                return err;
            sites = l->sites;
            site_count = l->located.site_count;
        }
        dj_site_memory *m = &sites[s];
        if (m->function != now.function) {
            if ((err = dj_locator_enter(l, context, m)))
                return err;
            now = look(thread);
        }
        if (dj_verdict_belongs(verdict[i]))
            m->accesses += whole ? 1 : dj_sampled_pieces(l->sampled, batch, i);
        if (!dj_verdict_accesses(verdict[i]) && m->cct_node != DJ_NOWHERE) {
            place[i] = 0;
            continue;
        }
        uint64_t at = address[i] - (now.cfa & m->relative) - m->lo;
        if ((at >= m->span || *m->alive != m->serial) && (err = dj_locator_find(l, context, s, address[i])))
            return err;
        if (m->cct_node != now.context && (err = find_place(l, context, s, address[i])))
            return err;
        place[i] = m->place;
    }
    return DJ_OK;
}

// Alternates between runs of accesses and events.
static int locate_all(dj_locator *l, dj_context *context, const dj_batch *batch)
{
    uint32_t done = 0;
    const uint8_t *verdict = NULL;
    int judged = l->sampled ? dj_sampled_judge(l->sampled, context, batch, &verdict) : DJ_OK;
    if (judged)
        return judged;
    for (uint32_t e = 0; e <= batch->event_count; e++) {
        if (e < batch->event_count && batch->events[e].type == DJ_EVENT_LOOP)
            continue; // there are many, and they change nothing here
        uint32_t until = e < batch->event_count ? batch->events[e].index : batch->count;
        if (until > done) {
            int err = verdict ? locate_sampled(l, context, batch, verdict, done, until)
                              : locate_run(l, context, batch, done, until);
            if (err)
                return err;
            done = until;
        }
        int err = e < batch->event_count ? dj_locator_event(l, context, &batch->events[e]) : DJ_OK;
        if (err)
            return err;
    }
    return DJ_OK;
}

static int locate(dj_locator *l, dj_context *context, dj_batch *batch)
{
    int err = locate_all(l, context, batch);
    // The list moves when it grows, even before an error; users always get the current one.
    l->located.cct = l->cct.list;
    l->located.cct_count = l->cct.count;
    l->located.cct_rare = l->cct.rare;
    dj_batch_buffers buffers = dj_batch_writable(batch);
    batch->column.place = buffers.place;
    batch->column.offset = l->options.offsets && !l->sampled ? buffers.offset : NULL;
    if (l->options.fresh_heap)
        batch->column.address = buffers.address;
    return err;
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    (void)pool; // the inner source's batches have a column for the place
    dj_locator *l = state;
    int err = dj_source_next(l->inner, context, out);
    if (!*out)
        return err;
    if ((*out)->count && !(*out)->column.site) {
        dj_batch_release(*out);
        *out = NULL;
        return dj_fail(
            context, DJ_ERR_UNSUPPORTED,
            "%s does not record which instruction made an access, so accesses cannot be attributed",
            dj_source_name(l->inner));
    }
    int located = locate(l, context, *out);
    if (located) {
        uint64_t first = (*out)->first;
        dj_batch_release(*out);
        *out = NULL;
        return located == DJ_ERR_INPUT ? dj_fail_within(context, located, "%s: after access %llu",
                                                        dj_source_name(l->inner), (unsigned long long)first)
                                       : located;
    }
    return err;
}

static void progress(const void *state, dj_progress *out)
{
    dj_source_progress(((const dj_locator *)state)->inner, out);
}

static const char *name(const void *state)
{
    return dj_source_name(((const dj_locator *)state)->inner);
}

int dj_locator_source(dj_context *context, dj_locator *locator, dj_source *inner, dj_source **out)
{
    static const dj_source_ops ops = {.next = next, .progress = progress, .name = name};
    dj_source_info info = *dj_source_get_info(inner);
    info.columns |= DJ_COLUMN_PLACE | (locator->options.offsets && !locator->sampled ? DJ_COLUMN_OFFSET : 0u);
    locator->inner = inner;
    return dj_source_create(context, &ops, locator, &info, out);
}
