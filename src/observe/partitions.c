// SPDX-License-Identifier: MIT
// Reuse distances of each partition of a lane.
#include "base/grow.h"
#include "base/text.h"
#include "observe/compact.h"
#include "observe/observers.h"

#include <deja/partitions.h>

#include <stdlib.h>

// Distances are gathered before they are counted, since partitions alternate.
enum { GATHERED = 512 };

typedef struct part {
    dj_histogram *histogram; // NULL: nothing counted yet
    uint64_t accesses, cold;
    uint64_t zeros; // distance 0 is frequent and counted all at once
    uint32_t waiting;
    uint64_t *distances;
} part;

typedef struct lane_parts {
    const dj_partition_table *table; // NULL: the lane is not partitioned
    part *parts;
    size_t capacity;
} lane_parts;

typedef struct partitions {
    uint32_t lane_count;
    lane_parts lanes[];
} partitions;

static void destroy(void *state)
{
    partitions *p = state;
    if (!p)
        return;
    for (uint32_t i = 0; i < p->lane_count; i++) {
        for (size_t k = 0; k < p->lanes[i].capacity; k++) {
            dj_histogram_destroy(p->lanes[i].parts[k].histogram);
            free(p->lanes[i].parts[k].distances);
        }
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
    for (uint32_t i = 0; i < p->lane_count; i++)
        p->lanes[i].table = setup->partitions ? setup->partitions[i] : NULL;
    *state = p;
    return DJ_OK;
}

static int make_part(part *p, dj_context *context)
{
    if (p->histogram)
        return DJ_OK;
    p->distances = malloc((GATHERED + DJ_COMPACT_PAD) * sizeof *p->distances);
    return p->distances ? dj_histogram_create(context, &p->histogram)
                        : dj_fail_memory(context, "the partitions", 0);
}

static int count_gathered(part *p, dj_context *context)
{
    uint64_t cold = 0;
    int err = dj_histogram_add_all(p->histogram, context, p->distances, p->waiting, &cold);
    if (!err && p->zeros)
        err = dj_histogram_add(p->histogram, context, 0, p->zeros);
    p->cold += cold;
    p->accesses += p->waiting + p->zeros;
    p->waiting = 0;
    p->zeros = 0;
    return err;
}

static int reserve(lane_parts *lane, dj_context *context, size_t count)
{
    return count <= lane->capacity ? DJ_OK
                                   : dj_grow(context, "the partitions", &lane->parts, &lane->capacity, count,
                                             sizeof *lane->parts);
}

// Consecutive counted accesses of one partition.
static int see_run(part *p, dj_context *context, const uint64_t *distance, uint32_t count)
{
    int err = p->histogram ? DJ_OK : make_part(p, context);
    for (uint32_t from = 0; !err && from < count; from += GATHERED) {
        uint32_t some = count - from < GATHERED ? count - from : GATHERED;
        if (p->waiting + some > GATHERED)
            err = count_gathered(p, context);
        if (err)
            return err;
        uint32_t n = dj_compact_choose()->drop_zeros(distance + from, some, p->distances + p->waiting);
        p->waiting += n;
        p->zeros += some - n;
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
            err = see_run(&lane->parts[row[i]], context, view->distance + i, end - i);
    }
    return err;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    partitions *p = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < p->lane_count; i++)
        if (p->lanes[i].table)
            err = see_lane(&p->lanes[i], context, &view->lanes[i], view->batch->count);
    return err;
}

static int merge_lane(lane_parts *to, dj_context *context, const lane_parts *from)
{
    int err = reserve(to, context, from->capacity);
    for (size_t i = 0; !err && i < from->capacity; i++) {
        part *into = &to->parts[i], rest = from->parts[i];
        if (!rest.histogram)
            continue;
        err = make_part(into, context);
        if (!err)
            err = count_gathered(&rest, context);
        if (!err)
            err = dj_histogram_merge(into->histogram, context, rest.histogram);
        into->accesses += rest.accesses;
        into->cold += rest.cold;
    }
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

static int finish_part(part *from, dj_context *context, const struct dj_partition_row *row, uint64_t block,
                       dj_partition_profile *to)
{
    int err = from && from->histogram ? count_gathered(from, context) : DJ_OK;
    if (!err)
        err = dj_copy_text(context, row->name, &to->name);
    to->id = row->id;
    to->lane.id.block_bytes = block;
    if (err || !from || !from->histogram)
        return err;
    to->lane.accesses = from->accesses;
    to->lane.distinct = to->lane.cold = from->cold;
    return dj_histogram_merge(to->lane.distance, context, from->histogram);
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
            err = finish_part(k < lane->capacity ? &lane->parts[k] : NULL, context, &lane->table->rows[k],
                              to->id.block_bytes, &parts->rows[k]);
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
    .see = see,
    .merge = merge,
    .unordered = true,
    .finish = finish,
};
