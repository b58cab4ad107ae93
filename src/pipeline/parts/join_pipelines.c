// SPDX-License-Identifier: MIT
// Joins pipelines that analyzed adjacent parts of one trace.
#include "pipeline/parts/join_lane.h"
#include "pipeline/state.h"
#include "profile/identity.h"

int dj_pipeline_seal(dj_pipeline *p, dj_context *context)
{
    for (uint32_t i = 0; !p->sealed && i < p->lane_count; i++) {
        int err = dj_lane_order(p->lanes[i], context, &p->orders[i]);
        if (err)
            return err;
    }
    p->sealed = true;
    return DJ_OK;
}

// Number of accesses in the lane's own numbering.
static uint64_t length_of(const dj_pipeline *p, uint32_t lane)
{
    const dj_lane_position *position = &p->positions[lane];
    return position->selective ? dj_group_counted(p->groups[position->group])->counted : p->accesses;
}

// Positions in the later part are relative to its beginning until it is joined.
static void shift_times(dj_pipeline *later, const dj_pipeline *p)
{
    for (size_t i = 0; i < later->pending.count; i++)
        later->pending.accesses[i].time += p->accesses;
    for (uint32_t lane = 0; lane < later->lane_count; lane++) {
        const uint64_t by = length_of(p, lane);
        for (size_t i = 0; i < later->pending.count; i++) {
            dj_pending_answer *answer = &later->pending.accesses[i].answers[lane];
            answer->time += by;
            if (answer->distance != DJ_COLD)
                answer->prev_time += by;
        }
        for (size_t i = 0; later->orders[lane].time && i < later->orders[lane].count; i++)
            later->orders[lane].time[i] += by;
    }
}

static bool same_lanes(const dj_pipeline *a, const dj_pipeline *b)
{
    bool same = a->lane_count == b->lane_count;
    for (uint32_t i = 0; same && i < a->lane_count; i++)
        same = dj_lane_id_same(&a->ids[i], &b->ids[i]);
    return same;
}

static int check_alike(dj_context *context, const dj_pipeline *a, const dj_pipeline *b)
{
    if (!same_lanes(a, b) || a->budget.bytes != b->budget.bytes || a->config.split != b->config.split ||
        a->use != b->use || a->config.observer_count != b->config.observer_count)
        return dj_fail(context, DJ_ERR_USAGE, "the parts were analyzed differently and cannot be joined");
    return DJ_OK;
}

// Shows the accesses that are answered now; the others stay pending.
static int show_resolved(dj_pipeline *p, dj_context *context, dj_pending *later)
{
    dj_delivery delivery;
    int err = dj_pipeline_deliver(p, context, &delivery);
    if (err)
        return err;
    for (size_t i = 0; !err && i < later->count; i++) {
        const dj_pending_access *access = &later->accesses[i];
        if (dj_pending_is_open(later, access))
            err = dj_pending_add(&p->pending, context, access, later->columns);
        else
            err = dj_delivery_add(&delivery, context, access, later->columns);
    }
    if (!err)
        err = dj_delivery_flush(&delivery, context);
    dj_delivery_end(&delivery);
    return err;
}

// Parts in fixed memory may end at different rates; the lowest is that of the whole.
static int lower_rates(dj_pipeline *p, dj_context *context, dj_pipeline *later)
{
    const unsigned here = p->positions[0].weight_log2, there = later->positions[0].weight_log2;
    if (p->budget.bytes == 0 || later->budget.bytes == 0)
        return DJ_OK;
    p->first_log2 = later->first_log2 < p->first_log2 ? later->first_log2 : p->first_log2;
    int err = dj_pipeline_lower(p, context, there);
    return err ? err : dj_pipeline_lower(later, context, here);
}

int dj_pipeline_join(dj_pipeline *p, dj_context *context, dj_pipeline *later)
{
    if (!p->config.summarize || !later->config.summarize)
        return dj_fail(context, DJ_ERR_USAGE, "only pipelines created with `summarize` can be joined");
    int err = dj_pipeline_seal(p, context);
    if (!err)
        err = dj_pipeline_seal(later, context);
    if (!err)
        err = lower_rates(p, context, later);
    if (!err)
        err = check_alike(context, p, later);
    if (err)
        return err;
    shift_times(later, p);
    for (uint32_t i = 0; !err && i < p->lane_count; i++) {
        err = dj_keyer_merge(p->keyers[i], context, later->keyers[i]);
        if (!err)
            err = dj_join_lane(
                context, &p->orders[i], &later->pending,
                &(dj_lane_join){i, p->keyers[i], p->positions[i].weight_log2, p->budget.bytes > 0},
                &later->orders[i]);
    }
    for (size_t i = 0; !err && i < p->config.observer_count; i++)
        err = p->observers[i].ops->merge(p->observers[i].state, context, later->observers[i].state,
                                         p->accesses);
    if (!err)
        err = show_resolved(p, context, &later->pending);
    dj_pending_free(&later->pending);
    p->accesses += later->accesses;
    for (uint32_t i = 0; i < p->group_count; i++)
        dj_group_counted(p->groups[i])->counted += dj_group_counted(later->groups[i])->counted;
    p->requests += later->requests;
    p->outside += later->outside;
    dj_pipeline_join_threads(p, later);
    if (!p->partial_reason && later->partial_reason) {
        p->partial_reason = later->partial_reason;
        later->partial_reason = NULL;
    }
    return err;
}
