// SPDX-License-Identifier: MIT
// Reuse distances of each partition of a lane.
#include "base/grow.h"
#include "base/text.h"
#include "observe/gathered.h"
#include "observe/observers.h"

#include <deja/partitions.h>

#include <stdlib.h>

typedef struct lane_parts {
    const dj_partition_table *table; // NULL: the lane is not partitioned
    dj_gathered *parts;
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
        for (size_t k = 0; k < p->lanes[i].capacity; k++)
            dj_gathered_free(&p->lanes[i].parts[k]);
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

static int reserve(lane_parts *lane, dj_context *context, size_t count)
{
    return count <= lane->capacity ? DJ_OK
                                   : dj_grow(context, "the partitions", &lane->parts, &lane->capacity, count,
                                             sizeof *lane->parts);
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
            err = dj_gathered_add(&lane->parts[row[i]], context, view->distance + i, end - i);
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
    for (size_t i = 0; !err && i < from->capacity; i++)
        err = dj_gathered_merge(&to->parts[i], context, &from->parts[i]);
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

static int finish_part(dj_gathered *from, dj_context *context, const struct dj_partition_row *row,
                       uint64_t block, dj_partition_profile *to)
{
    to->id = row->id;
    to->lane.id.block_bytes = block;
    int err = dj_copy_text(context, row->name, &to->name);
    return err || !from ? err : dj_gathered_finish(from, context, &to->lane);
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
