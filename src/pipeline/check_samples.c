// SPDX-License-Identifier: MIT
// What can be estimated from a sample of the blocks, and in fixed memory.
#include "pipeline/state.h"

enum { SAVED_DISTANCES = 1 << 30 }; // as in dj_budget.exact_distances: any power of two

static int refuse(dj_context *context, const dj_observer_ops *ops, const char *what)
{
    return dj_fail(context, DJ_ERR_UNSUPPORTED, "%s (%s) cannot be %s; leave one of the two out", ops->name,
                   ops->summary, what);
}

// An observer must count what it finds in a sample for all blocks.
static int check_observers(const dj_pipeline *p, dj_context *context, bool in_fixed_memory)
{
    for (size_t i = 0; i < p->config.observer_count; i++) {
        const dj_observer_ops *ops = p->config.observers[i].ops;
        if (!ops->weighs)
            return refuse(context, ops, "estimated from a sample of the blocks");
        if (in_fixed_memory && !ops->bounded)
            return refuse(context, ops, "measured in fixed memory (--memory)");
    }
    return DJ_OK;
}

static int refuse_memory(dj_context *context, const char *why)
{
    return dj_fail(context, DJ_ERR_UNSUPPORTED, "--memory: %s", why);
}

// What would keep the memory from being limited, or a block from being in the sample at one size only.
static int check_lanes(const dj_pipeline *p, dj_context *context)
{
    const uint64_t largest = p->ids[p->lane_count - 1].block_bytes;
    if (p->group_count > 1)
        return refuse_memory(context,
                             "there must be one group of stacks, not one for each cache; use --sample");
    if (p->positions[0].invalidates)
        return refuse_memory(context, "blocks that are invalidated cannot be dropped from the sample");
    if (p->config.summarize && p->use & DJ_NEED_WEIGHTS)
        return refuse_memory(context, "distances in bytes cannot be joined from parts in fixed memory; use "
                                      "--sample");
    for (uint32_t i = 0; i < p->lane_count; i++)
        if (largest % p->ids[i].block_bytes != 0)
            return refuse_memory(context, "the largest block size must be a multiple of all others");
    return DJ_OK;
}

// What the last-access order takes, which is listed when a part ends.
static uint64_t order_bytes(const dj_pipeline *p)
{
    const uint32_t use = dj_lane_use(p->use, true) | dj_lane_use(p->use, false);
    return p->config.summarize ? sizeof(uint64_t) + (use & DJ_CAN_TAGS ? sizeof(uint32_t) : 0) +
                                     (use & DJ_CAN_TIMES ? sizeof(uint64_t) : 0)
                               : 0;
}

static int plan_memory(dj_pipeline *p, dj_context *context, uint64_t bytes)
{
    const dj_engine_ops *engine = p->config.engine;
    int err = check_lanes(p, context);
    if (err)
        return err;
    if (!engine->keep || !engine->bytes_for)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "--memory: engine '%s' cannot drop keys when memory is full; choose another --engine",
                       engine->name);
    const dj_budget_task task = {
        .engine = engine,
        .params = {.use = dj_lane_use(p->use, true) | dj_lane_use(p->use, false) | DJ_CAN_REMOVE,
                   .options = p->config.engine_options},
        .lanes = p->lane_count,
        .key_bytes = order_bytes(p)};
    return dj_budget_make(context, bytes, &task, &p->budget);
}

int dj_pipeline_check_samples(dj_pipeline *p, dj_context *context, bool saved)
{
    bool samples = false;
    uint64_t memory = 0;
    for (uint32_t i = 0; i < p->group_count; i++) {
        memory = memory ? memory : dj_group_memory(p->groups[i]);
        samples = samples || memory || dj_group_weight_log2(p->groups[i]) > 0;
    }
    int err = samples ? check_observers(p, context, memory > 0) : DJ_OK;
    if (err || memory == 0)
        return err;
    p->first_log2 = p->positions[0].weight_log2;
    if (!saved)
        return plan_memory(p, context, memory);
    p->budget = (dj_budget){.bytes = memory, .exact_distances = SAVED_DISTANCES}; // it does not run
    return DJ_OK;
}
