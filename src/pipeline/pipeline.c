// SPDX-License-Identifier: MIT
// Sets a pipeline up: which engine, which block sizes, which observers, and
// whether they fit together.
#include "pipeline/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/choice.h"

static const char *capability_name(uint32_t bit)
{
    switch (bit) {
    case DJ_CAN_EXACT:
        return "exact distances";
    case DJ_CAN_PER_ACCESS:
        return "a distance for each access";
    case DJ_CAN_TAGS:
        return "tags of previous accesses";
    case DJ_CAN_TIMES:
        return "times of previous accesses";
    case DJ_CAN_SUMMARY:
        return "summaries of a piece of a trace";
    case DJ_CAN_WEIGHTS:
        return "distances in bytes";
    default:
        return "something unknown";
    }
}

static int refuse(dj_context *context, const char *who, uint32_t missing, const char *engine)
{
    return dj_fail(context, DJ_ERR_UNSUPPORTED,
                   "%s needs %s, which engine '%s' cannot give; choose another --engine", who,
                   capability_name(missing & -missing), engine);
}

// Whether all that the observers want of the distances is how often each comes, and the engine counts them.
static bool totals_do(const dj_pipeline_config *config)
{
    const uint32_t each = DJ_NEED_TAGS | DJ_NEED_FINER | DJ_NEED_TIMES | DJ_NEED_WEIGHTS;
    bool enough = config->engine->can & DJ_CAN_TOTALS && !config->summarize;
    for (size_t i = 0; enough && i < config->observer_count; i++) {
        const dj_observer_ops *ops = config->observers[i].ops;
        enough = ops && !(ops->needs & each) && (!ops->see || ops->total);
    }
    return enough;
}

// What the observers need must be what the engine can do.
static int check_pairing(dj_context *context, const dj_pipeline_config *config, uint32_t *use)
{
    const dj_engine_ops *engine = config->engine;
    *use = totals_do(config) ? DJ_CAN_TOTALS : 0;
    for (size_t i = 0; i < config->observer_count; i++) {
        const dj_observer_ops *ops = config->observers[i].ops;
        if (!ops)
            return dj_fail(context, DJ_ERR_USAGE,
                           "observer %zu of the pipeline is NULL; was its name misspelt?", i);
        uint32_t missing = dj_need_of_engine(ops->needs) & ~engine->can;
        if (*use & DJ_CAN_TOTALS)
            missing &= ~(uint32_t)DJ_NEED_PER_ACCESS;
        if (missing)
            return refuse(context, ops->name, missing, engine->name);
        if (config->summarize && !ops->merge)
            return dj_fail(context, DJ_ERR_UNSUPPORTED,
                           "%s needs the whole trace in order and cannot be joined from pieces", ops->name);
        if (config->pause && (ops->finishes_once || config->summarize))
            return dj_fail(context, DJ_ERR_UNSUPPORTED, "%s cannot be finished before its end", ops->name);
        *use |= ops->needs & (DJ_NEED_TAGS | DJ_NEED_FINER | DJ_NEED_TIMES | DJ_NEED_WEIGHTS);
    }
    if (config->summarize && !(engine->can & DJ_CAN_SUMMARY))
        return refuse(context, "joining pieces", DJ_CAN_SUMMARY, engine->name);
    return DJ_OK;
}

static int check_blocks(dj_context *context, const dj_pipeline_config *config)
{
    if (config->block_count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "no block size was given");
    for (size_t i = 0; i < config->block_count; i++) {
        uint64_t block = config->blocks[i];
        if (block == 0)
            return dj_fail(context, DJ_ERR_USAGE, "a block cannot have 0 bytes");
        if (i > 0 && (block <= config->blocks[i - 1] || block % config->blocks[0] != 0))
            return dj_fail(context, DJ_ERR_USAGE,
                           "block sizes must increase and be multiples of the smallest; %" PRIu64 " is not",
                           block);
    }
    return DJ_OK;
}

// How many of the lanes after this one the engine can answer along with it.
static uint32_t coarser_than(const dj_pipeline *p, uint32_t lane)
{
    const dj_engine_ops *engine = p->config.engine;
    uint32_t count = 0;
    if (p->config.summarize || p->use & (DJ_NEED_TIMES | DJ_NEED_WEIGHTS | DJ_CAN_TOTALS))
        return 0;
    while (count < engine->coarser && lane + count + 1 < p->lane_count &&
           p->blocks[lane + count + 1] / 2 == p->blocks[lane + count] && p->blocks[lane + count + 1] % 2 == 0)
        count++;
    return count;
}

static int create_lanes(dj_pipeline *p, dj_context *context)
{
    uint32_t led = 0; // lanes from here on that the last engine answers
    for (uint32_t i = 0; i < p->lane_count; i++) {
        bool is_led = led > 0;
        led = is_led ? led - 1 : coarser_than(p, i);
        dj_lane_config config = {.engine = p->config.engine,
                                 .engine_options = p->config.engine_options,
                                 .block = p->blocks[i],
                                 .use = dj_lane_use(p->use, i),
                                 .tag = p->config.tag,
                                 .finer = i > 0 ? p->lanes[i - 1] : NULL,
                                 .coarser = is_led ? 0 : led,
                                 .led = is_led};
        int err = dj_lane_create(context, &config, &p->lanes[i]);
        if (err)
            return err;
        p->keyers[i] = dj_lane_keyer(p->lanes[i]);
    }
    return DJ_OK;
}

static int create_observers(dj_pipeline *p, dj_context *context, dj_unpacker *from)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < p->config.observer_count; i++) {
        const dj_observer_ops *ops = p->config.observers[i].ops;
        if (ops->watch)
            p->watches |= ops->watches ? ops->watches : UINT32_MAX;
        p->seen |= ops->see && !(p->use & DJ_CAN_TOTALS);
        err = dj_watcher_create(&p->observers[i], context, &p->config, ops, p->config.observers[i].options,
                                from);
    }
    return err;
}

int dj_pipeline_create(dj_context *context, const dj_pipeline_config *config, dj_pipeline **out)
{
    return dj_pipeline_make(context, config, NULL, out);
}

int dj_pipeline_make(dj_context *context, const dj_pipeline_config *config, dj_unpacker *from,
                     dj_pipeline **out)
{
    dj_pipeline *p = calloc(1, sizeof *p);
    if (!p)
        return dj_fail_memory(context, "the pipeline", 0);
    p->config = *config;
    if (!p->config.engine)
        p->config.engine = dj_engine_first(0);
    int err = check_blocks(context, &p->config);
    if (!err)
        err = check_pairing(context, &p->config, &p->use);
    if (err)
        goto fail;
    p->lane_count = (uint32_t)config->block_count;
    p->blocks = calloc(p->lane_count, sizeof *p->blocks);
    p->lanes = calloc(p->lane_count, sizeof *p->lanes);
    p->keyers = calloc(p->lane_count, sizeof *p->keyers);
    p->views = calloc(p->lane_count, sizeof *p->views);
    p->answers = calloc(p->lane_count, sizeof *p->answers);
    p->orders = calloc(p->lane_count, sizeof *p->orders);
    p->observers = calloc(config->observer_count + 1, sizeof *p->observers);
    if (!p->blocks || !p->lanes || !p->keyers || !p->views || !p->answers || !p->orders || !p->observers) {
        err = dj_fail_memory(context, "the pipeline", 0);
        goto fail;
    }
    memcpy(p->blocks, config->blocks, p->lane_count * sizeof *p->blocks);
    p->config.blocks = p->blocks;
    p->splitter.block = config->split ? p->blocks[0] : 0;
    dj_pending_init(&p->pending, p->lane_count);
    err = dj_pool_create(context, &p->pool);
    if (!err)
        err = create_lanes(p, context);
    if (!err)
        err = create_observers(p, context, from);
    if (err)
        goto fail;
    *out = p;
    return DJ_OK;
fail:
    dj_pipeline_destroy(p);
    return err;
}

void dj_pipeline_destroy(dj_pipeline *p)
{
    if (!p)
        return;
    dj_splitter_reset(&p->splitter);
    for (size_t i = 0; p->observers && i < p->config.observer_count; i++)
        if (p->observers[i].ops)
            p->observers[i].ops->destroy(p->observers[i].state);
    for (uint32_t i = 0; i < p->lane_count; i++) {
        if (p->lanes)
            dj_lane_destroy(p->lanes[i]);
        if (p->orders)
            dj_order_free(&p->orders[i]);
    }
    dj_pending_free(&p->pending);
    dj_pool_destroy(p->pool);
    free(p->partial_reason);
    free(p->observers);
    free(p->orders);
    free(p->answers);
    free(p->views);
    free(p->keyers);
    free(p->lanes);
    free(p->blocks);
    free(p);
}

void dj_pipeline_stats(const dj_pipeline *p, dj_engine_stats *out)
{
    *out = (dj_engine_stats){0};
    for (uint32_t i = 0; i < p->lane_count; i++) {
        dj_engine_stats s;
        dj_lane_stats(p->lanes[i], &s);
        out->keys += s.keys;
        out->bytes += s.bytes;
        out->peak_bytes += s.peak_bytes;
    }
}
