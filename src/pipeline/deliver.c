// SPDX-License-Identifier: MIT
#include "pipeline/deliver.h"

#include "pipeline/lane.h"
#include "pipeline/relay.h"

#include <stdlib.h>

// Room for one lane: key, distance, prev_time, byte_distance (u64) and prev_tag (u32).
enum { LANE_WORDS = DJ_BATCH_CAPACITY * 4 + DJ_BATCH_CAPACITY / 2 };

int dj_delivery_begin(dj_delivery *delivery, dj_context *context, dj_pool *pool, const dj_watcher *observers,
                      size_t observer_count, dj_keyer *const *keyers, uint32_t lane_count, uint32_t use)
{
    *delivery = (dj_delivery){.observers = observers,
                              .observer_count = observer_count,
                              .keyers = keyers,
                              .lane_count = lane_count,
                              .use = use};
    int err = dj_pool_take(context, pool, &delivery->batch);
    if (err)
        return err;
    delivery->columns = malloc((size_t)lane_count * LANE_WORDS * sizeof(uint64_t));
    delivery->lanes = calloc(lane_count, sizeof *delivery->lanes);
    if (!delivery->columns || !delivery->lanes) {
        dj_delivery_end(delivery);
        return dj_fail_memory(context, "joining pieces of a trace", 0);
    }
    return DJ_OK;
}

void dj_delivery_end(dj_delivery *delivery)
{
    dj_batch_release(delivery->batch);
    free(delivery->columns);
    free(delivery->lanes);
    *delivery = (dj_delivery){0};
}

static uint64_t *lane_room(const dj_delivery *delivery, uint32_t lane, uint32_t column)
{
    return delivery->columns + (size_t)lane * LANE_WORDS + (size_t)column * DJ_BATCH_CAPACITY;
}

static void put_answer(dj_delivery *delivery, uint32_t lane, uint32_t at, uint64_t key,
                       const dj_pending_answer *answer)
{
    lane_room(delivery, lane, 0)[at] = key;
    lane_room(delivery, lane, 1)[at] = answer->distance;
    lane_room(delivery, lane, 2)[at] = answer->prev_time;
    lane_room(delivery, lane, 3)[at] = answer->byte_distance;
    ((uint32_t *)lane_room(delivery, lane, 4))[at] = answer->prev_tag;
}

int dj_delivery_flush(dj_delivery *delivery, dj_context *context)
{
    if (delivery->batch->count == 0)
        return DJ_OK;
    for (uint32_t i = 0; i < delivery->lane_count; i++) {
        uint32_t use = dj_lane_use(delivery->use, i);
        delivery->lanes[i] = (dj_lane_view){
            .block_bytes = delivery->keyers[i]->block,
            .key = lane_room(delivery, i, 0),
            .distance = lane_room(delivery, i, 1),
            .prev_time = use & DJ_CAN_TIMES ? lane_room(delivery, i, 2) : NULL,
            .byte_distance = use & DJ_CAN_WEIGHTS ? lane_room(delivery, i, 3) : NULL,
            .prev_tag = use & DJ_CAN_TAGS ? (const uint32_t *)lane_room(delivery, i, 4) : NULL,
        };
    }
    dj_view view = {.batch = delivery->batch, .lanes = delivery->lanes, .lane_count = delivery->lane_count};
    int err = dj_show(context, delivery->observers, delivery->observer_count, DJ_SHOW_SEE, &view);
    delivery->batch->count = 0;
    return err;
}

// Makes room for one more access with these columns; a batch has one set of them.
static int next_slot(dj_delivery *delivery, dj_context *context, uint32_t columns, uint32_t *at)
{
    columns |= DJ_COLUMN_TIME;
    if (delivery->batch->count == DJ_BATCH_CAPACITY || dj_batch_columns(delivery->batch) != columns) {
        int err = dj_delivery_flush(delivery, context);
        if (err)
            return err;
        dj_batch_set_columns(delivery->batch, columns);
    }
    *at = delivery->batch->count++;
    return DJ_OK;
}

int dj_delivery_add(dj_delivery *delivery, dj_context *context, const dj_pending_access *access,
                    uint32_t columns)
{
    uint32_t at;
    int err = next_slot(delivery, context, columns, &at);
    if (err)
        return err;
    dj_batch_buffers to = dj_batch_writable(delivery->batch);
    to.address[at] = access->address;
    to.size[at] = access->size;
    to.time[at] = access->time;
    to.device[at] = access->device;
    to.site[at] = access->site;
    to.place[at] = access->place;
    to.kind[at] = access->kind;
    for (uint32_t i = 0; i < delivery->lane_count; i++)
        put_answer(delivery, i, at, dj_keyer_key(delivery->keyers[i], access->address, access->device),
                   &access->answers[i]);
    return DJ_OK;
}
