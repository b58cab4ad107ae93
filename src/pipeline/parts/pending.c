// SPDX-License-Identifier: MIT
#include "pipeline/parts/pending.h"

#include <stdlib.h>
#include <string.h>

void dj_pending_init(dj_pending *pending, uint32_t lane_count)
{
    *pending = (dj_pending){.lane_count = lane_count};
}

void dj_pending_free(dj_pending *pending)
{
    free(pending->accesses);
    free(pending->answers);
    *pending = (dj_pending){.lane_count = pending->lane_count};
}

static int grow(dj_pending *pending, dj_context *context)
{
    size_t capacity = pending->capacity ? 2 * pending->capacity : 1024;
    dj_pending_access *accesses = realloc(pending->accesses, capacity * sizeof *accesses);
    if (!accesses)
        return dj_fail_memory(context, "pending accesses", capacity * sizeof *accesses);
    pending->accesses = accesses;
    dj_pending_answer *answers = realloc(pending->answers, capacity * pending->lane_count * sizeof *answers);
    if (!answers)
        return dj_fail_memory(context, "pending accesses", capacity * pending->lane_count * sizeof *answers);
    pending->answers = answers;
    pending->capacity = capacity;
    for (size_t i = 0; i < pending->count; i++)
        accesses[i].answers = answers + i * pending->lane_count;
    return DJ_OK;
}

void dj_pending_from_view(const dj_view *view, uint32_t index, dj_pending_access *out)
{
    const dj_columns *c = &view->batch->column;
    out->address = c->address[index];
    out->size = c->size ? c->size[index] : 0;
    out->time = dj_batch_time(view->batch, index);
    out->device = c->device ? c->device[index] : 0;
    out->site = c->site ? c->site[index] : 0;
    out->place = c->place ? c->place[index] : 0;
    out->kind = c->kind ? c->kind[index] : 0;
    for (uint32_t i = 0; i < view->lane_count; i++) {
        const dj_lane_view *lane = &view->lanes[i];
        out->answers[i] = (dj_pending_answer){
            .distance = lane->distance[index],
            .prev_time = lane->prev_time ? lane->prev_time[index] : 0,
            .byte_distance = lane->byte_distance ? lane->byte_distance[index] : 0,
            .time = lane->time ? lane->time[index] : 0,
            .prev_tag = lane->prev_tag ? lane->prev_tag[index] : 0,
        };
    }
}

int dj_pending_add(dj_pending *pending, dj_context *context, const dj_pending_access *access,
                   uint32_t columns)
{
    if (pending->count == pending->capacity) {
        int err = grow(pending, context);
        if (err)
            return err;
    }
    dj_pending_access *to = &pending->accesses[pending->count];
    *to = *access;
    to->answers = pending->answers + pending->count * pending->lane_count;
    memcpy(to->answers, access->answers, pending->lane_count * sizeof *to->answers);
    pending->count++;
    pending->columns |= columns;
    return DJ_OK;
}

bool dj_pending_is_open(const dj_pending *pending, const dj_pending_access *access)
{
    for (uint32_t i = 0; i < pending->lane_count; i++)
        if (access->answers[i].distance == DJ_COLD)
            return true;
    return false;
}
