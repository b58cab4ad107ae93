// SPDX-License-Identifier: MIT
// What predictions of shared caches need to know about each sharer.
#include <deja/joint.h>

#include <stdlib.h>

#include "base/grow.h"
#include "base/text.h"
#include "observe/joint/part.h"
#include "observe/observers.h"

typedef struct joint_lane {
    bool wanted;
    const dj_partition_table *table; // NULL: one sharer
    dj_joint_part **parts;           // NULL: no access yet
    size_t capacity;
    uint64_t accesses; // of all sharers
} joint_lane;

typedef struct joint {
    uint32_t lane_count;
    joint_lane lanes[];
} joint;

static void destroy(void *state)
{
    joint *j = state;
    for (uint32_t i = 0; j && i < j->lane_count; i++) {
        for (size_t k = 0; k < j->lanes[i].capacity; k++)
            dj_joint_part_destroy(j->lanes[i].parts[k]);
        free(j->lanes[i].parts);
    }
    free(j);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    const dj_joint_options *options = setup->options;
    joint *j = calloc(1, sizeof *j + setup->lane_count * sizeof j->lanes[0]);
    if (!j)
        return dj_fail_memory(context, "observer joint", 0);
    for (uint32_t i = 0; i < setup->lane_count; i++) {
        joint_lane *lane = &j->lanes[j->lane_count++];
        lane->wanted = !options || options->lanes == 0 || (i < 64 && options->lanes >> i & 1);
        lane->table = setup->partitions ? setup->partitions[i] : NULL;
    }
    *state = j;
    return DJ_OK;
}

static int part_of(joint_lane *lane, dj_context *context, uint32_t row, dj_joint_part **out)
{
    int err = (size_t)row < lane->capacity ? DJ_OK
                                           : dj_grow(context, "observer joint", &lane->parts, &lane->capacity,
                                                     (size_t)row + 1, sizeof *lane->parts);
    if (!err && !lane->parts[row])
        err = dj_joint_part_create(context, lane->table != NULL, &lane->parts[row]);
    *out = err ? NULL : lane->parts[row];
    return err;
}

static int see_lane(joint_lane *lane, dj_context *context, const dj_view *view, uint32_t number)
{
    const dj_lane_view *answers = &view->lanes[number];
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < view->batch->count; i++) {
        uint64_t distance = answers->distance[i];
        const bool counts = distance != DJ_ABSENT;
        if (!counts && answers->verdict && answers->verdict[i] == DJ_VERDICT_FILL)
            distance = answers->filled[i];
        if (distance == DJ_ABSENT)
            continue;
        const uint32_t row = answers->partition ? answers->partition[i] : 0;
        dj_joint_part *part = NULL;
        err = part_of(lane, context, row, &part);
        if (err)
            return err;
        if (part->turns)
            dj_turn_counts_add(part->turns, part->accesses, lane->accesses);
        lane->accesses++;
        if (distance == DJ_COLD)
            err = dj_joint_part_cold(part, context, answers->key[i]);
        else
            err = dj_joint_part_reuse(
                part, context, dj_lane_view_time(view, number, i) - answers->prev_time[i], distance, counts);
    }
    return err;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    joint *j = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < j->lane_count; i++)
        if (j->lanes[i].wanted)
            err = see_lane(&j->lanes[i], context, view, i);
    return err;
}

static int finish_rows(joint_lane *lane, dj_context *context, dj_joint *out)
{
    const size_t count = lane->table ? lane->table->count : 1;
    out->rows = calloc(count + 1, sizeof *out->rows);
    if (!out->rows)
        return dj_fail_memory(context, "observer joint", count * sizeof *out->rows);
    int err = DJ_OK;
    for (; !err && out->count < count; out->count++) {
        dj_joint_sharer *row = &out->rows[out->count];
        row->id = lane->table ? lane->table->rows[out->count].id : 0;
        err = dj_copy_text(context, lane->table ? lane->table->rows[out->count].name : "", &row->name);
        dj_joint_part *part = NULL;
        if (!err)
            err = part_of(lane, context, (uint32_t)out->count, &part);
        if (!err)
            err = dj_joint_part_finish(part, context, row);
    }
    return err;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    joint *j = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < j->lane_count; i++) {
        joint_lane *lane = &j->lanes[i];
        dj_joint *out = NULL;
        if (!lane->wanted)
            continue;
        err = dj_lane_add_section(context, &profile->lanes[i], &dj_section_joint, &out);
        if (!err)
            err = finish_rows(lane, context, out);
    }
    return err;
}

// No merge: positions and windows of the complete trace are only known in order.
const dj_observer_ops dj_observer_joint = {
    .name = "joint",
    .summary = "time and reuse distances of each sharer together, for predictions of shared caches",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS | DJ_NEED_TIMES,
    .fills = &dj_section_joint,
    .create = create,
    .destroy = destroy,
    .see = see,
    .finish = finish,
};
