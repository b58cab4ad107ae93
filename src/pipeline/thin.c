// SPDX-License-Identifier: MIT
// Fixed memory: when the lanes are full, the rate of the sample is halved and they drop the blocks that are
// no longer in it. Whether they are full depends on what lanes and observers hold after whole batches alone,
// so that it happens at the same access on every machine.
#include "pipeline/state.h"

#include <math.h>
#include <stdlib.h>

#include "base/human.h"
#include "base/text.h"

static dj_holding holding_of(const dj_pipeline *p)
{
    dj_engine_stats stats;
    dj_pipeline_stats(p, &stats);
    dj_holding h = {.exact = p->positions[0].weight_log2 == 0, .keys = stats.keys};
    for (uint32_t i = 0; i < p->lane_count; i++)
        h.stacks += p->partitions[i] && p->partitions[i]->count > 1 ? (uint32_t)p->partitions[i]->count : 1;
    for (size_t i = 0; i < p->config.observer_count; i++)
        if (p->observers[i].ops->bytes_ahead)
            h.observed += p->observers[i].ops->bytes_ahead(p->observers[i].state);
    if (p->config.summarize)
        h.observed += dj_pending_bytes_ahead(&p->pending);
    return h;
}

bool dj_pipeline_is_full(const dj_pipeline *p)
{
    if (p->budget.bytes == 0)
        return false;
    const dj_holding h = holding_of(p);
    return dj_budget_is_full(&p->budget, &h);
}

int dj_pipeline_take_rate(dj_pipeline *p, dj_context *context)
{
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < p->lane_count; i++) {
        const dj_group *group = p->groups[p->positions[i].group];
        char *filter = NULL;
        err = dj_copy_text(context, dj_group_description(group), &filter);
        if (err)
            break;
        free(p->ids[i].filter);
        p->ids[i].filter = filter;
        p->positions[i].weight_log2 = dj_group_weight_log2(group);
        p->ids[i].sampling = ldexp(1, -(int)p->positions[i].weight_log2);
    }
    return err;
}

static int thin_lane(dj_pipeline *p, dj_context *context, uint32_t lane)
{
    dj_lane_kept kept = {p->keyers[lane], p->groups[0], p->ids[p->lane_count - 1].block_bytes};
    int err = DJ_OK;
    if (p->sealed)
        dj_kept_order(&kept, &p->orders[lane]);
    else
        err = dj_lane_thin(p->lanes[lane], context, &kept);
    for (size_t i = 0; !err && i < p->config.observer_count; i++)
        if (p->observers[i].ops->thin)
            err = p->observers[i].ops->thin(p->observers[i].state, context, lane, dj_kept_has, &kept);
    return err;
}

// First accesses of a part that are still pending, and no longer in the sample.
static int thin_pending(dj_pipeline *p, dj_context *context)
{
    const uint64_t largest = p->ids[p->lane_count - 1].block_bytes;
    dj_pending *pending = &p->pending;
    size_t kept = 0;
    for (size_t i = 0; i < pending->count; i++) {
        const dj_pending_access *access = &pending->accesses[i];
        if (dj_group_has(p->groups[0], access->address / largest, access->device))
            dj_pending_move(pending, i, kept++);
    }
    return dj_pending_shorten(pending, context, kept);
}

static int halve(dj_pipeline *p, dj_context *context)
{
    if (!dj_group_thin(p->groups[0]))
        return dj_fail(context, DJ_ERR_MEMORY,
                       "--memory: even the smallest sample of the blocks does not fit");
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < p->lane_count; i++)
        err = thin_lane(p, context, i);
    if (!err && p->config.summarize)
        err = thin_pending(p, context);
    return err ? err : dj_pipeline_take_rate(p, context);
}

// If the results take too much memory, and no less than before the rate fell, a lower rate does not help.
static int check_results(const dj_pipeline *p, dj_context *context, const dj_holding *before)
{
    const dj_holding h = holding_of(p);
    const uint64_t least = dj_budget_least(&p->budget, &h);
    char given[DJ_HUMAN_BYTES];
    if (before->exact || h.observed < before->observed || least <= p->budget.bytes)
        return DJ_OK;
    if (h.stacks > p->lane_count)
        return dj_fail(context, DJ_ERR_MEMORY,
                       "--memory: %s is too little for %zu stacks, one for each %s; use at least %lluM, or "
                       "--sample",
                       dj_human_bytes(given, p->budget.bytes), (size_t)h.stacks, p->ids[0].partition,
                       (unsigned long long)((least + (1 << 20)) >> 20));
    return dj_fail(context, DJ_ERR_MEMORY,
                   "--memory: %s is too little for the results of this analysis; use at least %lluM, or "
                   "--sample",
                   dj_human_bytes(given, p->budget.bytes), (unsigned long long)((least + (1 << 20)) >> 20));
}

int dj_pipeline_thin(dj_pipeline *p, dj_context *context)
{
    int err = DJ_OK;
    while (!err && dj_pipeline_is_full(p)) {
        const dj_holding before = holding_of(p);
        err = halve(p, context);
        if (!err)
            err = check_results(p, context, &before);
    }
    return err;
}

int dj_pipeline_lower(dj_pipeline *p, dj_context *context, unsigned weight_log2)
{
    int err = DJ_OK;
    while (!err && p->positions[0].weight_log2 < weight_log2)
        err = halve(p, context);
    return err;
}
