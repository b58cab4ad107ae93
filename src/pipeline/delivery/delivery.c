// SPDX-License-Identifier: MIT
#include "pipeline/delivery/delivery.h"

#include "pipeline/delivery/observer_threads.h"

#include <stdlib.h>

// Buffer for one lane: key, distance, prev_time, byte_distance, time (u64), prev_tag (u32) and verdict
// (u8).
enum { LANE_WORDS = DJ_BATCH_CAPACITY * 5 + DJ_BATCH_CAPACITY / 2 + DJ_BATCH_CAPACITY / 8 };

enum { KEY, DISTANCE, PREV_TIME, BYTE_DISTANCE, TIME, PREV_TAG };

int dj_delivery_begin(dj_delivery *delivery, dj_context *context, dj_pool *pool, const dj_observer *observers,
                      size_t observer_count, const dj_delivery_lanes *lanes)
{
    *delivery = (dj_delivery){.observers = observers, .observer_count = observer_count, .of = *lanes};
    int err = dj_pool_take(context, pool, &delivery->batch);
    if (err)
        return err;
    delivery->columns = malloc((size_t)lanes->count * LANE_WORDS * sizeof(uint64_t));
    delivery->lanes = calloc(lanes->count, sizeof *delivery->lanes);
    if (!delivery->columns || !delivery->lanes) {
        dj_delivery_end(delivery);
        return dj_fail_memory(context, "joining parts of a trace", 0);
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

static uint64_t *lane_column(const dj_delivery *delivery, uint32_t lane, uint32_t column)
{
    return delivery->columns + (size_t)lane * LANE_WORDS + (size_t)column * DJ_BATCH_CAPACITY;
}

static uint32_t *tag_column(const dj_delivery *delivery, uint32_t lane)
{
    return (uint32_t *)lane_column(delivery, lane, PREV_TAG);
}

static uint8_t *verdict_column(const dj_delivery *delivery, uint32_t lane)
{
    return (uint8_t *)(tag_column(delivery, lane) + DJ_BATCH_CAPACITY);
}

static void put_answer(dj_delivery *delivery, uint32_t lane, uint32_t at, uint64_t key,
                       const dj_pending_answer *answer)
{
    lane_column(delivery, lane, KEY)[at] = key;
    lane_column(delivery, lane, DISTANCE)[at] = answer->distance;
    lane_column(delivery, lane, PREV_TIME)[at] = answer->prev_time;
    lane_column(delivery, lane, BYTE_DISTANCE)[at] = answer->byte_distance;
    lane_column(delivery, lane, TIME)[at] = answer->time;
    tag_column(delivery, lane)[at] = answer->prev_tag;
    verdict_column(delivery, lane)[at] = answer->distance == DJ_ABSENT ? DJ_VERDICT_ABSENT : DJ_VERDICT_COUNT;
}

static dj_lane_view make_view(const dj_delivery *delivery, uint32_t lane)
{
    const dj_lane_position *position = &delivery->of.positions[lane];
    const uint32_t use = dj_lane_use(delivery->of.use, position->first);
    const bool times = use & DJ_CAN_TIMES;
    return (dj_lane_view){
        .id = &delivery->of.ids[lane],
        .weight_log2 = position->weight_log2,
        .key = lane_column(delivery, lane, KEY),
        .distance = lane_column(delivery, lane, DISTANCE),
        .verdict = position->selective ? verdict_column(delivery, lane) : NULL,
        .time = position->selective && times ? lane_column(delivery, lane, TIME) : NULL,
        .prev_time = times ? lane_column(delivery, lane, PREV_TIME) : NULL,
        .byte_distance = use & DJ_CAN_WEIGHTS ? lane_column(delivery, lane, BYTE_DISTANCE) : NULL,
        .prev_tag = use & DJ_CAN_TAGS ? tag_column(delivery, lane) : NULL,
    };
}

int dj_delivery_flush(dj_delivery *delivery, dj_context *context)
{
    if (delivery->batch->count == 0)
        return DJ_OK;
    for (uint32_t i = 0; i < delivery->of.count; i++)
        delivery->lanes[i] = make_view(delivery, i);
    dj_view view = {.batch = delivery->batch, .lanes = delivery->lanes, .lane_count = delivery->of.count};
    int err = dj_show(context, delivery->observers, delivery->observer_count, DJ_SHOW_SEE, &view);
    delivery->batch->count = 0;
    return err;
}

// Finds a position for one more access with these columns; all accesses of a batch have the same
// columns.
static int next_slot(dj_delivery *delivery, dj_context *context, uint32_t columns, uint32_t *at)
{
    columns = (columns | DJ_COLUMN_TIME) & DJ_PENDING_COLUMNS;
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
    to.offset[at] = access->offset;
    to.kind[at] = access->kind;
    for (uint32_t i = 0; i < delivery->of.count; i++)
        put_answer(delivery, i, at, dj_keyer_key(delivery->of.keyers[i], access->address, access->device),
                   &access->answers[i]);
    return DJ_OK;
}
