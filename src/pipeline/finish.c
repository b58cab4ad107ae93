// SPDX-License-Identifier: MIT
// Ends a run: pending accesses become cold, and the observers fill the profile.
#include "pipeline/state.h"

#include <deja/partitions.h>
#include <deja/sample.h>

#include "profile/identity.h"

#include <string.h>

// No earlier part accessed these keys, so the accesses are cold.
static int release_pending(dj_pipeline *p, dj_context *context)
{
    dj_delivery delivery;
    int err = dj_pipeline_deliver(p, context, &delivery);
    if (err)
        return err;
    for (size_t i = 0; !err && i < p->pending.count; i++)
        err = dj_delivery_add(&delivery, context, &p->pending.accesses[i], p->pending.columns);
    if (!err)
        err = dj_delivery_flush(&delivery, context);
    dj_delivery_end(&delivery);
    dj_pending_free(&p->pending);
    return err;
}

// Models and reports read the distances of every lane, whichever observers were requested.
static int fill_distances(dj_context *context, dj_profile *profile)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < profile->lane_count; i++)
        if (!profile->lanes[i].distance)
            err = dj_histogram_create(context, &profile->lanes[i].distance);
    return err;
}

// The histogram of an engine that counts distances itself goes straight into the profile, since copying
// it takes long; the observers are shown it there.
static int report_totals(dj_pipeline *p, dj_context *context, uint32_t lane, dj_profile *profile)
{
    dj_histogram **distances = &profile->lanes[lane].distance;
    uint64_t cold = 0;
    int err = dj_histogram_create(context, distances);
    if (!err)
        err = dj_lane_totals(p->lanes[lane], context, *distances, &cold);
    for (size_t i = 0; !err && i < p->config.observer_count; i++)
        if (p->observers[i].ops->total)
            err = p->observers[i].ops->total(p->observers[i].state, context, lane, *distances, cold);
    return err;
}

static bool wants_totals(const dj_pipeline *p)
{
    bool wanted = false;
    for (size_t i = 0; p->use & DJ_CAN_TOTALS && i < p->config.observer_count; i++)
        wanted |= p->observers[i].ops->total != NULL;
    return wanted;
}

static int finish_observers(dj_pipeline *p, dj_context *context, dj_profile *profile)
{
    const bool wanted = wants_totals(p);
    int err = DJ_OK;
    for (uint32_t i = 0; !err && wanted && i < p->lane_count; i++)
        err = report_totals(p, context, i, profile);
    for (size_t i = 0; !err && i < p->config.observer_count; i++) {
        const dj_observer *next = &p->observers[p->finish_order[i]];
        err = next->ops->finish(next->state, context, profile);
    }
    return err;
}

static int describe_lanes(const dj_pipeline *p, dj_context *context, dj_profile *profile)
{
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < p->lane_count; i++) {
        dj_lane_profile *lane = &profile->lanes[i];
        const dj_lane_position *position = &p->positions[i];
        lane->accesses =
            position->selective ? dj_group_counted(p->groups[position->group])->counted : p->accesses;
        err = dj_lane_id_copy(context, &p->ids[i], &lane->id);
    }
    return err;
}

// Blocks whose first access only filled the stack are not cold, but they are distinct data.
static int add_filled(const dj_pipeline *p, dj_context *context, dj_profile *profile)
{
    int err = DJ_OK;
    for (uint32_t i = 0; i < p->lane_count; i++) {
        dj_lane_profile *lane = &profile->lanes[i];
        dj_partitions *partitions = dj_lane_partitions(lane);
        const size_t count = p->partitions[i] ? p->partitions[i]->count : 1;
        if (!dj_group_counted(p->groups[p->positions[i].group])->filled || !lane->distance)
            continue;
        for (size_t k = 0; !err && k < count; k++) {
            uint64_t filled = 0;
            err = dj_lane_filled(p->lanes[i], context, (uint32_t)k, &filled);
            lane->distinct += filled;
            if (partitions && p->partitions[i])
                partitions->rows[k].lane.distinct += filled;
        }
    }
    return err;
}

static void describe_sample(const dj_pipeline *p, uint64_t blocks, dj_sample *sample)
{
    sample->first_log2 = p->first_log2;
    sample->memory = p->budget.bytes;
    sample->blocks = blocks;
}

// How the rate of the sample was limited, and what is left in it.
static void describe_samples(const dj_pipeline *p, dj_profile *profile)
{
    for (uint32_t i = 0; p->budget.bytes > 0 && i < p->lane_count; i++) {
        dj_sample *sample = dj_lane_section(&profile->lanes[i], &dj_section_sample);
        dj_partitions *partitions = dj_lane_partitions(&profile->lanes[i]);
        dj_engine_stats stats;
        dj_lane_stats(p->lanes[i], &stats);
        if (sample)
            describe_sample(p, p->sealed ? p->orders[i].count : stats.keys, sample);
        for (size_t k = 0; partitions && k < partitions->count; k++)
            if (partitions->rows[k].lane.sample)
                describe_sample(p, dj_lane_stack_keys(p->lanes[i], k), partitions->rows[k].lane.sample);
    }
}

// Filters may have removed all accesses of a partition.
static void drop_empty_partitions(dj_profile *profile)
{
    for (size_t i = 0; i < profile->lane_count; i++)
        if (dj_lane_partitions(&profile->lanes[i]))
            dj_partitions_drop_empty(dj_lane_partitions(&profile->lanes[i]));
}

int dj_pipeline_finish(dj_pipeline *p, dj_context *context, dj_profile **out)
{
    dj_profile *profile;
    int err = dj_profile_create(context, p->lane_count, &profile);
    if (err)
        return err;
    if (p->config.summarize)
        err = release_pending(p, context);
    if (!err)
        err = dj_pipeline_provenance(p, context, &profile->provenance);
    profile->accesses = p->accesses;
    profile->requests = p->requests;
    profile->outside = p->outside;
    if (!err)
        err = describe_lanes(p, context, profile);
    if (!err)
        err = finish_observers(p, context, profile);
    if (!err)
        err = add_filled(p, context, profile);
    describe_samples(p, profile);
    drop_empty_partitions(profile);
    if (!err)
        err = fill_distances(context, profile);
    if (err) {
        dj_profile_destroy(profile);
        return err;
    }
    *out = profile;
    return DJ_OK;
}
