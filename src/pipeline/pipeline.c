// SPDX-License-Identifier: MIT
// Creates a pipeline: selects engine, lanes and observers and checks that they can work together.
#include "pipeline/state.h"

#include "base/text.h"
#include "profile/identity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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
        return "summaries of parts of a trace";
    case DJ_CAN_WEIGHTS:
        return "distances in bytes";
    case DJ_CAN_INVALIDATE:
        return "invalidated blocks";
    default:
        return "something unknown";
    }
}

static int refuse(dj_context *context, const char *what, uint32_t missing, const char *engine)
{
    return dj_fail(context, DJ_ERR_UNSUPPORTED,
                   "%s needs %s, which engine '%s' cannot provide; choose another --engine", what,
                   capability_name(missing & -missing), engine);
}

static int refuse_parts(dj_context *context, const char *what)
{
    return dj_fail(context, DJ_ERR_UNSUPPORTED,
                   "%s needs the complete trace in order and cannot be joined from parts", what);
}

// Whether the engine's totals are those of the group, except for accesses at the beginning that only fill.
// Those are subtracted, which is impossible with a model: it has no answer for each access.
static bool totals_fit(const dj_engine_ops *engine, const dj_lane_group *group)
{
    size_t filling = 0;
    bool first = true;
    for (size_t i = 0; i < group->filter_count; i++) {
        first = first && !(group->filters[i].ops->verdicts >> DJ_VERDICT_INVALIDATE & 1);
        if (group->filters[i].ops->verdicts >> DJ_VERDICT_FILL & 1) {
            first = first && group->filters[i].ops->fills_first && filling == 0 &&
                    engine->can & DJ_CAN_PER_ACCESS;
            filling++;
        }
    }
    return first && group->partition == DJ_PARTITION_NONE;
}

// Whether the observers need only the number of occurrences of each distance, and the engine counts
// them.
static bool totals_suffice(const dj_pipeline_config *config)
{
    const uint32_t each = DJ_NEED_TAGS | DJ_NEED_FINER | DJ_NEED_TIMES | DJ_NEED_WEIGHTS;
    bool enough = config->engine->can & DJ_CAN_TOTALS && !config->summarize;
    for (size_t i = 0; enough && i < config->observer_count; i++) {
        const dj_observer_ops *ops = config->observers[i].ops;
        enough = ops && !(ops->needs & each) && (!ops->see || ops->total);
    }
    for (size_t i = 0; enough && i < config->group_count; i++)
        enough = totals_fit(config->engine, &config->groups[i]);
    return enough;
}

// The engine must be able to do what the observers need.
static int check_pairing(dj_context *context, const dj_pipeline_config *config, uint32_t *use)
{
    const dj_engine_ops *engine = config->engine;
    *use = totals_suffice(config) ? DJ_CAN_TOTALS : 0;
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
            return refuse_parts(context, ops->name);
        if (config->pause && (ops->finishes_once || config->summarize))
            return dj_fail(context, DJ_ERR_UNSUPPORTED, "%s cannot produce intermediate results", ops->name);
        *use |= ops->needs & (DJ_NEED_TAGS | DJ_NEED_FINER | DJ_NEED_TIMES | DJ_NEED_WEIGHTS);
    }
    if (config->first_times && engine->can & DJ_CAN_TIMES && !config->summarize)
        *use |= DJ_NEED_FIRST_TIMES;
    if (config->summarize && !(engine->can & DJ_CAN_SUMMARY))
        return refuse(context, "joining parts", DJ_CAN_SUMMARY, engine->name);
    return DJ_OK;
}

static int check_group(dj_context *context, const dj_lane_group *group, uint64_t smallest)
{
    if (group->block_count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "no block size given");
    for (size_t i = 0; i < group->block_count; i++) {
        uint64_t block = group->blocks[i];
        if (block == 0)
            return dj_fail(context, DJ_ERR_USAGE, "a block cannot have 0 bytes");
        if ((i > 0 && block <= group->blocks[i - 1]) || block % smallest != 0)
            return dj_fail(context, DJ_ERR_USAGE,
                           "block sizes must increase and be multiples of the smallest; %" PRIu64 " is not",
                           block);
    }
    return DJ_OK;
}

// The engine must be able to do what the filters request.
static int check_filters(dj_context *context, const dj_pipeline_config *config, const dj_lane_group *group)
{
    const uint32_t fills = 1u << DJ_VERDICT_FILL, invalidates = 1u << DJ_VERDICT_INVALIDATE;
    for (size_t i = 0; i < group->filter_count; i++) {
        const dj_filter_ops *ops = group->filters[i].ops;
        if (!ops)
            return dj_fail(context, DJ_ERR_USAGE, "filter %zu of a group is NULL; was its name misspelt?", i);
        char what[256];
        snprintf(what, sizeof what, "filter %s (%s)", ops->name, ops->summary);
        if (ops->verdicts & invalidates && !(config->engine->can & DJ_CAN_INVALIDATE))
            return refuse(context, what, DJ_CAN_INVALIDATE, config->engine->name);
        if (config->summarize && (ops->by_position || ops->verdicts & (fills | invalidates)))
            return refuse_parts(context, what);
    }
    if (group->coherent && group->partition != DJ_PARTITION_CACHE)
        return dj_fail(context, DJ_ERR_USAGE, "a group of lanes is coherent but not partitioned by cache");
    if (group->coherent && !(config->engine->can & DJ_CAN_INVALIDATE))
        return refuse(context, "a coherent cache", DJ_CAN_INVALIDATE, config->engine->name);
    if (config->summarize && group->partition != DJ_PARTITION_NONE)
        return refuse_parts(context, "a separate stack for each partition");
    if (group->partition != DJ_PARTITION_NONE && config->engine->for_long_traces)
        return dj_fail(
            context, DJ_ERR_UNSUPPORTED,
            "engine '%s' is meant for one long trace and cannot analyze each %s separately; choose another "
            "--engine",
            config->engine->name, dj_partition_name(group->partition));
    return DJ_OK;
}

static int check_groups(dj_context *context, const dj_pipeline_config *config)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < config->group_count; i++) {
        const dj_lane_group *first = &config->groups[0];
        err = check_group(context, &config->groups[i],
                          first->block_count && first->blocks[0] ? first->blocks[0] : 1);
        if (!err)
            err = check_filters(context, config, &config->groups[i]);
    }
    return err;
}

// A block that is invalidated leaves a gap in the stack, which has no size in bytes.
static int check_weights(const dj_pipeline *p, dj_context *context)
{
    for (uint32_t i = 0; i < p->lane_count; i++)
        if (p->positions[i].invalidates && p->use & DJ_NEED_WEIGHTS)
            return dj_fail(context, DJ_ERR_UNSUPPORTED,
                           "distances in bytes are undefined where blocks are invalidated; leave out one of "
                           "the two");
    return DJ_OK;
}

// How many of the following lanes of its group the engine can answer along with this one.
static uint32_t coarser_than(const dj_pipeline *p, uint32_t lane)
{
    const dj_engine_ops *engine = p->config.engine;
    const dj_lane_id *id = &p->ids[lane];
    uint32_t count = 0;
    if (p->config.summarize || p->positions[lane].invalidates || p->budget.bytes > 0 ||
        p->use & (DJ_NEED_TIMES | DJ_NEED_WEIGHTS | DJ_CAN_TOTALS))
        return 0;
    for (; count < engine->coarser && lane + count + 1 < p->lane_count; count++, id++)
        if (p->positions[lane + count + 1].first || id[1].block_bytes / 2 != id->block_bytes ||
            id[1].block_bytes % 2 != 0)
            break;
    return count;
}

static int create_lanes(dj_pipeline *p, dj_context *context)
{
    uint32_t followers = 0; // how many of the lanes from here on the last engine answers
    for (uint32_t i = 0; i < p->lane_count; i++) {
        const dj_lane_position *position = &p->positions[i];
        bool shares = followers > 0;
        followers = shares ? followers - 1 : coarser_than(p, i);
        dj_lane_config config = {.engine = p->config.engine,
                                 .engine_options = p->config.engine_options,
                                 .id = &p->ids[i],
                                 .use = dj_lane_use(p->use, position->first) |
                                        (position->invalidates ? DJ_CAN_INVALIDATE : 0u) |
                                        (p->budget.bytes > 0 ? DJ_CAN_REMOVE : 0u),
                                 .most_keys = p->budget.most_keys,
                                 .tag = p->config.tag,
                                 .finer = position->first ? NULL : p->lanes[i - 1],
                                 .coarser = shares ? 0 : followers,
                                 .shares_engine = shares,
                                 .selective = position->selective,
                                 .weight_log2 = position->weight_log2,
                                 .partitioned = p->partitions[i] != NULL,
                                 .coherent = position->coherent};
        int err = dj_lane_create(context, &config, &p->lanes[i]);
        if (err)
            return err;
        p->keyers[i] = dj_lane_keyer(p->lanes[i]);
    }
    return DJ_OK;
}

static bool partition_alike(const dj_lane_group *a, const dj_lane_group *b)
{
    return a->partition != DJ_PARTITION_NONE && a->partition == b->partition && a->filter_count == 0 &&
           b->filter_count == 0 &&
           (a->sharers_per_cache ? a->sharers_per_cache : 1) ==
               (b->sharers_per_cache ? b->sharers_per_cache : 1);
}

// Finds or creates what selects the accesses of group `g` of the config. Groups that differ only in their
// lanes select once.
static int make_group(dj_pipeline *p, dj_context *context, const dj_saved_pipeline *saved, size_t g,
                      uint32_t *out)
{
    const dj_lane_group *groups = p->config.groups;
    for (size_t i = 0, lane = 0; i < g; lane += groups[i++].block_count)
        if (partition_alike(&groups[i], &groups[g])) {
            *out = p->positions[lane].group;
            return DJ_OK;
        }
    *out = p->group_count;
    int err = dj_group_create(context, &groups[g], saved ? &saved->groups[g] : NULL, p->use & DJ_NEED_TIMES,
                              &p->groups[p->group_count]);
    p->group_count += !err;
    return err;
}

static int create_groups(dj_pipeline *p, dj_context *context, const dj_saved_pipeline *saved)
{
    uint32_t lane = 0;
    for (size_t g = 0; g < p->config.group_count; g++) {
        const dj_lane_group *from = &p->config.groups[g];
        char partition[64];
        uint32_t number = 0;
        dj_partition_describe(from, partition, sizeof partition);
        int err = make_group(p, context, saved, g, &number);
        for (size_t i = 0; !err && i < from->block_count; i++, lane++) {
            const dj_group *group = p->groups[number];
            dj_lane_id *id = &p->ids[lane];
            *id = (dj_lane_id){.block_bytes = from->blocks[i],
                               .sampling = ldexp(1, -(int)dj_group_weight_log2(group))};
            p->positions[lane] =
                (dj_lane_position){.group = number,
                                   .first = i == 0,
                                   .selective = dj_group_is_selective(group),
                                   .weight_log2 = dj_group_weight_log2(group),
                                   .invalidates = dj_group_invalidates(group) || from->coherent,
                                   .coherent = from->coherent};
            p->partitions[lane] = dj_group_partitions(group);
            err = dj_copy_text(context, dj_group_description(group), &id->filter);
            if (!err)
                err = dj_copy_text(context, partition, &id->partition);
        }
        if (err)
            return err;
    }
    return DJ_OK;
}

dj_setup dj_pipeline_setup(const dj_pipeline *p)
{
    return (dj_setup){.lanes = p->ids,
                      .lane_count = p->lane_count,
                      .partitions = p->partitions,
                      .exact_distances = p->budget.exact_distances,
                      .is_part = p->config.summarize};
}

static int create_observers(dj_pipeline *p, dj_context *context, dj_unpacker *from)
{
    const dj_setup setup = dj_pipeline_setup(p);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < p->config.observer_count; i++) {
        const dj_observer_ops *ops = p->config.observers[i].ops;
        if (ops->watch)
            p->watches |= ops->watches ? ops->watches : UINT32_MAX;
        p->seen |= ops->see && !(p->use & DJ_CAN_TOTALS);
        err =
            dj_observer_create(&p->observers[i], context, &setup, ops, p->config.observers[i].options, from);
    }
    return err;
}

int dj_pipeline_create(dj_context *context, const dj_pipeline_config *config, dj_pipeline **out)
{
    return dj_pipeline_make(context, config, NULL, out);
}

static int allocate(dj_pipeline *p, dj_context *context)
{
    for (size_t i = 0; i < p->config.group_count; i++)
        p->lane_count += (uint32_t)p->config.groups[i].block_count;
    p->groups = calloc(p->config.group_count, sizeof *p->groups);
    p->selections = calloc(p->config.group_count, sizeof *p->selections);
    p->ids = calloc(p->lane_count, sizeof *p->ids);
    p->positions = calloc(p->lane_count, sizeof *p->positions);
    p->partitions = calloc(p->lane_count, sizeof *p->partitions);
    p->lanes = calloc(p->lane_count, sizeof *p->lanes);
    p->keyers = calloc(p->lane_count, sizeof *p->keyers);
    p->views = calloc(p->lane_count, sizeof *p->views);
    p->answers = calloc(p->lane_count, sizeof *p->answers);
    p->orders = calloc(p->lane_count, sizeof *p->orders);
    p->observers = calloc(p->config.observer_count + 1, sizeof *p->observers);
    p->finish_order = calloc(p->config.observer_count + 1, sizeof *p->finish_order);
    if (!p->groups || !p->selections || !p->ids || !p->positions || !p->partitions || !p->lanes ||
        !p->keyers || !p->views || !p->answers || !p->orders || !p->observers || !p->finish_order)
        return dj_fail_memory(context, "the pipeline", 0);
    return DJ_OK;
}

// With fixed memory, the observers were created at the first rate, as when they were saved.
static int restore_rates(dj_pipeline *p, dj_context *context, const dj_saved_pipeline *saved)
{
    for (uint32_t i = 0; i < p->group_count; i++)
        dj_group_set_weight_log2(p->groups[i], saved->groups[i].weight_log2);
    return p->budget.bytes > 0 ? dj_pipeline_take_rate(p, context) : DJ_OK;
}

static int make(dj_pipeline *p, dj_context *context, const dj_saved_pipeline *saved)
{
    int err = check_groups(context, &p->config);
    if (!err)
        err = check_pairing(context, &p->config, &p->use);
    if (!err)
        err = allocate(p, context);
    if (!err)
        err = dj_finish_order(context, &p->config, p->finish_order);
    if (!err)
        err = dj_engine_options_text(context, p->config.engine, p->config.engine_options,
                                     &p->engine_options_text);
    if (err)
        return err;
    p->splitter.block = p->config.split ? p->config.groups[0].blocks[0] : 0;
    dj_pending_init(&p->pending, p->lane_count);
    err = dj_pool_create(context, &p->pool);
    if (!err)
        err = create_groups(p, context, saved);
    if (!err)
        err = check_weights(p, context);
    if (!err)
        err = dj_pipeline_check_samples(p, context, saved != NULL);
    if (!err)
        err = create_lanes(p, context);
    if (!err)
        err = create_observers(p, context, saved ? saved->from : NULL);
    return err || !saved ? err : restore_rates(p, context, saved);
}

int dj_pipeline_make(dj_context *context, const dj_pipeline_config *config, const dj_saved_pipeline *saved,
                     dj_pipeline **out)
{
    const dj_lane_group all = {.blocks = config->blocks, .block_count = config->block_count};
    dj_pipeline *p = calloc(1, sizeof *p);
    if (!p)
        return dj_fail_memory(context, "the pipeline", 0);
    p->config = *config;
    if (!p->config.engine)
        p->config.engine = dj_engine_first(0);
    if (p->config.group_count == 0) {
        p->config.groups = &all;
        p->config.group_count = 1;
    }
    int err = make(p, context, saved);
    // The caller's groups need not outlive this call.
    p->config.groups = NULL;
    p->config.blocks = NULL;
    if (err)
        dj_pipeline_destroy(p);
    else
        *out = p;
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
        if (p->ids)
            dj_lane_id_free(&p->ids[i]);
    }
    for (uint32_t i = 0; p->groups && i < p->config.group_count; i++)
        dj_group_destroy(p->groups[i]);
    dj_pending_free(&p->pending);
    dj_pool_destroy(p->pool);
    free(p->partial_reason);
    free(p->engine_options_text);
    free(p->finish_order);
    free(p->observers);
    free(p->orders);
    free(p->answers);
    free(p->views);
    free(p->keyers);
    free(p->lanes);
    free(p->partitions);
    free(p->positions);
    free(p->ids);
    free(p->selections);
    free(p->groups);
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
