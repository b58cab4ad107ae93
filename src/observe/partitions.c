// SPDX-License-Identifier: MIT
// Reuse distances of each partition of a lane.
#include "base/grow.h"
#include "base/text.h"
#include "observe/counted.h"
#include "observe/gathered.h"
#include "observe/known_total.h"
#include "observe/observers.h"
#include "observe/sample_slices.h"

#include <deja/partitions.h>

#include <stdlib.h>

typedef struct lane_parts {
    const dj_partition_table *table; // NULL: the lane is not partitioned
    dj_gathered *parts;
    size_t capacity;
    const dj_lane_id *id;
    bool rounded; // with fixed memory, since it became a sample
    // If it is a sample, or may become one:
    dj_sample_tally *samples;
    size_t sample_capacity;
    uint64_t *known; // accesses that count, in the sample or not
    size_t known_capacity;
} lane_parts;

typedef struct partitions {
    uint32_t lane_count;
    bool in_fixed_memory; // a lane without a sample may become one
    lane_parts lanes[];
} partitions;

static void destroy(void *state)
{
    partitions *p = state;
    if (!p)
        return;
    for (uint32_t i = 0; i < p->lane_count; i++) {
        for (size_t k = 0; k < p->lanes[i].capacity; k++)
            dj_gathered_free(&p->lanes[i].parts[k]);
        for (size_t k = 0; k < p->lanes[i].sample_capacity; k++)
            dj_sample_slices_free(&p->lanes[i].samples[k].slices);
        free(p->lanes[i].samples);
        free(p->lanes[i].known);
        free(p->lanes[i].parts);
    }
    free(p);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    partitions *p = calloc(1, sizeof *p + setup->lane_count * sizeof p->lanes[0]);
    if (!p)
        return dj_fail_memory(context, "the partitions", 0);
    p->lane_count = setup->lane_count;
    for (uint32_t i = 0; i < p->lane_count; i++) {
        p->lanes[i].table = setup->partitions ? setup->partitions[i] : NULL;
        p->lanes[i].id = &setup->lanes[i];
    }
    p->in_fixed_memory = setup->exact_distances > 0;
    *state = p;
    return DJ_OK;
}

static bool is_sampled(const lane_parts *lane)
{
    return lane->id->sampling < 1;
}

static int reserve(lane_parts *lane, dj_context *context, size_t count)
{
    return count <= lane->capacity ? DJ_OK
                                   : dj_grow(context, "the partitions", &lane->parts, &lane->capacity, count,
                                             sizeof *lane->parts);
}

static int reserve_samples(lane_parts *lane, dj_context *context, size_t count)
{
    return count <= lane->sample_capacity ? DJ_OK
                                          : dj_grow(context, "the partitions", &lane->samples,
                                                    &lane->sample_capacity, count, sizeof *lane->samples);
}

static int reserve_known(lane_parts *lane, dj_context *context, size_t count)
{
    return count <= lane->known_capacity ? DJ_OK
                                         : dj_grow(context, "the partitions", &lane->known,
                                                   &lane->known_capacity, count, sizeof *lane->known);
}

// Counts all accesses of each partition.
static int watch(void *state, dj_context *context, const dj_view *view)
{
    partitions *p = state;
    int err = DJ_OK;
    for (uint32_t i = 0; i < p->lane_count; i++) {
        lane_parts *lane = &p->lanes[i];
        const dj_lane_view *answers = &view->lanes[i];
        const bool counts = lane->table && (is_sampled(lane) || p->in_fixed_memory);
        for (uint32_t k = 0; !err && counts && k < view->batch->count; k++) {
            if (answers->verdict && !dj_verdict_belongs(answers->verdict[k]))
                continue;
            err = reserve_known(lane, context, (size_t)answers->partition[k] + 1);
            if (!err)
                lane->known[answers->partition[k]]++;
        }
    }
    return err;
}

static int see_samples(lane_parts *lane, dj_context *context, const dj_view *view,
                       const dj_lane_view *answers)
{
    const uint64_t *largest = view->lanes[view->lane_count - 1].key;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < view->batch->count; i++) {
        if (answers->verdict && answers->verdict[i] != DJ_VERDICT_COUNT)
            continue;
        err = reserve_samples(lane, context, (size_t)answers->partition[i] + 1);
        if (!err)
            err = dj_sample_tally_add(&lane->samples[answers->partition[i]], context,
                                      dj_sample_slice(largest[i]), answers->distance[i],
                                      UINT64_C(1) << answers->weight_log2);
    }
    return err;
}

static int see_lane(lane_parts *lane, dj_context *context, const dj_lane_view *view, uint32_t count)
{
    const uint32_t *row = view->partition;
    const uint8_t *verdict = view->verdict;
    int err = DJ_OK;
    for (uint32_t i = 0, end; !err && i < count; i = end) {
        end = i + 1;
        if (verdict && verdict[i] != DJ_VERDICT_COUNT)
            continue;
        while (end < count && row[end] == row[i] && (!verdict || verdict[end] == DJ_VERDICT_COUNT))
            end++;
        err = reserve(lane, context, (size_t)row[i] + 1);
        if (!err)
            err = dj_gathered_add(&lane->parts[row[i]], context, view->distance + i, end - i,
                                  view->weight_log2);
    }
    return err;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    partitions *p = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < p->lane_count; i++) {
        if (!p->lanes[i].table)
            continue;
        err = see_lane(&p->lanes[i], context, &view->lanes[i], view->batch->count);
        if (!err && (is_sampled(&p->lanes[i]) || p->in_fixed_memory))
            err = see_samples(&p->lanes[i], context, view, &view->lanes[i]);
    }
    return err;
}

static uint64_t bytes_ahead(const void *state)
{
    const partitions *p = state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->lane_count; i++) {
        const lane_parts *lane = &p->lanes[i];
        for (size_t k = 0; k < lane->capacity; k++)
            sum += dj_gathered_bytes_ahead(&lane->parts[k]) + sizeof *lane->parts;
        for (size_t k = 0; k < lane->sample_capacity; k++)
            sum += dj_sample_slices_bytes_ahead(&lane->samples[k].slices) + sizeof *lane->samples;
    }
    return sum;
}

// From here on, the lane itself rounds distances.
static int thin(void *state, dj_context *context, uint32_t lane, dj_keeps *keeps, void *user)
{
    (void)keeps;
    (void)user;
    lane_parts *parts = &((partitions *)state)->lanes[lane];
    int err = DJ_OK;
    for (size_t k = 0; !err && !parts->rounded && k < parts->capacity; k++)
        err = dj_gathered_round(&parts->parts[k], context);
    parts->rounded = parts->rounded || !err;
    return err;
}

static int merge_lane(lane_parts *to, dj_context *context, const lane_parts *from)
{
    int err = reserve(to, context, from->capacity);
    for (size_t i = 0; !err && i < from->capacity; i++)
        err = dj_gathered_merge(&to->parts[i], context, &from->parts[i]);
    if (!err)
        err = reserve_samples(to, context, from->sample_capacity);
    for (size_t i = 0; !err && i < from->sample_capacity; i++)
        err = dj_sample_tally_merge(&to->samples[i], context, &from->samples[i]);
    if (!err)
        err = reserve_known(to, context, from->known_capacity);
    for (size_t i = 0; !err && i < from->known_capacity; i++)
        to->known[i] += from->known[i];
    return err;
}

// Merges states that share the batches; parts of a trace are not partitioned.
static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)position;
    partitions *p = state;
    const partitions *o = other;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < p->lane_count; i++)
        err = merge_lane(&p->lanes[i], context, &o->lanes[i]);
    return err;
}

// Makes the counts from the sample those of all accesses.
static int finish_sample(const lane_parts *lane, dj_context *context, size_t at, dj_lane_profile *to)
{
    static const dj_sample_tally none = {0};
    to->id.sampling = lane->id->sampling;
    to->accesses = at < lane->known_capacity ? lane->known[at] : 0;
    to->sample = calloc(1, sizeof *to->sample);
    if (!to->sample)
        return dj_fail_memory(context, "the partitions", sizeof *to->sample);
    int err = dj_match_known_total(context, to->accesses, 0, &to->cold, &to->distance);
    to->distinct = to->cold;
    return err ? err
               : dj_sample_tally_finish(at < lane->sample_capacity ? &lane->samples[at] : &none, context,
                                        lane->id->sampling, to->accesses, to->sample);
}

static int finish_part(lane_parts *lane, dj_context *context, size_t at, uint64_t block,
                       dj_partition_profile *to)
{
    const struct dj_partition_row *row = &lane->table->rows[at];
    to->id = row->id;
    to->lane.id.block_bytes = block;
    int err = dj_copy_text(context, row->name, &to->name);
    if (!err && at < lane->capacity)
        err = dj_gathered_finish(&lane->parts[at], context, &to->lane);
    return err || !is_sampled(lane) ? err : finish_sample(lane, context, at, &to->lane);
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    partitions *p = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < p->lane_count; i++) {
        lane_parts *lane = &p->lanes[i];
        dj_lane_profile *to = &profile->lanes[i];
        if (!lane->table)
            continue;
        dj_partitions *parts = NULL;
        err = dj_partitions_create(context, lane->table->count, &parts);
        if (!err)
            err = dj_lane_give_section(context, to, &dj_section_partitions, parts);
        for (size_t k = 0; !err && k < lane->table->count; k++)
            err = finish_part(lane, context, k, to->id.block_bytes, &parts->rows[k]);
    }
    return err;
}

const dj_observer_ops dj_observer_partitions = {
    .name = "partitions",
    .summary = "reuse distances of each thread, device or file",
    .needs = DJ_NEED_PER_ACCESS,
    .fills = &dj_section_partitions,
    .create = create,
    .destroy = destroy,
    .watch = watch,
    .needs_all = dj_needs_unsampled,
    .see = see,
    .merge = merge,
    .unordered = true,
    .weighs = true,
    .bounded = true,
    .bytes_ahead = bytes_ahead,
    .thin = thin,
    .finish = finish,
};
