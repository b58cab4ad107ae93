// SPDX-License-Identifier: MIT
// From a batch to the questions for the engines of a lane, and from their answers
// to what observers see.
#include "base/grow.h"
#include "pipeline/lanes/lane_state.h"

#include <stdlib.h>

static const uint64_t *batch_times(dj_job *j)
{
    const dj_batch *batch = j->batch;
    if (j->selection)
        return j->selection->time;
    if (batch->column.time)
        return batch->column.time;
    for (uint32_t i = 0; i < batch->count; i++)
        j->time[i] = batch->first + i;
    return j->time;
}

static const uint32_t *batch_tags(const dj_lane *lane, dj_job *j)
{
    const dj_batch *batch = j->batch;
    const dj_lane *finer = lane->config.finer;
    if (!finer) {
        const uint32_t *tags = lane->config.tag == DJ_TAG_PLACE ? batch->column.place : batch->column.site;
        return tags ? tags : lane->no_tags;
    }
    for (uint32_t i = 0; i < batch->count; i++)
        j->finer[i] = (uint32_t)finer->newest->view.key[i];
    return j->finer;
}

static const uint64_t *batch_weights(const dj_lane *lane, const dj_batch *batch)
{
    return batch->column.size ? batch->column.size : lane->no_weights;
}

// All accesses, or one for each run.
static void ask_all(dj_lane *lane, dj_job *j)
{
    uint32_t n = j->batch->count;
    dj_work *w = &j->own.work;
    w->count = n;
    j->folded = !lane->config.engine->folds && dj_fold_pays(j->view.key, n);
    if (!j->folded)
        return;
    dj_fold_keys(j->view.key, n, &j->runs, j->run_key);
    w->count = j->runs.count;
    lane->repeats += n - j->runs.count;
    w->key = j->run_key;
    if (w->tag) {
        dj_fold_u32(&j->runs, n, w->tag, j->run_tag);
        w->tag = j->run_tag;
    }
    if (w->time) {
        dj_fold_u64(&j->runs, n, w->time, j->run_time);
        w->time = j->run_time;
    }
    if (w->weight) {
        dj_fold_u64(&j->runs, n, w->weight, j->run_weight);
        w->weight = j->run_weight;
    }
}

static void make_room_for_answers(const dj_lane *lane, dj_job *j, dj_work *w)
{
    uint32_t use = lane->config.use;
    w->distance = j->folded ? j->run_distance : j->distance; // no room where the engine counts
    if (use & DJ_CAN_TAGS)
        w->prev_tag = j->folded ? j->run_prev_tag : j->prev_tag;
    if (use & DJ_CAN_TIMES)
        w->prev_time = j->folded ? j->run_prev_time : j->prev_time;
    if (use & DJ_CAN_WEIGHTS)
        w->byte_distance = j->folded ? j->run_byte_distance : j->byte_distance;
}

static dj_picks picks_of(const dj_selection *s)
{
    return (dj_picks){s->order, s->shares, s->share_count, dj_selection_present(s)};
}

// What is read and written from `first` on.
static void move_work(dj_work *w, uint32_t first, uint32_t end)
{
    w->count = end - first;
    w->key += first;
    w->tag = w->tag ? w->tag + first : NULL;
    w->time = w->time ? w->time + first : NULL;
    w->weight = w->weight ? w->weight + first : NULL;
    w->distance = w->distance ? w->distance + first : NULL;
    w->prev_tag = w->prev_tag ? w->prev_tag + first : NULL;
    w->prev_time = w->prev_time ? w->prev_time + first : NULL;
    w->byte_distance = w->byte_distance ? w->byte_distance + first : NULL;
}

// The columns of what was picked. `all` has those of the batch.
static void pick_columns(dj_lane *lane, dj_job *j, const dj_picks *picks, dj_work *all)
{
    bool fold = !lane->config.engine->folds && dj_pick_pays(picks, j->view.key);
    dj_pick_keys(picks, j->view.key, fold, &j->runs, j->run_key, j->run_end);
    all->key = j->run_key;
    if (all->tag)
        dj_pick_u32(picks, &j->runs, all->tag, j->run_tag);
    all->tag = all->tag ? j->run_tag : NULL;
    if (all->time)
        dj_pick_u64(picks, &j->runs, all->time, j->run_time);
    all->time = all->time ? j->run_time : NULL;
    if (all->weight)
        dj_pick_u64(picks, &j->runs, all->weight, j->run_weight);
    all->weight = all->weight ? j->run_weight : NULL;
    j->folded = true;
    make_room_for_answers(lane, j, all);
}

// An engine that counts by itself gets what fills and what counts apart, in this order.
static dj_picks split_fills(const dj_lane *lane, const dj_selection *s, dj_share both[2])
{
    dj_picks picks = picks_of(s);
    if (!(lane->config.use & DJ_CAN_TOTALS) || s->filled == 0 || s->counted == 0)
        return picks;
    both[0] = (dj_share){.end = s->filled};
    both[1] = (dj_share){.begin = s->filled, .end = picks.count};
    picks.shares = both;
    picks.share_count = 2;
    return picks;
}

static int ask_shares(dj_lane *lane, dj_context *context, dj_job *j)
{
    dj_share both[2];
    const dj_selection *s = j->selection;
    const dj_picks picks = split_fills(lane, s, both);
    if (s->filled && j->distance && !j->filled &&
        !(j->filled = malloc(DJ_BATCH_CAPACITY * sizeof *j->filled)))
        return dj_fail_memory(context, "the answers of a batch", 0);
    int err = dj_grow(context, "the answers of a batch", &j->tasks, &j->task_room, picks.share_count + 1,
                      sizeof *j->tasks);
    if (!err)
        err = dj_grow(context, "the answers of a batch", &j->run_end, &j->run_end_room, picks.share_count + 1,
                      sizeof *j->run_end);
    if (err)
        return err;
    dj_work all = j->own.work;
    pick_columns(lane, j, &picks, &all);
    j->task_count = picks.share_count;
    for (uint32_t k = 0, first = 0; k < picks.share_count; k++) {
        dj_task *task = &j->tasks[k];
        bool counts = s->counted > 0 && (picks.shares != both || k == 1);
        *task = (dj_task){
            .work = all, .partition = picks.shares[k].partition, .counts = counts, .fills = !counts};
        move_work(&task->work, first, j->run_end[k]);
        if (counts && !s->partition)
            lane->repeats += picks.shares[k].end - picks.shares[k].begin - (j->run_end[k] - first);
        first = j->run_end[k];
    }
    return DJ_OK;
}

int dj_lane_ask(dj_lane *lane, dj_context *context, dj_job *j)
{
    uint32_t use = lane->config.use;
    dj_work *w = &j->own.work;
    *w = (dj_work){.key = j->view.key};
    // The engine of a lane before has what it needs.
    w->tag = j->tag = use & DJ_CAN_TAGS && !lane->config.led ? batch_tags(lane, j) : NULL;
    w->time = j->times = use & DJ_CAN_TIMES ? batch_times(j) : NULL;
    w->weight = use & DJ_CAN_WEIGHTS ? batch_weights(lane, j->batch) : NULL;
    j->own.counts = j->batch->count > 0;
    j->own.fills = false;
    j->own.answered = false;
    j->task_count = 1;
    j->shared = j->selection && !j->selection->whole;
    if (j->shared)
        return ask_shares(lane, context, j);
    ask_all(lane, j);
    make_room_for_answers(lane, j, w);
    return DJ_OK;
}

static void unfold(dj_job *j, const dj_work *w)
{
    uint32_t n = j->batch->count;
    dj_unfold_constant(&j->runs, n, j->run_distance, 0, j->distance);
    if (w->prev_tag)
        dj_unfold_previous_u32(&j->runs, n, j->run_prev_tag, j->tag, j->prev_tag);
    if (w->prev_time)
        dj_unfold_previous_u64(&j->runs, n, j->run_prev_time, j->times, j->prev_time);
    if (w->byte_distance)
        dj_unfold_constant(&j->runs, n, j->run_byte_distance, 0, j->byte_distance);
}

// The answers to what was picked go where it stands in the batch.
static void spread(const dj_lane *lane, dj_job *j)
{
    const dj_selection *s = j->selection;
    const dj_picks picks = picks_of(s);
    const uint32_t use = lane->config.use;
    for (uint32_t i = 0; picks.count < s->count && i < s->count; i++)
        j->distance[i] = DJ_ABSENT;
    dj_unpick_constant(&picks, &j->runs, j->run_distance, 0, j->distance);
    // Where the engine of a finer lane answers there are no repeats, and no tags here.
    if (use & DJ_CAN_TAGS)
        dj_unpick_previous_u32(&picks, &j->runs, j->run_prev_tag, j->tag, j->prev_tag);
    if (use & DJ_CAN_TIMES)
        dj_unpick_previous_u64(&picks, &j->runs, j->run_prev_time, j->times, j->prev_time);
    if (use & DJ_CAN_WEIGHTS)
        dj_unpick_constant(&picks, &j->runs, j->run_byte_distance, 0, j->byte_distance);
}

static void leave_fills(dj_lane *lane, dj_job *j)
{
    const dj_selection *s = j->selection;
    for (uint32_t i = 0; s->filled > 0 && i < s->count; i++) {
        if (s->verdict[i] != DJ_VERDICT_FILL)
            continue;
        lane->stacks[s->partition ? s->partition[i] : 0].filled_cold += j->distance[i] == DJ_COLD;
        j->filled[i] = j->distance[i];
        j->distance[i] = DJ_ABSENT;
    }
    j->view.filled = s->filled > 0 ? j->filled : NULL;
}

void dj_lane_note_answers(dj_lane *lane, dj_job *j)
{
    const dj_work *w = &j->own.work;
    const uint32_t use = lane->config.use;
    if (j->shared && j->distance) {
        spread(lane, j);
        leave_fills(lane, j);
    } else if (j->folded && w->distance) {
        unfold(j, w);
    }
    j->view.distance = j->distance;
    j->view.prev_tag = use & DJ_CAN_TAGS ? j->prev_tag : NULL;
    j->view.prev_time = use & DJ_CAN_TIMES ? j->prev_time : NULL;
    j->view.byte_distance = use & DJ_CAN_WEIGHTS ? j->byte_distance : NULL;
    j->answered = true;
}
