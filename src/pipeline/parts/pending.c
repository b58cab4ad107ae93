// SPDX-License-Identifier: MIT
#include "pipeline/parts/pending.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 1024 }; // accesses

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

static int resize(dj_pending *pending, dj_context *context, size_t capacity)
{
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

uint64_t dj_pending_bytes_ahead(const dj_pending *pending)
{
    const size_t each = sizeof *pending->accesses + pending->lane_count * sizeof *pending->answers;
    const bool grows = pending->count + 2 * (size_t)DJ_BATCH_CAPACITY > pending->capacity;
    const size_t capacity = pending->capacity > LEAST ? pending->capacity : LEAST;
    return (grows ? 3 : 1) * capacity * each;
}

void dj_pending_move(dj_pending *pending, size_t from, size_t to)
{
    dj_pending_answer *answers = pending->answers + to * pending->lane_count;
    memmove(answers, pending->accesses[from].answers, pending->lane_count * sizeof *answers);
    pending->accesses[to] = pending->accesses[from];
    pending->accesses[to].answers = answers;
}

int dj_pending_shorten(dj_pending *pending, dj_context *context, size_t count)
{
    const size_t capacity = count + count / 2 + LEAST;
    pending->count = count;
    return capacity < pending->capacity ? resize(pending, context, capacity) : DJ_OK;
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
    out->offset = c->offset ? c->offset[index] : 0;
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
        int err = resize(pending, context, pending->capacity ? 2 * pending->capacity : LEAST);
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
