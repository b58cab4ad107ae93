// SPDX-License-Identifier: MIT
#include "reorder/computation.h"

#include <stdlib.h>

#include "base/dictionary.h"
#include "base/grow.h"
#include "base/text.h"
#include "reorder/calls.h"
#include "reorder/scalars.h"
#include "reorder/site_lines.h"

enum { SCALAR_BYTES = 16 };

// Of a thread. A statement is in parts if it is interrupted by calls, or by other threads.
typedef struct runner {
    dj_calls calls;
    bool serial;     // keeps its order
    bool outside;    // in no statement
    bool was_serial; // since the last call or return
} runner;

typedef struct reader {
    const dj_computation_options *o;
    dj_computation *to;
    dj_nest_finder *finder;
    dj_dictionary elements;
    dj_scalars scalars;
    dj_dictionary thread_ids;
    runner *runners;
    size_t runner_count, runner_capacity;
    runner *at;
    dj_site_lines lines;
    uint32_t last_serial; // DJ_NONE: none
    uint64_t position;    // in the trace
    uint64_t repeated;    // uses that have been added again
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
        *g->at = (runner){.serial = true, .outside = true};
        err = dj_calls_create(&g->at->calls, context);
        g->runner_count++;
    }
    return err;
}

// Begins an instance of the current statement, or of an access in none.
static int begin_part(reader *g, dj_context *context)
{
    runner *r = g->at;
    dj_dataflow *flow = &g->to->flow;
    int err = dj_dataflow_begin(flow, context);
    if (!err)
        err = dj_calls_use_arguments(&r->calls, context, flow);
    if (!err && r->serial)
        err = dj_dataflow_follow(flow, context, g->last_serial);
    if (!err && (r->serial || r->calls.jumped))
        err = dj_calls_use_returned(&r->calls, context, flow);
    if (err)
        return err;
    dj_calls_top(&r->calls)->part = (uint32_t)flow->count - 1;
    return DJ_OK;
}

static int end_part(reader *g, dj_context *context, uint32_t instead)
{
    runner *r = g->at;
    const uint32_t part = dj_calls_top(&r->calls)->part;
    int err = DJ_OK;
    if (g->o->memory)
        err = dj_calls_add_live(&r->calls, context, part, r->serial ? g->last_serial : instead);
    g->last_serial = r->serial ? part : g->last_serial;
    return err;
}

static int use_word(reader *g, dj_context *context, dj_word_use use);

// An access stands for all of its statement to that element, so the parts before and after a call use it.
// What is written long after it was read is recorded as read (docs/statements.md).
static int repeat_uses(reader *g, dj_context *context, uint32_t before)
{
    enum { REPEATED_MOST = 1 << 26, REPEATED_SHARE = 4 };
    dj_dataflow *d = &g->to->flow;
    dj_calls *calls = &g->at->calls;
    const bool late = g->position - dj_calls_top(calls)->position >= DJ_BATCH_CAPACITY;
    int err = DJ_OK;
    g->repeated += d->first_use[before + 1] - d->first_use[before];
    if (g->repeated > REPEATED_MOST && g->repeated / REPEATED_SHARE > g->position)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "a statement with %u accesses is interrupted too often by calls or other threads",
                       d->first_use[before + 1] - d->first_use[before]);
    for (uint32_t use = d->first_use[before]; !err && use < d->first_use[before + 1]; use++)
        if (!dj_use_is_repeated(d, before, use))
            err = dj_dataflow_use(
                d, context, dj_use_element(d, use),
                late ? DJ_USE_READS | DJ_USE_WRITES : d->uses[use] & (DJ_USE_READS | DJ_USE_WRITES), 0);
    for (size_t i = dj_calls_top(calls)->first_word; !err && i < calls->word_count; i++) {
        const dj_word_use *word = &calls->words[i];
        err = use_word(g, context,
                       (dj_word_use){word->address, word->bytes, word->reads || late, word->writes || late});
    }
    return err;
}

// The current statement continues after a call or another thread.
static int go_on(reader *g, dj_context *context)
{
    dj_dataflow *flow = &g->to->flow;
    dj_calls *calls = &g->at->calls;
    const uint32_t before = dj_calls_top(calls)->part;
    int err = begin_part(g, context);
    if (!err)
        err = dj_dataflow_follow(flow, context, before);
    if (!err)
        err = dj_calls_use_returned(calls, context, flow);
    if (!err)
        err = repeat_uses(g, context, before);
    flow->nest[flow->count - 1] = flow->nest[before];
    return err ? err : end_part(g, context, before);
}

// Where an instance begins in the code.
typedef struct position {
    uint32_t site, cct_node;
} position;

// A statement that is written on several lines goes back to an earlier one. So does the head of a loop after
// its body, but no statement goes on from one iteration to the next.
static int follow_lines(reader *g, dj_context *context, uint32_t site)
{
    dj_calls *calls = &g->at->calls;
    dj_active_call *top = dj_calls_top(calls);
    dj_site_line at;
    int err = dj_site_lines_get(&g->lines, context, site, &at);
    if (err)
        return err;
    const uint32_t last = top->line;
    const uint64_t offset = at.line ? g->o->located->sites[site].offset : 0;
    // The rest of a statement whose beginning is in the same loop is not the head of that loop.
    const bool is_head = at.is_head && !dj_calls_has_line(calls, at.line, at.loop);
    const bool repeats = is_head || offset <= top->offset;
    top->line = at.line;
    top->loop = at.loop;
    top->is_void = at.is_void;
    top->offset = offset;
    if (repeats)
        calls->live_count = top->first_live;
    else if (at.line < last && !at.is_whole)
        return dj_calls_use_live(calls, context, &g->to->flow, dj_calls_find_line(calls, at.line));
    return DJ_OK;
}

static int begin_new(reader *g, dj_context *context, uint64_t number, position at)
{
    dj_dataflow *flow = &g->to->flow;
    runner *r = g->at;
    dj_active_call *top = dj_calls_top(&r->calls);
    const bool from_serial = r->was_serial;
    r->was_serial = r->serial;
    top->statement = number;
    top->position = g->position;
    r->calls.word_count = top->first_word;
    int err = begin_part(g, context);
    if (!err && from_serial)
        err = dj_dataflow_follow(flow, context, g->last_serial);
    if (!err && g->o->memory)
        err = follow_lines(g, context, at.site);
    top->first_returned = SIZE_MAX;
    if (!err)
        err = end_part(g, context, DJ_NONE);
    return err ? err
               : dj_nest_finder_next(g->finder, context, at.site, at.cct_node, &flow->nest[flow->count - 1]);
}

static int begin_statement(reader *g, dj_context *context, const dj_event *event, position at)
{
    runner *r = g->at;
    const dj_active_call *top = dj_calls_top(&r->calls);
    if (event->c == DJ_STATEMENT_OUTSIDE) {
        r->serial = r->outside = r->was_serial = true;
        return DJ_OK;
    }
    r->serial = event->c == DJ_STATEMENT_OPTIMIZED || (g->o->memory && event->c == DJ_STATEMENT_ANNOTATED);
    r->outside = false;
    if (top->part == DJ_NONE || top->statement != event->b)
        return begin_new(g, context, event->b, at);
    return top->part == g->to->flow.count - 1 ? DJ_OK : go_on(g, context);
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
    runner *r = g->at;
    switch (event->type) {
    case DJ_EVENT_THREAD:
        return switch_thread(g, context, event->a);
    case DJ_EVENT_STATEMENT:
        return begin_statement(g, context, event, find_position(g, batch, i, event));
    case DJ_EVENT_CALL:
        r->was_serial = false;
        return dj_calls_enter(&r->calls, context, event->c, g->to->flow.count);
    case DJ_EVENT_RETURN:
        r->was_serial = !dj_calls_leave(&r->calls, event->c) && r->was_serial;
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

// What is in the frame of a call, and older, is of a call that has returned.
static int use_word(reader *g, dj_context *context, dj_word_use use)
{
    const dj_active_call *top = dj_calls_top(&g->at->calls);
    dj_dataflow *flow = &g->to->flow;
    uint32_t before[DJ_WORD_BYTES];
    int err = dj_scalars_use(&g->scalars, context, use.address, use.bytes,
                             use.writes ? (uint32_t)flow->count - 1 : DJ_NONE, before);
    for (unsigned i = 0; !err && use.reads && i < use.bytes; i++)
        if (use.address >= top->sp || before[i] >= top->first)
            err = dj_dataflow_follow(flow, context, before[i]);
    return err;
}

// An access to memory.
typedef struct access {
    uint64_t address, size;
    uint8_t kind;
    uint32_t place;
    bool counts;
} access;

// Where a statement both reads and writes, `site` is what does so first.
static int use_scalar(reader *g, dj_context *context, const access *a, uint32_t site)
{
    const uint64_t end = a->address + (a->size ? a->size : 1);
    dj_site_line at = {0};
    int err = a->kind == DJ_KIND_MODIFY ? dj_site_lines_get(&g->lines, context, site, &at) : DJ_OK;
    const bool reads = a->kind == DJ_KIND_READ || (a->kind == DJ_KIND_MODIFY && !at.stores);
    g->to->scalar_accesses++;
    for (uint64_t from = a->address, to; !err && from < end; from = to) {
        to = (from / DJ_WORD_BYTES + 1) * DJ_WORD_BYTES;
        to = to < end ? to : end;
        const dj_word_use use = {from, (uint8_t)(to - from), reads, a->kind != DJ_KIND_READ};
        err = use_word(g, context, use);
        if (!err && !g->at->outside)
            err = dj_calls_add_word(&g->at->calls, context, use);
    }
    return err;
}

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
    const uint32_t part = dj_calls_top(&g->at->calls)->part;
    const bool first = a->counts && g->counted != part;
    g->counted = a->counts ? part : g->counted;
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

static int begin_outside(reader *g, dj_context *context)
{
    int err = begin_part(g, context);
    if (err)
        return err;
    g->to->flow.nest[g->to->flow.count - 1] = dj_nest_finder_current(g->finder);
    return end_part(g, context, DJ_NONE);
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
    const uint32_t part = dj_calls_top(&r->calls)->part;
    if (r->outside || part == DJ_NONE)
        err = begin_outside(g, context);
    else if (part != g->to->flow.count - 1)
        err = go_on(g, context);
    g->position++;
    if (err)
        return err;
    const access a = {column->address[i], size, kind, column->place[i],
                      dj_region_counts(g->o->region, column->place[i])};
    return is_scalar(g, place) ? use_scalar(g, context, &a, column->site ? column->site[i] : UINT32_MAX)
                               : use_data(g, context, &a);
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
        err = dj_scalars_create(&g->scalars, context);
    return err ? err : switch_thread(g, context, 0);
}

static void destroy(reader *g)
{
    dj_dataflow_end(&g->to->flow);
    dj_nest_finder_destroy(g->finder);
    dj_dictionary_destroy(&g->elements);
    dj_dictionary_destroy(&g->thread_ids);
    dj_scalars_destroy(&g->scalars);
    for (size_t i = 0; i < g->runner_count; i++)
        dj_calls_destroy(&g->runners[i].calls);
    free(g->runners);
    dj_site_lines_free(&g->lines);
}

int dj_computation_read(dj_context *context, const dj_computation_options *options, dj_source *source,
                        dj_computation *out)
{
    *out = (dj_computation){0};
    reader g = {.o = options, .to = out, .last_serial = DJ_NONE, .counted = DJ_NONE};
    g.lines = (dj_site_lines){.located = options->located, .symbols = options->symbols};
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
    if (err == DJ_ERR_INPUT && out->accesses > 0)
        err = dj_copy_text(context, dj_context_message(context), &out->partial_reason);
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
    free(computation->partial_reason);
    computation->partial_reason = NULL;
    dj_dataflow_destroy(&computation->flow);
    dj_nests_free(&computation->nests);
}
