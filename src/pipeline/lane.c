// SPDX-License-Identifier: MIT
#include "pipeline/lane.h"

#include "pipeline/job.h"

#include <stdlib.h>
#include <string.h>

struct dj_lane {
    dj_lane_config config;
    dj_keyer keyer;
    void *engine;
    dj_job *oldest, *newest; // in the order pushed
    dj_job *unshown;         // the oldest that was not shown
    dj_job *free;
    uint32_t *no_tags;    // for batches without the tag's column
    uint64_t *no_weights; // likewise: everything weighs 1
    uint64_t repeats;     // that the engine did not hear of and does not count
};

static int take_job(dj_lane *lane, dj_context *context, dj_job **out)
{
    dj_job *j = lane->free;
    if (j)
        lane->free = j->next;
    else if (!(j = dj_job_create(lane->config.engine, lane->config.use)))
        return dj_fail_memory(context, "the answers of a batch", 0);
    memset(&j->work, 0, sizeof j->work);
    j->next = NULL;
    j->answered = false;
    *out = j;
    return DJ_OK;
}

int dj_lane_create(dj_context *context, const dj_lane_config *config, dj_lane **out)
{
    dj_lane *lane = calloc(1, sizeof *lane);
    if (!lane)
        return dj_fail_memory(context, "a lane", 0);
    lane->config = *config;
    dj_keyer_init(&lane->keyer, config->block);
    lane->no_tags = calloc(DJ_BATCH_CAPACITY, sizeof *lane->no_tags);
    lane->no_weights = malloc(DJ_BATCH_CAPACITY * sizeof *lane->no_weights);
    int err = DJ_OK;
    if (!lane->no_tags || !lane->no_weights) {
        err = dj_fail_memory(context, "a lane", 0);
        goto fail;
    }
    for (int i = 0; i < DJ_BATCH_CAPACITY; i++)
        lane->no_weights[i] = 1;
    if (!config->led) {
        dj_engine_params params = {
            .use = config->use, .coarser = config->coarser, .options = config->engine_options};
        err = config->engine->create(context, &params, &lane->engine);
        if (err)
            goto fail;
    }
    *out = lane;
    return DJ_OK;
fail:
    dj_lane_destroy(lane);
    return err;
}

static void destroy_list(dj_job *j)
{
    while (j) {
        dj_job *next = j->next;
        dj_job_destroy(j);
        j = next;
    }
}

void dj_lane_destroy(dj_lane *lane)
{
    if (!lane)
        return;
    if (lane->engine)
        lane->config.engine->destroy(lane->engine);
    destroy_list(lane->oldest);
    destroy_list(lane->free);
    free(lane->no_weights);
    free(lane->no_tags);
    free(lane);
}

static const uint64_t *batch_times(dj_job *j)
{
    const dj_batch *batch = j->batch;
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

// The questions for the engine: all accesses, or one for each run.
static void ask(dj_lane *lane, dj_job *j)
{
    uint32_t n = j->batch->count, use = lane->config.use;
    dj_work *w = &j->work;
    w->count = n;
    w->key = j->view.key;
    // The engine of a lane before has what it needs.
    w->tag = j->tag = use & DJ_CAN_TAGS && !lane->config.led ? batch_tags(lane, j) : NULL;
    w->time = use & DJ_CAN_TIMES ? batch_times(j) : NULL;
    w->weight = use & DJ_CAN_WEIGHTS ? batch_weights(lane, j->batch) : NULL;
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

static void make_room_for_answers(const dj_lane *lane, dj_job *j)
{
    uint32_t use = lane->config.use;
    dj_work *w = &j->work;
    w->distance = j->folded ? j->run_distance : j->distance; // no room where the engine counts
    if (use & DJ_CAN_TAGS)
        w->prev_tag = j->folded ? j->run_prev_tag : j->prev_tag;
    if (use & DJ_CAN_TIMES)
        w->prev_time = j->folded ? j->run_prev_time : j->prev_time;
    if (use & DJ_CAN_WEIGHTS)
        w->byte_distance = j->folded ? j->run_byte_distance : j->byte_distance;
}

int dj_lane_take(dj_lane *lane, dj_context *context, dj_batch *batch, dj_lane_view *view)
{
    dj_job *j = NULL;
    int err = take_job(lane, context, &j);
    if (err)
        return err;
    dj_batch_retain(batch);
    j->batch = batch;
    j->view = (dj_lane_view){.block_bytes = lane->config.block};
    if (lane->newest)
        lane->newest->next = j;
    else
        lane->oldest = j;
    lane->newest = j;
    if (!lane->unshown)
        lane->unshown = j;
    err = dj_keyer_keys(&lane->keyer, context, batch, j->key, &j->view.key);
    if (err)
        return err;
    *view = j->view;
    ask(lane, j);
    make_room_for_answers(lane, j);
    if (lane->config.led)
        lane->config.finer->newest->work.coarser = &j->work;
    return DJ_OK;
}

int dj_lane_push(dj_lane *lane, dj_context *context)
{
    return lane->config.led ? DJ_OK : lane->config.engine->push(lane->engine, context, &lane->newest->work);
}

static void unfold(dj_job *j)
{
    uint32_t n = j->batch->count;
    dj_unfold_constant(&j->runs, n, j->run_distance, 0, j->distance);
    if (j->work.prev_tag)
        dj_unfold_previous_u32(&j->runs, n, j->run_prev_tag, j->tag, j->prev_tag);
    if (j->work.prev_time)
        dj_unfold_previous_u64(&j->runs, n, j->run_prev_time,
                               j->batch->column.time ? j->batch->column.time : j->time, j->prev_time);
    if (j->work.byte_distance)
        dj_unfold_constant(&j->runs, n, j->run_byte_distance, 0, j->byte_distance);
}

static void note_answers(dj_job *j)
{
    const dj_work *work = &j->work;
    if (j->folded && work->distance)
        unfold(j);
    j->view.distance = j->distance;
    j->view.prev_tag = work->prev_tag ? j->prev_tag : NULL;
    j->view.prev_time = work->prev_time ? j->prev_time : NULL;
    j->view.byte_distance = work->byte_distance ? j->byte_distance : NULL;
    j->answered = true;
}

int dj_lane_ready(dj_lane *lane, dj_context *context, bool *ready)
{
    if (lane->config.led && lane->unshown)
        note_answers(lane->unshown); // as the lane before was ready
    while (lane->unshown && !lane->unshown->answered) {
        dj_work *work;
        int err = lane->config.engine->pull(lane->engine, context, &work);
        if (err)
            return err;
        if (!work)
            break;
        note_answers((dj_job *)work);
    }
    *ready = lane->unshown && lane->unshown->answered;
    return DJ_OK;
}

dj_batch *dj_lane_show(dj_lane *lane, dj_lane_view *view)
{
    dj_job *j = lane->unshown;
    lane->unshown = j->next;
    *view = j->view;
    return j->batch;
}

void dj_lane_pop(dj_lane *lane)
{
    dj_job *j = lane->oldest;
    lane->oldest = j->next;
    if (!lane->oldest)
        lane->newest = NULL;
    dj_batch_release(j->batch);
    j->batch = NULL;
    j->next = lane->free;
    lane->free = j;
}

int dj_lane_drain(dj_lane *lane, dj_context *context)
{
    return lane->config.led ? DJ_OK : lane->config.engine->drain(lane->engine, context);
}

void dj_lane_abandon(dj_lane *lane)
{
    lane->unshown = NULL;
    while (lane->oldest)
        dj_lane_pop(lane);
}

int dj_lane_totals(dj_lane *lane, dj_context *context, dj_histogram *into, uint64_t *cold)
{
    int err = lane->config.engine->totals(lane->engine, context, into, cold);
    return err ? err : dj_histogram_add(into, context, 0, lane->repeats);
}

int dj_lane_order(dj_lane *lane, dj_context *context, dj_order *out)
{
    return lane->config.engine->order(lane->engine, context, out);
}

void dj_lane_stats(const dj_lane *lane, dj_engine_stats *out)
{
    *out = (dj_engine_stats){0};
    if (!lane->config.led)
        lane->config.engine->stats(lane->engine, out);
}

dj_keyer *dj_lane_keyer(dj_lane *lane)
{
    return &lane->keyer;
}
