// SPDX-License-Identifier: MIT
// The threads of one trace, stored separately and merged in any number of orders.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/sharers/edges.h"
#include "trace/sharers/merge.h"
#include "trace/sharers/schedule.h"
#include "trace/sharers/speeds.h"
#include "trace/sharers/store.h"
#include "trace/sharers/thread_list.h"

struct dj_stored_threads {
    dj_source_info info;
    enum dj_interleaving order; // that the threads were stored for
    dj_thread_list list;
    uint32_t *rows; // of the sharers in the store
    dj_store *store;
    dj_waits *waits; // NULL: this order has none
    uint32_t last;   // sharer whose accesses came last, before the list is sorted
    char *fault;     // bad input after the last access; NULL: the trace is complete
};

void dj_stored_threads_release(dj_stored_threads *t)
{
    if (!t)
        return;
    dj_waits_release(t->waits);
    dj_store_release(t->store);
    dj_thread_list_destroy(&t->list);
    free(t->rows);
    free(t->fault);
    free(t);
}

// In the recorded order, each run of a thread waits for the one before it.
static int follow(dj_stored_threads *t, dj_context *context, const dj_thread_run *run)
{
    const dj_sharer *own = &t->list.sharers[run->sharer], *before = &t->list.sharers[t->last];
    const dj_wait wait = {
        .at = own->accesses - (run->to - run->from), .accesses = before->accesses, .thread = t->last};
    t->last = run->sharer;
    return own == before ? DJ_OK : dj_waits_add(t->waits, context, run->sharer, &wait);
}

static int store_batch(dj_stored_threads *t, dj_context *context, const dj_batch *batch, const char *trace)
{
    dj_thread_run run = {0};
    bool more = true;
    int err = DJ_OK;
    while (!err && more) {
        err = dj_thread_list_next(&t->list, context, batch, trace, &run, &more);
        if (!err && more)
            err = dj_store_add(t->store, context, run.sharer, batch, run.from, run.to);
        if (!err && more && t->order == DJ_INTERLEAVE_RECORDED)
            err = follow(t, context, &run);
    }
    return err;
}

static void report_progress(const dj_store_progress *to, const dj_source *source, uint64_t accesses)
{
    dj_progress progress;
    if (!to || !to->report)
        return;
    dj_source_progress(source, &progress);
    to->report(to->user, &progress, accesses);
}

// Reads a trace to its end, or to where it is damaged.
static int store_all(dj_stored_threads *t, dj_context *context, dj_source *source,
                     const dj_store_progress *progress, dj_edges *edges)
{
    int err = DJ_OK;
    uint64_t accesses = 0;
    dj_batch *batch = NULL;
    while (!err && (err = dj_source_next(source, context, &batch)) == DJ_OK && batch) {
        err = store_batch(t, context, batch, dj_source_name(source));
        if (!err && edges)
            err = dj_edges_see(edges, context, batch, dj_source_name(source));
        report_progress(progress, source, accesses += batch->count);
        dj_batch_release(batch);
        batch = NULL;
        if (!err && dj_context_stopped(context))
            break;
    }
    if (!err && dj_context_stopped(context))
        err = dj_fail(context, DJ_ERR_STOPPED, "stopped before the end of the trace");
    if (err == DJ_ERR_INPUT && t->list.count > 0)
        err = dj_copy_text(context, dj_context_message(context), &t->fault);
    if (!err && t->list.count == 0)
        err = dj_fail(context, DJ_ERR_INPUT, "%s has no accesses", dj_source_name(source));
    return err ? err : dj_store_finish(t->store, context);
}

// Sorts the sharers. The edges number threads as they appear, the store and the runs as they make their first
// accesses.
static int finish_list(dj_stored_threads *t, dj_context *context, const dj_edges *edges)
{
    const uint32_t sharers = (uint32_t)t->list.count, seen = edges ? dj_edges_threads(edges) : sharers;
    uint32_t *numbers = calloc((size_t)(seen > sharers ? seen : sharers) + 1, sizeof *numbers);
    t->rows = calloc((size_t)sharers + 1, sizeof *t->rows);
    int err = numbers && t->rows ? DJ_OK : dj_fail_memory(context, "the threads of a trace", 0);
    if (!err)
        dj_thread_list_sort(&t->list, numbers);
    for (uint32_t i = 0; !err && i < sharers; i++)
        t->rows[numbers[i]] = i;
    if (!err && edges) {
        memset(numbers, 0xff, (size_t)seen * sizeof *numbers);
        for (uint32_t i = 0; i < sharers; i++)
            numbers[dj_edges_number(edges, t->list.sharers[i].thread)] = i;
    }
    if (!err && t->waits)
        err = dj_waits_finish(t->waits, context, numbers, seen, sharers);
    free(numbers);
    return err;
}

static int store(dj_stored_threads *t, dj_context *context, dj_source *source,
                 const dj_store_progress *progress)
{
    dj_edges *edges = NULL;
    int err = DJ_OK;
    if (t->order == DJ_INTERLEAVE_SCHEDULE || t->order == DJ_INTERLEAVE_RECORDED)
        err = dj_waits_create(context, t->store, &t->waits);
    if (!err && t->order == DJ_INTERLEAVE_SCHEDULE)
        err = dj_edges_create(context, dj_source_get_info(source), t->waits, &edges);
    if (!err)
        err = store_all(t, context, source, progress, edges);
    if (!err)
        err = finish_list(t, context, edges);
    dj_edges_destroy(edges);
    return err;
}

int dj_stored_threads_read(dj_context *context, dj_source *source, enum dj_interleaving order,
                           const dj_store_progress *progress, dj_stored_threads **out)
{
    dj_stored_threads *t = calloc(1, sizeof *t);
    if (!t)
        return dj_fail_memory(context, "the threads of a trace", sizeof *t);
    t->order = order;
    t->info = *dj_source_get_info(source);
    t->info.columns &= DJ_STORE_COLUMNS;
    int err = dj_thread_list_create(context, &t->list);
    if (!err)
        err = dj_store_create(context, dj_source_name(source), &t->store);
    if (!err)
        err = store(t, context, source, progress);
    if (err)
        dj_stored_threads_release(t);
    else
        *out = t;
    return err;
}

uint64_t dj_stored_threads_waits(const dj_stored_threads *t)
{
    return t->order == DJ_INTERLEAVE_SCHEDULE ? dj_waits_count(t->waits) : 0;
}

static int copy_sharers(dj_context *context, const dj_thread_list *list, dj_sharer **out)
{
    dj_sharer *copy = calloc(list->count, sizeof *copy);
    int err = copy ? DJ_OK : dj_fail_memory(context, "the threads of a trace", 0);
    for (size_t i = 0; !err && i < list->count; i++) {
        copy[i].thread = list->sharers[i].thread;
        err = dj_copy_text(context, list->sharers[i].name, &copy[i].name);
    }
    if (err)
        dj_sharers_free(copy, copy ? list->count : 0);
    else
        *out = copy;
    return err;
}

static int open_threads(dj_stored_threads *t, dj_context *context, dj_source **sources, size_t *opened)
{
    int err = DJ_OK;
    while (!err && *opened < t->list.count) {
        err = dj_store_open(t->store, context, t->rows[*opened], &t->info, &sources[*opened]);
        *opened += !err;
    }
    return err;
}

static int make_schedule(dj_stored_threads *t, dj_context *context, const dj_interleave_options *options,
                         const uint64_t *speeds, dj_schedule **out)
{
    uint64_t *accesses = calloc(t->list.count, sizeof *accesses);
    if (!accesses)
        return dj_fail_memory(context, "the threads of a trace", 0);
    for (uint32_t i = 0; i < t->list.count; i++)
        accesses[i] = dj_store_accesses(t->store, t->rows[i]);
    const bool recorded = options->order == DJ_INTERLEAVE_RECORDED; // only one thread can run at a time
    const dj_schedule_config config = {.count = (uint32_t)t->list.count,
                                       .speeds = speeds,
                                       .accesses = accesses,
                                       .quantum = recorded           ? UINT64_MAX
                                                  : options->quantum ? options->quantum
                                                                     : DJ_QUANTUM_DEFAULT,
                                       .seed = options->seed,
                                       .waits = t->waits};
    int err = dj_schedule_create(context, &config, out);
    free(accesses);
    return err;
}

// Everything that a merge takes.
typedef struct parts {
    dj_sharer *sharers;
    dj_source **sources;
    size_t opened;
    uint64_t *speeds;
    dj_schedule *schedule;
} parts;

static int prepare(dj_stored_threads *t, dj_context *context, const dj_interleave_options *options, parts *p)
{
    size_t count = t->list.count;
    const bool recorded = options->order == DJ_INTERLEAVE_RECORDED;
    const bool waits = recorded || options->order == DJ_INTERLEAVE_SCHEDULE;
    if (waits && options->order != t->order)
        return dj_fail(context, DJ_ERR_USAGE, "the threads were stored without what they wait for");
    p->sources = calloc(count, sizeof *p->sources);
    p->speeds = calloc(count, sizeof *p->speeds);
    int err = p->sources && p->speeds ? copy_sharers(context, &t->list, &p->sharers)
                                      : dj_fail_memory(context, "the threads of a trace", 0);
    if (!err)
        err = dj_speeds_choose(context, options, p->sharers, count, p->speeds);
    if (!err)
        err = open_threads(t, context, p->sources, &p->opened);
    for (size_t i = 0; !err && recorded && i < count; i++)
        p->sharers[i].speed = 0;
    if (!err && waits)
        err = make_schedule(t, context, options, p->speeds, &p->schedule);
    return err;
}

int dj_stored_threads_open(dj_context *context, dj_stored_threads *t, const dj_interleave_options *options,
                           dj_source **out)
{
    size_t count = t->list.count;
    parts p = {0};
    int err = prepare(t, context, options, &p);
    if (!err) {
        const dj_merge merge = {.info = &t->info,
                                .order = options->order,
                                .speeds = p.speeds,
                                .seed = options->seed,
                                .schedule = p.schedule,
                                .fault = t->fault};
        err = dj_merge_sources(context, &merge, p.sources, p.sharers, (uint32_t)count, out);
        p.opened = 0;
        p.sharers = NULL;
        p.schedule = NULL;
    }
    for (size_t i = 0; i < p.opened; i++)
        dj_source_close(p.sources[i]);
    dj_schedule_destroy(p.schedule);
    dj_sharers_free(p.sharers, count);
    free(p.speeds);
    free(p.sources);
    return err;
}
