// SPDX-License-Identifier: MIT
// The driver: reads batches from a source, sends them through the lanes, and shows them to the
// observers when all lanes have answered.
#include "pipeline/state.h"

#include <string.h>

static int show(dj_pipeline *p, dj_context *context, enum dj_showing how, const dj_view *view)
{
    p->submitted += how == (p->seen ? DJ_SHOW_SEE : DJ_SHOW_WATCH);
    return p->observer_threads ? dj_observer_threads_submit(p->observer_threads, context, how, view)
                               : dj_show(context, p->observers, p->config.observer_count, how, view);
}

// Lets the lanes reuse the memory of batches that the observers have seen.
static void pop_seen(dj_pipeline *p)
{
    uint64_t done = p->observer_threads ? dj_observer_threads_done(p->observer_threads) : p->submitted;
    // Observers that only watch may finish a batch before the engine does, and do not see every batch.
    // So `done` is a lower bound, unless everything submitted is done.
    for (; p->popped < p->shown && (p->popped < done || done == p->submitted); p->popped++) {
        for (uint32_t i = 0; i < p->lane_count; i++)
            dj_lane_pop(p->lanes[i]);
        for (uint32_t i = 0; i < p->group_count; i++)
            if (dj_group_is_selective(p->groups[i]))
                dj_group_pop(p->groups[i]);
    }
}

static bool any_cold(const dj_view *view)
{
    for (uint32_t lane = 0; lane < view->lane_count; lane++)
        for (uint32_t i = 0; i < view->batch->count; i++)
            if (view->lanes[lane].distance[i] == DJ_COLD)
                return true;
    return false;
}

// Keeps accesses pending that may turn out to be reuses of data of an earlier part, and shows the
// others.
static int keep_pending(dj_pipeline *p, dj_context *context, const dj_view *view)
{
    dj_delivery delivery;
    int err = dj_pipeline_deliver(p, context, &delivery);
    if (err)
        return err;
    uint32_t columns = dj_batch_columns(view->batch) & DJ_PENDING_COLUMNS;
    dj_pending_access access = {.answers = p->answers};
    // Nearly all accesses are outside the sample.
    const uint8_t *sample =
        p->group_count == 1 && view->lanes[0].weight_log2 > 0 ? view->lanes[0].verdict : NULL;
    for (uint32_t i = 0; !err && i < view->batch->count; i++) {
        if (sample && sample[i] == DJ_VERDICT_UNSAMPLED)
            continue;
        dj_pending_from_view(view, i, &access);
        if (dj_pending_is_open(&p->pending, &access))
            err = dj_pending_add(&p->pending, context, &access, columns);
        else
            err = dj_delivery_add(&delivery, context, &access, columns);
    }
    if (!err)
        err = dj_delivery_flush(&delivery, context);
    dj_delivery_end(&delivery);
    return err;
}

// Shows every batch that all lanes have answered.
static int show_answered(dj_pipeline *p, dj_context *context)
{
    for (;;) {
        bool ready = p->lane_count > 0;
        for (uint32_t i = 0; ready && i < p->lane_count; i++) {
            int err = dj_lane_ready(p->lanes[i], context, &ready);
            if (err)
                return err;
        }
        if (!ready)
            return DJ_OK;
        dj_view view = {.lanes = p->views, .lane_count = p->lane_count, .in_order = !p->config.summarize};
        for (uint32_t i = 0; i < p->lane_count; i++)
            view.batch = dj_lane_show(p->lanes[i], &p->views[i]);
        int err = DJ_OK;
        if (p->config.summarize && any_cold(&view))
            err = keep_pending(p, context, &view);
        else if (p->seen)
            err = show(p, context, DJ_SHOW_SEE, &view);
        p->shown++;
        pop_seen(p);
        if (err)
            return err;
    }
}

// If all groups ignore the rest of the trace, drops the accesses and events that follow the last one
// that counts.
static void trim_ended(dj_pipeline *p, dj_batch *pieces)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < p->group_count; i++) {
        uint32_t from;
        if (!dj_group_is_selective(p->groups[i]) || !dj_group_ended(p->groups[i], &from))
            return;
        end = from > end ? from : end;
    }
    p->ended = true;
    pieces->count = end < pieces->count ? end : pieces->count;
    while (pieces->event_count > 0 && pieces->events[pieces->event_count - 1].index > pieces->count)
        pieces->event_count--;
}

static int judge(dj_pipeline *p, dj_context *context, dj_batch *pieces)
{
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < p->group_count; i++)
        if (dj_group_is_selective(p->groups[i]))
            err = dj_group_judge(p->groups[i], context, pieces, &p->selections[i]);
    if (!err)
        trim_ended(p, pieces);
    return err;
}

// Passes a batch to the lanes and to the observers that watch. Takes ownership of the reference.
static int pass(dj_pipeline *p, dj_context *context, dj_batch *batch, enum dj_group_from from)
{
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < p->group_count; i++)
        if (dj_group_is_selective(p->groups[i]))
            err = dj_group_select(p->groups[i], context, from, &p->selections[i]);
    for (uint32_t i = 0; !err && i < p->lane_count; i++)
        err = dj_lane_take(p->lanes[i], context, batch, p->selections[p->positions[i].group], &p->views[i]);
    for (uint32_t i = 0; !err && i < p->lane_count; i++)
        err = dj_lane_push(p->lanes[i], context);
    if (!err) {
        dj_view view = {.batch = batch,
                        .lanes = p->views,
                        .lane_count = p->lane_count,
                        .in_order = true,
                        .complete = from == DJ_GROUP_JUDGED};
        if (p->watches == UINT32_MAX || p->watches & dj_batch_columns(batch))
            err = show(p, context, DJ_SHOW_WATCH, &view);
    }
    dj_batch_release(batch);
    return err ? err : show_answered(p, context);
}

// Passes on what has been gathered.
static int pass_condensed(dj_pipeline *p, dj_context *context)
{
    dj_batch *batch = dj_condenser_take(&p->condenser);
    return batch ? pass(p, context, batch, DJ_GROUP_KEPT) : DJ_OK;
}

static bool needs_all(const dj_pipeline *p, const dj_batch *batch)
{
    bool needed = false;
    for (size_t i = 0; i < p->config.observer_count; i++) {
        const dj_observer *o = &p->observers[i];
        needed |= o->ops->needs_all && o->ops->needs_all(o->state, batch);
    }
    return needed;
}

static int keep(dj_pipeline *p, dj_context *context, const dj_batch *pieces)
{
    int err = dj_condenser_has_room(&p->condenser, pieces) ? DJ_OK : pass_condensed(p, context);
    if (!err)
        err = dj_condenser_add(&p->condenser, context, p->pool, pieces);
    for (uint32_t i = 0; !err && i < p->group_count; i++)
        err = dj_group_keep(p->groups[i], context, p->condenser.at, p->condenser.kept);
    return err;
}

// With fixed memory: lowers the rate if the lanes are full. What was selected at the higher rate comes first.
static int make_room(dj_pipeline *p, dj_context *context)
{
    int err = dj_pipeline_is_full(p) ? pass_condensed(p, context) : DJ_OK;
    return err ? err : dj_pipeline_thin(p, context);
}

static int meet(dj_pipeline *p, dj_context *context, const dj_batch *pieces)
{
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < p->group_count; i++)
        if (dj_group_is_selective(p->groups[i]))
            err = dj_group_meet(p->groups[i], context, pieces);
    return err;
}

// Pushes one batch of pieces, each of which lies within one block. Takes ownership of the reference.
static int push_pieces(dj_pipeline *p, dj_context *context, dj_batch *pieces)
{
    pieces->first = p->accesses;
    dj_pipeline_note_events(p, pieces);
    int err = meet(p, context, pieces); // new partitions need room, too
    if (!err)
        err = make_room(p, context);
    if (!err)
        err = judge(p, context, pieces);
    p->accesses += err ? 0 : pieces->count;
    if (!err && !needs_all(p, pieces) && dj_condenser_find(&p->condenser, p->selections, p->group_count)) {
        err = keep(p, context, pieces);
        dj_batch_release(pieces);
        return err;
    }
    if (!err)
        err = pass_condensed(p, context);
    if (!err)
        return pass(p, context, pieces, DJ_GROUP_JUDGED);
    dj_batch_release(pieces);
    return err;
}

static uint32_t requests_in(const dj_batch *pieces)
{
    uint32_t count = pieces->column.continuation ? 0 : pieces->count;
    for (uint32_t i = 0; pieces->column.continuation && i < pieces->count; i++)
        count += !pieces->column.continuation[i];
    return count;
}

static int push_batch(dj_pipeline *p, dj_context *context, dj_batch *batch)
{
    uint64_t requests = p->requests; // already pushed
    p->requests += batch->count;
    dj_splitter_feed(&p->splitter, batch);
    for (;;) {
        dj_batch *pieces;
        int bad = dj_splitter_next(&p->splitter, context, p->pool, &pieces);
        if (!pieces)
            return bad;
        dj_batch_retain(pieces);
        int err = push_pieces(p, context, pieces);
        requests += requests_in(pieces);
        dj_batch_release(pieces);
        if (p->ended) {
            p->requests = requests;
            dj_splitter_reset(&p->splitter);
        }
        if (bad || err || p->ended)
            return err ? err : p->ended ? DJ_OK : bad;
        // One request can consist of billions of pieces.
        if (dj_context_stopped(context))
            return dj_fail(context, DJ_ERR_STOPPED, "interrupted");
    }
}

// After other errors there is no partial result.
static bool leaves_result(int err)
{
    return !err || err == DJ_ERR_INPUT || err == DJ_ERR_STOPPED;
}

// The latest error counts. Bad input is that of the source.
static int with_error(dj_context *context, const dj_source *source, int err, int second)
{
    if (second == DJ_ERR_INPUT)
        dj_fail_within(context, second, "%s", dj_source_name(source));
    return second ? second : err;
}

// Releases all batches from the engines, even after an error. What they answered counts.
static int end_run(dj_pipeline *p, dj_context *context, int err)
{
    dj_splitter_reset(&p->splitter);
    bool fatal = !leaves_result(err);
    dj_batch_release(dj_condenser_take(&p->condenser)); // after an error
    for (uint32_t i = 0; i < p->lane_count; i++) {
        int drained = dj_lane_drain(p->lanes[i], context);
        fatal = fatal || drained;
        err = err ? err : drained;
    }
    if (!fatal) {
        int shown = show_answered(p, context);
        err = shown ? shown : err;
    }
    int stopped = dj_observer_threads_stop(p->observer_threads, context);
    p->observer_threads = NULL;
    for (uint32_t i = 0; i < p->lane_count; i++)
        dj_lane_abandon(p->lanes[i]);
    for (uint32_t i = 0; i < p->group_count; i++)
        dj_group_abandon(p->groups[i]);
    return stopped ? stopped : err;
}

static int start_observer_threads(dj_pipeline *p, dj_context *context)
{
    const dj_setup setup = dj_pipeline_setup(p);
    const dj_observer_threads_config config = {.setup = &setup,
                                               .observers = p->observers,
                                               .observer_count = p->config.observer_count,
                                               .threads = p->config.observer_threads,
                                               .last = p->seen ? DJ_SHOW_SEE : DJ_SHOW_WATCH};
    return dj_observer_threads_start(context, &config, &p->observer_threads);
}

int dj_pipeline_run(dj_pipeline *p, dj_context *context, dj_source *source)
{
    if (p->sealed)
        return dj_fail(context, DJ_ERR_USAGE, "a pipeline that was joined cannot run again");
    int err = DJ_OK;
    p->shown = p->popped = p->submitted = 0;
    p->paused = false;
    // With `summarize` most accesses are held back here, so additional threads would have little to do.
    if (p->config.observer_threads && !p->config.summarize && (p->watches || p->seen))
        err = start_observer_threads(p, context);
    while (!err && !p->ended) {
        dj_batch *batch = NULL;
        err = dj_source_next(source, context, &batch);
        if (batch && leaves_result(err))
            err = with_error(context, source, err, push_batch(p, context, batch));
        if (!err && dj_context_stopped(context))
            err = dj_fail(context, DJ_ERR_STOPPED, "interrupted");
        if (!batch)
            break;
        if (p->config.on_progress) {
            dj_progress progress;
            dj_source_progress(source, &progress);
            p->config.on_progress(p->config.user, &progress, p->accesses);
        }
        p->paused = !err && p->config.pause && p->config.pause(p->config.user);
        if (p->paused)
            break;
    }
    if (leaves_result(err))
        err = with_error(context, source, err, pass_condensed(p, context));
    if (err && !p->partial_reason && !(p->partial_reason = strdup(dj_context_message(context))))
        err = dj_fail_memory(context, "the reason of an error", 0);
    return end_run(p, context, err);
}

bool dj_pipeline_is_paused(const dj_pipeline *p)
{
    return p->paused;
}
