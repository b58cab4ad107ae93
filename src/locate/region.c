// SPDX-License-Identifier: MIT
#include "locate/region.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

// What a name extends to: the calling contexts of a function, and everything in any thread while a region
// of that name is active.
typedef struct extent {
    const char *function; // NULL: everything is inside
    uint64_t depth;       // nesting depth of regions with that name
    bool begun;           // it was ever active
    bool *inside;         // of each context
    size_t count, capacity;
    bool *inlined; // of each site: its code is that of the function, inlined
    size_t site_count, site_capacity;
} extent;

struct dj_region {
    dj_region_options options;
    const dj_located *located;
    dj_symbols *symbols;
    extent start, within;
    bool started, met;
    uint64_t skipped, kept;
    dj_source *inner;
};

int dj_region_create(dj_context *context, const dj_region_options *options, const dj_locator *locator,
                     dj_symbols *symbols, dj_region **out)
{
    dj_region *r = calloc(1, sizeof *r);
    if (!r)
        return dj_fail_memory(context, "a region", sizeof *r);
    r->options = *options;
    r->located = locator ? dj_locator_get(locator) : NULL;
    r->symbols = symbols;
    r->start.function = options->start_at;
    r->within.function = options->within;
    r->started = !options->start_at;
    *out = r;
    return DJ_OK;
}

static void extent_free(extent *e)
{
    free(e->inside);
    free(e->inlined);
}

void dj_region_destroy(dj_region *r)
{
    if (!r)
        return;
    extent_free(&r->start);
    extent_free(&r->within);
    free(r);
}

bool dj_region_met(const dj_region *r)
{
    return r->met || (!r->start.function && !r->within.function);
}

// "f" also matches "f(int)".
static bool is_named(const char *name, const char *wanted)
{
    size_t length = strlen(wanted);
    return strncmp(name, wanted, length) == 0 && (name[length] == 0 || name[length] == '(');
}

// Looks up which functions were inlined at up to DJ_QUERIES_MOST new sites.
static int look_up_sites(dj_region *r, dj_context *context, extent *e, dj_code *codes)
{
    dj_code_query queries[DJ_QUERIES_MOST];
    size_t count = 0;
    for (; count < DJ_QUERIES_MOST && e->site_count + count < r->located->site_count; count++) {
        const dj_site_id *site = &r->located->sites[e->site_count + count];
        queries[count] = (dj_code_query){site->offset, site->module, false};
    }
    int err = dj_symbols_codes(r->symbols, context, queries, count, codes);
    for (size_t i = 0; i < count && !err; i++) {
        bool inlined = false;
        for (uint32_t f = 0; f + 1 < codes[i].frame_count; f++)
            inlined = inlined || is_named(codes[i].frames[f].function, e->function);
        e->inlined[e->site_count++] = inlined;
    }
    return err;
}

static int extend_sites(dj_region *r, dj_context *context, extent *e)
{
    size_t sites = r->located->site_count;
    if (e->site_count >= sites)
        return DJ_OK;
    int err = dj_grow(context, "the code of a region", &e->inlined, &e->site_capacity, sites, sizeof(bool));
    dj_code *codes = err ? NULL : calloc(DJ_QUERIES_MOST, sizeof *codes);
    if (!err && !codes)
        err = dj_fail_memory(context, "the code of a region", DJ_QUERIES_MOST * sizeof *codes);
    while (!err && e->site_count < sites)
        err = look_up_sites(r, context, e, codes);
    free(codes);
    return err;
}

static bool is_entered(const dj_region *r, const extent *e, const dj_cct_id *id)
{
    return (id->function &&
            is_named(dj_symbols_function_info(r->symbols, id->function)->name, e->function)) ||
           (id->parent != DJ_NOWHERE && e->inside[id->parent]) ||
           (id->call_site < e->site_count && e->inlined[id->call_site]);
}

// Callers come before their callees, so one pass over new contexts is enough.
static int extend(dj_region *r, dj_context *context, extent *e)
{
    if (!e->function)
        return DJ_OK;
    size_t contexts = r->located->cct_count;
    int err = extend_sites(r, context, e);
    if (!err)
        err = dj_grow(context, "the contexts of a region", &e->inside, &e->capacity, contexts, sizeof(bool));
    for (; !err && e->count < contexts; e->count++)
        e->inside[e->count] = is_entered(r, e, &r->located->cct[e->count]);
    return err;
}

// A region that ends more often than it begins was already active at the start.
static void follow(extent *e, const dj_event *event)
{
    if (!e->function || event->type != DJ_EVENT_REGION || strcmp(event->text, e->function) != 0)
        return;
    e->begun |= event->a != 0;
    if (event->a)
        e->depth++;
    else if (e->depth > 0)
        e->depth--;
}

static bool is_inside(const dj_region *r, const extent *e, uint32_t place)
{
    const dj_place *at = dj_place_get(&r->located->places, place);
    return e->inside[at->cct_node] || e->inlined[at->site];
}

int dj_region_extend(dj_region *r, dj_context *context)
{
    int err = extend(r, context, &r->start);
    return err ? err : extend(r, context, &r->within);
}

void dj_region_follow(dj_region *r, const dj_event *event)
{
    follow(&r->start, event);
    follow(&r->within, event);
}

bool dj_region_is_over(const dj_region *r)
{
    return r->options.stop_after && r->kept >= r->options.stop_after;
}

bool dj_region_counts(dj_region *r, uint32_t place)
{
    if (dj_region_is_over(r) ||
        (r->within.function && !r->within.depth && !is_inside(r, &r->within, place)) ||
        (!r->started && !r->start.begun && !is_inside(r, &r->start, place)))
        return false;
    r->started = r->met = true;
    if (r->skipped < r->options.skip) {
        r->skipped++;
        return false;
    }
    r->kept++;
    return true;
}

// Whether all accesses may pass.
static bool is_open(const dj_region *r, const dj_batch *batch)
{
    return r->started && !r->within.function && r->skipped >= r->options.skip &&
           (!r->options.stop_after || r->options.stop_after - r->kept >= batch->count);
}

// The events before access `until` of a batch that is being filtered.
typedef struct passing {
    uint32_t next; // event
    uint32_t kept; // events
} passing;

// The locator has already read them. Later stages need the thread of the accesses, what orders threads, and
// what the whole run did outside recorded data.
static bool is_needed_later(const dj_event *event)
{
    return event->type == DJ_EVENT_THREAD || event->type == DJ_EVENT_SYNC || event->type == DJ_EVENT_ALLOC ||
           event->type == DJ_EVENT_FREE || event->type == DJ_EVENT_OUTSIDE || event->type == DJ_EVENT_LOOP;
}

static void follow_events(dj_region *r, dj_batch *batch, uint32_t until, uint32_t index, passing *p)
{
    dj_event *events = (dj_event *)(uintptr_t)batch->events; // they belong to the batch
    for (; p->next < batch->event_count && events[p->next].index <= until; p->next++) {
        dj_region_follow(r, &events[p->next]);
        if (!is_needed_later(&events[p->next]))
            continue;
        events[p->kept] = events[p->next];
        events[p->kept++].index = index;
    }
}

static int filter(dj_region *r, dj_context *context, dj_batch *batch)
{
    int err = dj_region_extend(r, context);
    if (err)
        return err;
    if (is_open(r, batch)) {
        r->kept += batch->count;
        return DJ_OK;
    }
    uint32_t kept = 0;
    passing events = {0};
    for (uint32_t i = 0; i < batch->count && !dj_region_is_over(r); i++) {
        follow_events(r, batch, i, kept, &events);
        if (dj_region_counts(r, batch->column.place ? batch->column.place[i] : 0))
            dj_batch_copy_access(batch, kept++, batch, i);
    }
    follow_events(r, batch, batch->count, kept, &events);
    dj_batch_set_columns(batch, dj_batch_columns(batch));
    batch->count = kept;
    batch->event_count = events.kept;
    return DJ_OK;
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    (void)pool;
    dj_region *r = state;
    *out = NULL;
    while (!dj_region_is_over(r) && !dj_context_stopped(context)) {
        dj_batch *batch = NULL;
        int err = dj_source_next(r->inner, context, &batch);
        if (!batch)
            return err;
        int filtered = filter(r, context, batch);
        if (filtered || (batch->count == 0 && batch->event_count == 0)) {
            dj_batch_release(batch);
            if (filtered || err)
                return filtered ? filtered : err;
            continue;
        }
        *out = batch;
        return err;
    }
    return DJ_OK;
}

static void progress(const void *state, dj_progress *out)
{
    dj_source_progress(((const dj_region *)state)->inner, out);
}

static const char *name(const void *state)
{
    return dj_source_name(((const dj_region *)state)->inner);
}

int dj_region_source(dj_context *context, dj_region *region, dj_source *inner, dj_source **out)
{
    static const dj_source_ops ops = {.next = next, .progress = progress, .name = name};
    region->inner = inner;
    return dj_source_create(context, &ops, region, dj_source_get_info(inner), out);
}
