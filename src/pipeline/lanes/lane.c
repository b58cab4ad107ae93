// SPDX-License-Identifier: MIT
#include "pipeline/lanes/lane_state.h"

#include "base/grow.h"
#include "base/sample.h"

#include <stdlib.h>
#include <string.h>

static int take_job(dj_lane *lane, dj_context *context, dj_job **out)
{
    dj_job *j = lane->free;
    if (j)
        lane->free = j->next;
    else if (!(j = dj_job_create(lane->config.engine, lane->config.use, lane->config.selective,
                                 lane->config.coherent)))
        return dj_fail_memory(context, "the answers of a batch", 0);
    j->next = NULL;
    j->answered = false;
    *out = j;
    return DJ_OK;
}

// Creates the engine of a partition at its first access.
static int make_stack(dj_lane *lane, dj_context *context, uint32_t partition)
{
    int err = dj_grow(context, "the partitions", &lane->stacks, &lane->stack_capacity, (size_t)partition + 1,
                      sizeof *lane->stacks);
    if (err || lane->stacks[partition].engine || lane->config.shares_engine)
        return err;
    const dj_engine_params params = {.use = lane->config.use,
                                     .most_keys = lane->config.most_keys,
                                     .coarser = lane->config.coarser,
                                     .options = lane->config.engine_options};
    return lane->config.engine->create(context, &params, &lane->stacks[partition].engine);
}

int dj_lane_create(dj_context *context, const dj_lane_config *config, dj_lane **out)
{
    dj_lane *lane = calloc(1, sizeof *lane);
    if (!lane)
        return dj_fail_memory(context, "a lane", 0);
    lane->config = *config;
    dj_keyer_init(&lane->keyer, config->id->block_bytes);
    lane->no_tags = calloc(DJ_BATCH_CAPACITY, sizeof *lane->no_tags);
    lane->no_weights = malloc(DJ_BATCH_CAPACITY * sizeof *lane->no_weights);
    int err = DJ_OK;
    if (!lane->no_tags || !lane->no_weights) {
        err = dj_fail_memory(context, "a lane", 0);
        goto fail;
    }
    for (int i = 0; i < DJ_BATCH_CAPACITY; i++)
        lane->no_weights[i] = 1;
    if (!config->partitioned)
        err = make_stack(lane, context, 0);
    if (!err && config->coherent)
        err = dj_coherence_create(context, &lane->coherence);
    if (err)
        goto fail;
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
    for (size_t i = 0; i < lane->stack_capacity; i++)
        if (lane->stacks[i].engine)
            lane->config.engine->destroy(lane->stacks[i].engine);
    destroy_list(lane->oldest);
    destroy_list(lane->free);
    dj_histogram_destroy(lane->uncounted);
    dj_coherence_destroy(lane->coherence);
    free(lane->stacks);
    free(lane->no_weights);
    free(lane->no_tags);
    free(lane);
}

static void append_job(dj_lane *lane, dj_job *j)
{
    if (lane->newest)
        lane->newest->next = j;
    else
        lane->oldest = j;
    lane->newest = j;
    if (!lane->unshown)
        lane->unshown = j;
}

int dj_lane_take(dj_lane *lane, dj_context *context, dj_batch *batch, const dj_selection *selection,
                 dj_lane_view *view)
{
    dj_job *j = NULL;
    int err = take_job(lane, context, &j);
    if (err)
        return err;
    dj_batch_retain(batch);
    j->batch = batch;
    j->selection = selection;
    j->view = (dj_lane_view){.id = lane->config.id};
    if (selection) {
        j->view.weight_log2 = selection->weight_log2;
        j->view.verdict = selection->counted < selection->count ? selection->verdict : NULL;
        j->view.partition = selection->partition;
        j->view.time = lane->config.use & DJ_CAN_TIMES ? selection->time : NULL;
    }
    append_job(lane, j);
    err = dj_keyer_keys(&lane->keyer, context, batch, j->key, &j->view.key);
    if (err)
        return err;
    err = dj_lane_prepare(lane, context, j);
    *view = j->view;
    dj_task *tasks = dj_job_tasks(j);
    for (uint32_t k = 0; !err && k < j->task_count; k++) {
        err = make_stack(lane, context, tasks[k].partition);
        if (!err && lane->config.shares_engine)
            dj_job_tasks(lane->config.finer->newest)[k].work.coarser = &tasks[k].work;
    }
    return err;
}

// Separates what the engine has counted so far, which only filled, from what follows.
static int begin_counting(dj_lane *lane, dj_context *context)
{
    lane->counting = true;
    if (!lane->filled)
        return DJ_OK;
    int err = dj_histogram_create(context, &lane->uncounted);
    if (!err)
        err = lane->config.engine->drain(lane->stacks[0].engine, context);
    if (!err)
        err = lane->config.engine->totals(lane->stacks[0].engine, context, lane->uncounted,
                                          &lane->uncounted_cold);
    return err;
}

int dj_lane_push(dj_lane *lane, dj_context *context)
{
    dj_job *j = lane->newest;
    dj_task *tasks = dj_job_tasks(j);
    int err = DJ_OK;
    for (uint32_t k = 0; !err && !lane->config.shares_engine && k < j->task_count; k++) {
        if (lane->config.use & DJ_CAN_TOTALS && tasks[k].counts && !lane->counting)
            err = begin_counting(lane, context);
        lane->filled |= tasks[k].fills;
        if (!err)
            err = lane->config.engine->push(lane->stacks[tasks[k].partition].engine, context, &tasks[k].work);
    }
    return err;
}

// Pulls answers from the engines until the job is answered or no more are available.
static int pull_answers(dj_lane *lane, dj_context *context, dj_job *j, bool *ready)
{
    dj_task *tasks = dj_job_tasks(j);
    *ready = true;
    for (uint32_t k = 0; *ready && k < j->task_count; k++)
        while (!tasks[k].answered) {
            dj_work *work;
            int err = lane->config.engine->pull(lane->stacks[tasks[k].partition].engine, context, &work);
            if (err)
                return err;
            *ready = work != NULL;
            if (!work)
                break;
            ((dj_task *)work)->answered = true;
        }
    return DJ_OK;
}

int dj_lane_ready(dj_lane *lane, dj_context *context, bool *ready)
{
    dj_job *j = lane->unshown;
    *ready = j && (j->answered || lane->config.shares_engine); // the previous lane was ready
    if (!j || j->answered)
        return DJ_OK;
    int err = lane->config.shares_engine ? DJ_OK : pull_answers(lane, context, j, ready);
    if (!err && *ready)
        dj_lane_set_answers(lane, j);
    return err;
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
    int err = DJ_OK;
    for (size_t i = 0; i < lane->stack_capacity; i++)
        if (lane->stacks[i].engine) {
            int drained = lane->config.engine->drain(lane->stacks[i].engine, context);
            err = err ? err : drained;
        }
    return err;
}

void dj_lane_abandon(dj_lane *lane)
{
    lane->unshown = NULL;
    while (lane->oldest)
        dj_lane_pop(lane);
}

// Subtracts what the engine counted before counting began.
static int subtract_uncounted(dj_lane *lane, dj_context *context, dj_histogram *into, uint64_t *cold)
{
    dj_histogram *all = NULL;
    uint64_t first = 0;
    int err = dj_histogram_create(context, &all);
    if (!err)
        err = lane->config.engine->totals(lane->stacks[0].engine, context, all, &first);
    for (uint64_t value = 0, n; !err && (n = dj_histogram_next(all, &value)) != 0; value++) {
        uint64_t before = dj_histogram_sum(lane->uncounted, value, value + 1);
        if (n > before)
            err = dj_histogram_add(into, context, value, n - before);
    }
    *cold += first - lane->uncounted_cold;
    dj_histogram_destroy(all);
    return err;
}

static int count_totals(dj_lane *lane, dj_context *context, dj_histogram *into, uint64_t *cold)
{
    int err = DJ_OK;
    if (lane->uncounted)
        err = subtract_uncounted(lane, context, into, cold);
    else if (!lane->filled)
        err = lane->config.engine->totals(lane->stacks[0].engine, context, into, cold);
    return err || lane->repeats == 0 ? err : dj_histogram_add(into, context, 0, lane->repeats);
}

int dj_lane_totals(dj_lane *lane, dj_context *context, dj_histogram *into, uint64_t *cold)
{
    const unsigned weight_log2 = lane->config.weight_log2;
    dj_histogram *sampled = NULL;
    if (weight_log2 == 0)
        return count_totals(lane, context, into, cold);
    int err = dj_histogram_create(context, &sampled);
    if (!err)
        err = count_totals(lane, context, sampled, cold);
    for (uint64_t at = 0, n; !err && (n = dj_histogram_next(sampled, &at)) != 0; at++)
        err = dj_histogram_add(into, context, dj_sample_scale(at, weight_log2), n << weight_log2);
    *cold <<= weight_log2;
    dj_histogram_destroy(sampled);
    return err;
}

// If all accesses so far filled, the engine's totals are exactly those.
int dj_lane_filled(dj_lane *lane, dj_context *context, uint32_t partition, uint64_t *cold)
{
    dj_histogram *all = NULL;
    *cold = partition < lane->stack_capacity ? lane->stacks[partition].filled_cold : 0;
    if (!(lane->config.use & DJ_CAN_TOTALS) || !lane->filled)
        return DJ_OK;
    *cold = lane->uncounted_cold;
    int err = lane->counting ? DJ_OK : dj_histogram_create(context, &all);
    if (!err && !lane->counting)
        err = lane->config.engine->totals(lane->stacks[0].engine, context, all, cold);
    *cold <<= lane->config.weight_log2;
    dj_histogram_destroy(all);
    return err;
}

int dj_lane_order(dj_lane *lane, dj_context *context, dj_order *out)
{
    return lane->config.engine->order(lane->stacks[0].engine, context, out);
}

uint64_t dj_lane_stack_keys(const dj_lane *lane, size_t partition)
{
    dj_engine_stats stats = {0};
    if (partition < lane->stack_capacity && lane->stacks[partition].engine)
        lane->config.engine->stats(lane->stacks[partition].engine, &stats);
    return stats.keys;
}

void dj_lane_stats(const dj_lane *lane, dj_engine_stats *out)
{
    *out = (dj_engine_stats){0};
    for (size_t i = 0; i < lane->stack_capacity; i++) {
        dj_engine_stats one;
        if (!lane->stacks[i].engine)
            continue;
        lane->config.engine->stats(lane->stacks[i].engine, &one);
        out->keys += one.keys;
        out->bytes += one.bytes;
        out->peak_bytes += one.peak_bytes;
    }
    if (lane->coherence) {
        out->bytes += dj_coherence_footprint(lane->coherence)->bytes;
        out->peak_bytes += dj_coherence_footprint(lane->coherence)->peak_bytes;
    }
}

dj_keyer *dj_lane_keyer(dj_lane *lane)
{
    return &lane->keyer;
}
