// SPDX-License-Identifier: MIT
#include "observe/counted.h"

#include <stdlib.h>

// Wide columns first, so that all are aligned.
enum {
    BATCH_BYTES = 4 * sizeof(uint64_t) + 4 * sizeof(uint32_t) + 2, // address, size, offset, time; …
    LANE_BYTES = 5 * sizeof(uint64_t) + 3 * sizeof(uint32_t) + 1,
};

void dj_counted_free(dj_counted *counted)
{
    free(counted->buffer);
    free(counted->at);
    free(counted->lanes);
    *counted = (dj_counted){0};
}

static int reserve(dj_counted *counted, dj_context *context, uint32_t lane_count)
{
    if (counted->buffer)
        return DJ_OK;
    const size_t each = BATCH_BYTES + (size_t)lane_count * LANE_BYTES;
    counted->buffer = malloc(DJ_BATCH_CAPACITY * each);
    counted->at = malloc(DJ_BATCH_CAPACITY * sizeof *counted->at);
    counted->lanes = calloc(lane_count, sizeof *counted->lanes);
    counted->lane_count = lane_count;
    return counted->buffer && counted->at && counted->lanes ? DJ_OK
                                                            : dj_fail_memory(context, "a view of a batch", 0);
}

static const uint64_t *gather_64(const dj_counted *counted, char **at, const uint64_t *column)
{
    uint64_t *to = (uint64_t *)(void *)*at;
    if (!column)
        return NULL;
    for (uint32_t i = 0; i < counted->batch.count; i++)
        to[i] = column[counted->at[i]];
    *at += DJ_BATCH_CAPACITY * sizeof *to;
    return to;
}

static const uint32_t *gather_32(const dj_counted *counted, char **at, const uint32_t *column)
{
    uint32_t *to = (uint32_t *)(void *)*at;
    if (!column)
        return NULL;
    for (uint32_t i = 0; i < counted->batch.count; i++)
        to[i] = column[counted->at[i]];
    *at += DJ_BATCH_CAPACITY * sizeof *to;
    return to;
}

static const uint8_t *bytes(const dj_counted *counted, char **at, const uint8_t *column)
{
    uint8_t *to = (uint8_t *)*at;
    if (!column)
        return NULL;
    for (uint32_t i = 0; i < counted->batch.count; i++)
        to[i] = column[counted->at[i]];
    *at += DJ_BATCH_CAPACITY * sizeof *to;
    return to;
}

// The original positions of the accesses.
static const uint64_t *times(const dj_counted *counted, char **at, const dj_batch *from)
{
    uint64_t *to = (uint64_t *)(void *)*at;
    for (uint32_t i = 0; i < counted->batch.count; i++)
        to[i] = dj_batch_time(from, counted->at[i]);
    *at += DJ_BATCH_CAPACITY * sizeof *to;
    return to;
}

static const uint64_t *distances(const dj_counted *counted, char **at, const dj_lane_view *from)
{
    uint64_t *to = (uint64_t *)(void *)*at;
    for (uint32_t i = 0; i < counted->batch.count; i++) {
        uint32_t k = counted->at[i];
        to[i] = from->filled && from->verdict[k] == DJ_VERDICT_FILL ? from->filled[k] : from->distance[k];
    }
    *at += DJ_BATCH_CAPACITY * sizeof *to;
    return to;
}

static void list(dj_counted *counted, const uint8_t *verdict, uint32_t count, uint32_t verdicts)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        counted->at[found] = (uint16_t)i;
        found += verdicts >> verdict[i] & 1;
    }
    counted->batch.count = found;
}

int dj_counted_view(dj_counted *counted, dj_context *context, const dj_view *view, uint32_t verdicts,
                    const dj_view **out)
{
    *out = view;
    if (!view->lanes[0].verdict)
        return DJ_OK;
    int err = reserve(counted, context, view->lane_count);
    if (err)
        return err;
    char *at = counted->buffer;
    const dj_columns *c = &view->batch->column;
    list(counted, view->lanes[0].verdict, view->batch->count, verdicts);
    counted->batch.first = view->batch->first;
    counted->batch.column = (dj_columns){.address = gather_64(counted, &at, c->address),
                                         .size = gather_64(counted, &at, c->size),
                                         .offset = gather_64(counted, &at, c->offset)};
    counted->batch.column.time = times(counted, &at, view->batch);
    for (uint32_t i = 0; i < view->lane_count; i++) {
        const dj_lane_view *from = &view->lanes[i];
        counted->lanes[i] = (dj_lane_view){
            .id = from->id, .weight_log2 = from->weight_log2, .key = gather_64(counted, &at, from->key)};
        counted->lanes[i].distance = distances(counted, &at, from);
        counted->lanes[i].time = gather_64(counted, &at, from->time);
        counted->lanes[i].prev_time = gather_64(counted, &at, from->prev_time);
        counted->lanes[i].byte_distance = gather_64(counted, &at, from->byte_distance);
    }
    counted->batch.column.device = gather_32(counted, &at, c->device);
    counted->batch.column.site = gather_32(counted, &at, c->site);
    counted->batch.column.place = gather_32(counted, &at, c->place);
    counted->batch.column.sharer = gather_32(counted, &at, c->sharer);
    for (uint32_t i = 0; i < view->lane_count; i++) {
        counted->lanes[i].prev_tag = gather_32(counted, &at, view->lanes[i].prev_tag);
        counted->lanes[i].partition = gather_32(counted, &at, view->lanes[i].partition);
        counted->lanes[i].lost_to = gather_32(counted, &at, view->lanes[i].lost_to);
    }
    counted->batch.column.kind = bytes(counted, &at, c->kind);
    counted->batch.column.continuation = bytes(counted, &at, c->continuation);
    for (uint32_t i = 0; i < view->lane_count; i++)
        counted->lanes[i].verdict = bytes(counted, &at, view->lanes[i].verdict);
    counted->view = (dj_view){.batch = &counted->batch,
                              .lanes = counted->lanes,
                              .lane_count = counted->lane_count,
                              .in_order = view->in_order};
    *out = &counted->view;
    return DJ_OK;
}

static uint64_t reverse_bits(uint32_t value)
{
    uint64_t v = value, reversed = 0;
    for (unsigned i = 0; i < 32; i++)
        reversed |= (v >> i & 1) << (63 - i);
    return reversed;
}

int dj_part_keys_of(dj_part_keys *keys, dj_context *context, const dj_lane_view *lane, uint32_t count,
                    const uint64_t **out)
{
    *out = lane->key;
    if (!lane->partition)
        return DJ_OK;
    if (!keys->buffer && !(keys->buffer = malloc(DJ_BATCH_CAPACITY * sizeof *keys->buffer)))
        return dj_fail_memory(context, "a view of a batch", 0);
    for (uint32_t i = 0; i < count; i++) {
        keys->keys_seen |= lane->key[i];
        keys->rows_seen |= lane->partition[i];
        keys->buffer[i] = lane->key[i] ^ reverse_bits(lane->partition[i]);
    }
    *out = keys->buffer;
    if (keys->keys_seen && keys->rows_seen &&
        64 - __builtin_clzll(keys->keys_seen) + 32 - __builtin_clz(keys->rows_seen) > 64)
        return dj_fail(context, DJ_ERR_INPUT,
                       "block and partition numbers do not fit into 64 bits together; the "
                       "addresses look wrong, or a larger --block is needed");
    return DJ_OK;
}

int dj_refuse_partitions(dj_context *context, const dj_setup *setup, const char *what)
{
    for (uint32_t i = 0; i < setup->lane_count; i++)
        if (setup->partitions && setup->partitions[i])
            return dj_fail(
                context, DJ_ERR_UNSUPPORTED,
                "%s cannot be combined with a separate stack for each %s; leave out one of the two", what,
                setup->lanes[i].partition);
    return DJ_OK;
}
