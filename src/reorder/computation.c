// SPDX-License-Identifier: MIT
#include "reorder/computation.h"

#include <stdlib.h>

#include "base/dictionary.h"
#include "base/grow.h"

enum { SCALAR_BYTES = 16, WORD = 4 };

// A statement that made a call which has not returned.
typedef struct caller {
    uint64_t sp, statement;
    uint32_t part;
} caller;

// Of a thread. A statement is in parts if it is interrupted by calls, or by other threads.
typedef struct runner {
    uint64_t statement; // number of the instance; 0: none
    uint32_t part;      // the last one, of this or a callee's statement; DJ_NONE
    uint32_t site;
    bool begun;       // `part` belongs to `statement`, and goes on
    bool serial;      // keeps its order
    bool outside;     // in no statement
    uint32_t calling; // the part that made the call whose callee runs next; DJ_NONE
    caller returned;  // the call that returned last; statement 0: none
    caller *callers;
    size_t caller_count, caller_capacity;
} runner;

typedef struct reader {
    const dj_computation_options *o;
    dj_computation *to;
    dj_nest_finder *finder;
    dj_dictionary elements;
    dj_map words; // of scalars: address → instance + 1 that wrote it last
    dj_footprint footprint;
    dj_dictionary thread_ids;
    runner *runners;
    size_t runner_count, runner_capacity;
    runner *at;
    uint32_t last_serial; // DJ_NONE: none
    uint32_t counted;     // the last instance that counts; DJ_NONE
} reader;

static int switch_thread(reader *g, dj_context *context, uint64_t id)
{
    uint32_t number;
    bool fresh;
    int err = dj_dictionary_value(&g->thread_ids, context, id, &number, &fresh);
    if (!err)
        err = dj_grow(context, "the threads", &g->runners, &g->runner_capacity, (size_t)number + 1,
                      sizeof *g->runners);
    if (err)
        return err;
    g->at = &g->runners[number];
    if (fresh) {
        *g->at = (runner){.part = DJ_NONE, .calling = DJ_NONE, .serial = true, .outside = true};
        g->runner_count++;
    }
    return DJ_OK;
}

// Begins an instance of the current statement, or of an access in none.
static int begin_part(reader *g, dj_context *context)
{
    runner *r = g->at;
    dj_dataflow *flow = &g->to->flow;
    int err = dj_dataflow_begin(flow, context);
    if (!err)
        err = dj_dataflow_follow(flow, context, r->calling);
    if (!err && r->serial)
        err = dj_dataflow_follow(flow, context, g->last_serial);
    if (err)
        return err;
    r->calling = DJ_NONE;
    r->part = (uint32_t)flow->count - 1;
    g->last_serial = r->serial ? r->part : g->last_serial;
    return DJ_OK;
}

// Where an instance begins in the code.
typedef struct position {
    uint32_t site, cct_node;
} position;

static int begin_statement(reader *g, dj_context *context, const dj_event *event, position at)
{
    dj_dataflow *flow = &g->to->flow;
    runner *r = g->at;
    if (event->c == DJ_STATEMENT_OUTSIDE) {
        r->statement = 0;
        r->begun = false;
        r->serial = r->outside = true;
        return DJ_OK;
    }
    const bool goes_on = r->returned.statement != 0 && r->returned.statement == event->b;
    const uint32_t callee = r->part, before = goes_on ? r->returned.part : DJ_NONE;
    if (r->begun && r->statement == event->b && !goes_on)
        return DJ_OK;
    r->statement = event->b;
    r->serial = event->c == DJ_STATEMENT_OPTIMIZED || (g->o->memory && event->c == DJ_STATEMENT_ANNOTATED);
    r->outside = false;
    r->begun = true;
    r->returned.statement = 0;
    int err = begin_part(g, context);
    if (!err && goes_on)
        err = dj_dataflow_follow(flow, context, before);
    if (!err && goes_on)
        err = dj_dataflow_follow(flow, context, callee);
    return err ? err
               : dj_nest_finder_next(g->finder, context, at.site, at.cct_node, &flow->nest[flow->count - 1]);
}

static int call(reader *g, dj_context *context, uint64_t sp)
{
    runner *r = g->at;
    int err = dj_grow(context, "the calls", &r->callers, &r->caller_capacity, r->caller_count + 1,
                      sizeof *r->callers);
    if (err)
        return err;
    r->callers[r->caller_count++] = (caller){sp, r->statement, r->part};
    r->calling = r->part;
    return DJ_OK;
}

static void leave(runner *r, uint64_t sp)
{
    while (r->caller_count > 0 && r->callers[r->caller_count - 1].sp < sp)
        r->returned = r->callers[--r->caller_count];
    r->calling = DJ_NONE;
}

// The site of a statement by line tables is any one on its line; its first access is exact. Annotated
// statements may have no access.
static position find_position(const reader *g, const dj_batch *batch, uint32_t i, const dj_event *event)
{
    if (!g->o->memory || i == batch->count || !batch->column.site)
        return (position){(uint32_t)event->a, DJ_NOWHERE};
    const dj_place *place = dj_place_get(&g->o->located->places, batch->column.place[i]);
    return (position){batch->column.site[i], place->cct_node};
}

static int use_event(reader *g, dj_context *context, const dj_batch *batch, uint32_t i, const dj_event *event)
{
    switch (event->type) {
    case DJ_EVENT_THREAD:
        return switch_thread(g, context, event->a);
    case DJ_EVENT_STATEMENT:
        return begin_statement(g, context, event, find_position(g, batch, i, event));
    case DJ_EVENT_CALL:
        return call(g, context, event->c);
    case DJ_EVENT_RETURN:
        leave(g->at, event->c);
        return DJ_OK;
    default:
        return DJ_OK;
    }
}

static bool is_scalar(const reader *g, const dj_place *place)
{
    const dj_object_id *object = &g->o->located->objects[place->object];
    return g->o->memory && (object->kind == DJ_OBJECT_FRAME ||
                            (object->kind == DJ_OBJECT_LOCAL && object->bytes <= SCALAR_BYTES));
}

// A part of a word leaves the rest as it was.
static int use_word(reader *g, dj_context *context, uint64_t word, bool reads, bool writes)
{
    uint64_t *writer = dj_map_at(&g->words, context, word + 1);
    if (!writer)
        return DJ_ERR_MEMORY;
    const uint32_t before = *writer ? (uint32_t)(*writer - 1) : DJ_NONE;
    *writer = writes ? g->to->flow.count : *writer ? *writer : DJ_NONE + UINT64_C(1);
    return reads ? dj_dataflow_follow(&g->to->flow, context, before) : DJ_OK;
}

static int use_scalar(reader *g, dj_context *context, uint64_t address, uint64_t size, uint8_t kind)
{
    const uint64_t end = address + (size ? size : 1);
    int err = DJ_OK;
    g->to->scalar_accesses++;
    for (uint64_t word = address / WORD; !err && word <= (end - 1) / WORD; word++) {
        const bool partly = address > word * WORD || end < (word + 1) * WORD;
        err = use_word(g, context, word, kind != DJ_KIND_WRITE || partly, kind != DJ_KIND_READ);
    }
    return err;
}

// An access to data.
typedef struct access {
    uint64_t address, size;
    uint8_t kind;
    uint32_t place;
    bool counts;
} access;

static int use_block(reader *g, dj_context *context, uint64_t key, const access *a)
{
    static const unsigned uses[] = {[DJ_KIND_READ] = DJ_USE_READS,
                                    [DJ_KIND_WRITE] = DJ_USE_WRITES,
                                    [DJ_KIND_MODIFY] = DJ_USE_READS | DJ_USE_WRITES};
    const uint64_t block = g->o->block;
    // A part of a block leaves the rest as it was.
    const bool partly =
        g->o->memory && (a->address > key * block || a->address + a->size < (key + 1) * block);
    uint32_t element;
    bool fresh;
    int err = dj_dictionary_value(&g->elements, context, key, &element, &fresh);
    if (!err && fresh)
        err = dj_dataflow_add_element(&g->to->flow, context, key, &element);
    if (!err)
        err = dj_dataflow_use(&g->to->flow, context, element,
                              uses[a->kind] | (partly ? DJ_USE_READS : 0) | (a->counts ? DJ_USE_COUNTS : 0),
                              a->place);
    const bool first = a->counts && g->counted != g->at->part;
    g->counted = a->counts ? g->at->part : g->counted;
    g->to->instances += !err && first;
    g->to->accesses += !err && a->counts;
    g->to->in_order += !err && a->counts && g->at->serial;
    return err;
}

static int use_data(reader *g, dj_context *context, const access *a)
{
    const uint64_t end = g->o->memory && a->size ? a->address + a->size - 1 : a->address;
    int err = DJ_OK;
    for (uint64_t key = a->address / g->o->block; !err && key <= end / g->o->block; key++)
        err = use_block(g, context, key, a);
    return err;
}

static int use_access(reader *g, dj_context *context, const dj_batch *batch, uint32_t i)
{
    const dj_columns *column = &batch->column;
    const dj_place *place = dj_place_get(&g->o->located->places, column->place[i]);
    const uint8_t kind = column->kind ? column->kind[i] : DJ_KIND_READ;
    const uint64_t size = column->size ? column->size[i] : 0;
    runner *r = g->at;
    int err = DJ_OK;
    if (kind > DJ_KIND_MODIFY)
        return DJ_OK;
    if (r->outside || r->part != g->to->flow.count - 1) {
        const uint32_t before = r->outside ? DJ_NONE : r->part;
        err = begin_part(g, context);
        if (!err)
            err = dj_dataflow_follow(&g->to->flow, context, before);
        if (!err)
            g->to->flow.nest[r->part] = dj_nest_finder_current(g->finder);
    }
    if (err)
        return err;
    if (is_scalar(g, place))
        return use_scalar(g, context, column->address[i], size, kind);
    return use_data(g, context,
                    &(access){column->address[i], size, kind, column->place[i],
                              dj_region_counts(g->o->region, column->place[i])});
}

static int use_batch(reader *g, dj_context *context, const dj_batch *batch)
{
    uint32_t e = 0;
    int err = dj_region_extend(g->o->region, context);
    for (uint32_t i = 0; !err && i <= batch->count; i++) {
        for (; !err && e < batch->event_count && batch->events[e].index <= i; e++) {
            dj_region_follow(g->o->region, &batch->events[e]);
            err = use_event(g, context, batch, i, &batch->events[e]);
        }
        if (!err && i < batch->count)
            err = use_access(g, context, batch, i);
    }
    return err;
}

static void report(const reader *g, const dj_source *source)
{
    dj_progress progress;
    if (!g->o->on_progress)
        return;
    dj_source_progress(source, &progress);
    g->o->on_progress(g->o->user, &progress, g->to->accesses);
}

static int create(reader *g, dj_context *context)
{
    int err = dj_dataflow_create(&g->to->flow, context);
    if (!err)
        err = dj_nest_finder_create(context, g->o->located, g->o->symbols, &g->to->nests, &g->finder);
    if (!err)
        err = dj_dictionary_create(&g->elements, context);
    if (!err)
        err = dj_dictionary_create(&g->thread_ids, context);
    if (!err)
        err = dj_map_create(&g->words, context, &g->footprint, 0);
    return err ? err : switch_thread(g, context, 0);
}

static void destroy(reader *g)
{
    dj_dataflow_end(&g->to->flow);
    dj_nest_finder_destroy(g->finder);
    dj_dictionary_destroy(&g->elements);
    dj_dictionary_destroy(&g->thread_ids);
    dj_map_destroy(&g->words);
    for (size_t i = 0; i < g->runner_count; i++)
        free(g->runners[i].callers);
    free(g->runners);
}

int dj_computation_read(dj_context *context, const dj_computation_options *options, dj_source *source,
                        dj_computation *out)
{
    *out = (dj_computation){0};
    reader g = {.o = options, .to = out, .last_serial = DJ_NONE, .counted = DJ_NONE};
    int err = create(&g, context);
    while (!err) {
        dj_batch *batch = NULL;
        err = dj_source_next(source, context, &batch);
        if (!batch)
            break;
        const int used = use_batch(&g, context, batch);
        dj_batch_release(batch);
        report(&g, source);
        err = used ? used : err;
    }
    destroy(&g);
    if (!err)
        err = dj_nests_simplify(&out->nests, context, out->flow.nest, out->flow.count);
    if (!err && dj_context_stopped(context))
        err = dj_fail(context, DJ_ERR_STOPPED, "interrupted");
    if (err)
        dj_computation_free(out);
    return err;
}

void dj_computation_forget_dependences(dj_computation *computation)
{
    dj_dataflow_forget_links(&computation->flow);
    dj_nests_free(&computation->nests);
}

void dj_computation_free(dj_computation *computation)
{
    dj_dataflow_destroy(&computation->flow);
    dj_nests_free(&computation->nests);
}
