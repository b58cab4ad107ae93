// SPDX-License-Identifier: MIT
// Turns a batch into work for the engines of a lane, and their answers into what observers see.
#include "base/grow.h"
#include "base/sample.h"
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

// Prepares all accesses, or one per run.
static void prepare_all(dj_lane *lane, dj_job *j)
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

static void set_answer_columns(const dj_lane *lane, dj_job *j, dj_work *w)
{
    uint32_t use = lane->config.use;
    w->distance = j->folded ? j->run_distance : j->distance; // NULL if the engine counts
    if (use & DJ_CAN_TAGS)
        w->prev_tag = j->folded ? j->run_prev_tag : j->prev_tag;
    if (use & DJ_CAN_TIMES)
        w->prev_time = j->folded ? j->run_prev_time : j->prev_time;
    if (use & DJ_CAN_WEIGHTS)
        w->byte_distance = j->folded ? j->run_byte_distance : j->byte_distance;
}

static dj_subset subset_of(const dj_selection *s)
{
    return (dj_subset){s->order, s->shares, s->share_count, dj_selection_present(s)};
}

// Limits the work to the elements from `first` to `end`.
static void move_work(dj_work *w, uint32_t first, uint32_t end)
{
    w->count = end - first;
    w->key += first;
    w->op = w->op ? w->op + first : NULL;
    w->tag = w->tag ? w->tag + first : NULL;
    w->time = w->time ? w->time + first : NULL;
    w->weight = w->weight ? w->weight + first : NULL;
    w->distance = w->distance ? w->distance + first : NULL;
    w->prev_tag = w->prev_tag ? w->prev_tag + first : NULL;
    w->prev_time = w->prev_time ? w->prev_time + first : NULL;
    w->byte_distance = w->byte_distance ? w->byte_distance + first : NULL;
}

// Gathers the columns of the subset. On entry `all` holds the columns of the batch.
static void gather_columns(dj_lane *lane, dj_job *j, const dj_subset *subset, dj_work *all)
{
    // An operation between two accesses to a key separates them.
    bool fold =
        !lane->config.engine->folds && j->operations.count == 0 && dj_subset_fold_pays(subset, j->view.key);
    dj_subset_gather_keys(subset, j->view.key, fold, &j->runs, j->run_key, j->run_end);
    all->key = j->run_key;
    if (all->tag)
        dj_subset_gather_u32(subset, &j->runs, all->tag, j->run_tag);
    all->tag = all->tag ? j->run_tag : NULL;
    if (all->time)
        dj_subset_gather_u64(subset, &j->runs, all->time, j->run_time);
    all->time = all->time ? j->run_time : NULL;
    if (all->weight)
        dj_subset_gather_u64(subset, &j->runs, all->weight, j->run_weight);
    all->weight = all->weight ? j->run_weight : NULL;
    j->folded = true;
    set_answer_columns(lane, j, all);
}

// An engine that counts distances itself gets the accesses that fill separately, before those that
// count.
static dj_subset split_fills(const dj_lane *lane, const dj_selection *s, dj_share both[2])
{
    dj_subset subset = subset_of(s);
    if (!(lane->config.use & DJ_CAN_TOTALS) || s->filled == 0 || s->counted == 0)
        return subset;
    both[0] = (dj_share){.end = s->filled};
    both[1] = (dj_share){.begin = s->filled, .end = subset.count};
    subset.shares = both;
    subset.share_count = 2;
    return subset;
}

// Lists what happens to keys apart from accesses.
static int list_operations(dj_lane *lane, dj_context *context, dj_job *j)
{
    const dj_selection *s = j->selection;
    int err = DJ_OK;
    j->operations.count = 0;
    if (lane->coherence) {
        j->view.lost_to = j->lost_to;
        return dj_coherence_follow(lane->coherence, context, j->batch, s, j->view.key, j->lost_to,
                                   &j->operations);
    }
    for (uint32_t i = 0; !err && s->invalidated > 0 && i < s->count; i++)
        if (s->verdict[i] == DJ_VERDICT_INVALIDATE) {
            const dj_operation operation = {j->view.key[i], s->partition ? s->partition[i] : 0, (uint16_t)i,
                                            DJ_OP_INVALIDATE};
            err = dj_operations_add(&j->operations, context, &operation);
        }
    return err;
}

static int reserve_shares(dj_context *context, dj_job *j, uint32_t count)
{
    const char *what = "the answers of a batch";
    if (j->selection->filled && j->distance && !j->filled &&
        !(j->filled = malloc(DJ_BATCH_CAPACITY * sizeof *j->filled)))
        return dj_fail_memory(context, what, 0);
    int err = dj_grow(context, what, &j->tasks, &j->task_capacity, count + (size_t)1, sizeof *j->tasks);
    if (!err)
        err =
            dj_grow(context, what, &j->run_end, &j->run_end_capacity, count + (size_t)1, sizeof *j->run_end);
    return err;
}

static int prepare_shares(dj_lane *lane, dj_context *context, dj_job *j)
{
    dj_share both[2];
    const dj_selection *s = j->selection;
    dj_subset subset = split_fills(lane, s, both);
    int err = list_operations(lane, context, j);
    const bool operations = j->operations.count > 0;
    if (!err && operations)
        err = dj_operations_share(&j->operations, context, &subset);
    if (!err)
        err = reserve_shares(context, j, subset.share_count);
    if (err)
        return err;
    dj_work all = j->own.work;
    gather_columns(lane, j, &subset, &all);
    if (operations)
        err = dj_operations_insert(&j->operations, context, &subset, &all, j->run_end);
    if (err)
        return err;
    j->task_count = subset.share_count;
    for (uint32_t k = 0, first = 0; k < subset.share_count; k++) {
        dj_task *task = &j->tasks[k];
        bool counts = s->counted > 0 && (subset.shares != both || k == 1);
        *task = (dj_task){
            .work = all, .partition = subset.shares[k].partition, .counts = counts, .fills = !counts};
        move_work(&task->work, first, j->run_end[k]);
        if (operations && !dj_operations_any(&j->operations, k))
            task->work.op = NULL;
        if (counts && !s->partition)
            lane->repeats += subset.shares[k].end - subset.shares[k].begin - (j->run_end[k] - first);
        first = j->run_end[k];
    }
    return DJ_OK;
}

int dj_lane_prepare(dj_lane *lane, dj_context *context, dj_job *j)
{
    uint32_t use = lane->config.use;
    dj_work *w = &j->own.work;
    *w = (dj_work){.key = j->view.key};
    // Otherwise the engine of an earlier lane has the tags.
    w->tag = j->tag = use & DJ_CAN_TAGS && !lane->config.shares_engine ? batch_tags(lane, j) : NULL;
    w->time = j->times = use & DJ_CAN_TIMES ? batch_times(j) : NULL;
    w->weight = use & DJ_CAN_WEIGHTS ? batch_weights(lane, j->batch) : NULL;
    j->own.counts = j->batch->count > 0;
    j->own.fills = false;
    j->own.answered = false;
    j->task_count = 1;
    j->shared = j->selection && !j->selection->complete;
    if (j->shared)
        return prepare_shares(lane, context, j);
    prepare_all(lane, j);
    set_answer_columns(lane, j, w);
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

// Turns distances among the sampled blocks into distances among all. With fixed memory, few may differ.
static void scale_distances(const dj_lane *lane, dj_job *j, unsigned weight_log2)
{
    const bool rounds = lane->config.most_keys > 0;
    for (uint32_t i = 0; i < j->runs.count; i++) {
        if (j->run_distance[i] == DJ_COLD)
            continue;
        const uint64_t scaled = dj_sample_scale(j->run_distance[i], weight_log2);
        j->run_distance[i] = rounds ? dj_sample_round(scaled) : scaled;
    }
}

// The same for byte distances, which depend on the size of each access.
static void scale_byte_distances(const dj_lane *lane, dj_job *j, const dj_subset *subset,
                                 unsigned weight_log2)
{
    const uint64_t *size = batch_weights(lane, j->batch);
    for (uint32_t i = 0; i < subset->count; i++) {
        const uint16_t at = subset->order[i];
        if (j->distance[at] != DJ_COLD)
            j->byte_distance[at] = dj_sample_scale_bytes(j->byte_distance[at], size[at], weight_log2);
    }
}

// Moves the answers to their positions in the batch.
static void scatter_answers(const dj_lane *lane, dj_job *j)
{
    const dj_selection *s = j->selection;
    const dj_subset subset = subset_of(s);
    const uint32_t use = lane->config.use;
    if (j->operations.count > 0) {
        dj_work gathered = {0};
        set_answer_columns(lane, j, &gathered);
        dj_operations_extract(&j->operations, &gathered);
    }
    if (s->weight_log2 > 0)
        scale_distances(lane, j, s->weight_log2);
    for (uint32_t i = 0; subset.count < s->count && i < s->count; i++)
        j->distance[i] = DJ_ABSENT;
    dj_subset_scatter_constant(&subset, &j->runs, j->run_distance, dj_sample_scale(0, s->weight_log2),
                               j->distance);
    // If the engine of a finer lane answers, there are no repeats, and no tags here.
    if (use & DJ_CAN_TAGS)
        dj_subset_scatter_previous_u32(&subset, &j->runs, j->run_prev_tag, j->tag, j->prev_tag);
    if (use & DJ_CAN_TIMES)
        dj_subset_scatter_previous_u64(&subset, &j->runs, j->run_prev_time, j->times, j->prev_time);
    if (use & DJ_CAN_WEIGHTS)
        dj_subset_scatter_constant(&subset, &j->runs, j->run_byte_distance, 0, j->byte_distance);
    if (use & DJ_CAN_WEIGHTS && s->weight_log2 > 0)
        scale_byte_distances(lane, j, &subset, s->weight_log2);
}

static void exclude_fills(dj_lane *lane, dj_job *j)
{
    const dj_selection *s = j->selection;
    for (uint32_t i = 0; s->filled > 0 && i < s->count; i++) {
        if (s->verdict[i] != DJ_VERDICT_FILL)
            continue;
        lane->stacks[s->partition ? s->partition[i] : 0].filled_cold += (uint64_t)(j->distance[i] == DJ_COLD)
                                                                        << s->weight_log2;
        j->filled[i] = j->distance[i];
        j->distance[i] = DJ_ABSENT;
    }
    j->view.filled = s->filled > 0 ? j->filled : NULL;
}

void dj_lane_set_answers(dj_lane *lane, dj_job *j)
{
    const dj_work *w = &j->own.work;
    const uint32_t use = lane->config.use;
    if (j->shared && j->distance) {
        scatter_answers(lane, j);
        exclude_fills(lane, j);
    } else if (j->folded && w->distance) {
        unfold(j, w);
    }
    j->view.distance = j->distance;
    j->view.prev_tag = use & DJ_CAN_TAGS ? j->prev_tag : NULL;
    j->view.prev_time = use & DJ_CAN_TIMES ? j->prev_time : NULL;
    j->view.byte_distance = use & DJ_CAN_WEIGHTS ? j->byte_distance : NULL;
    j->answered = true;
}
