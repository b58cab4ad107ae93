// SPDX-License-Identifier: MIT
// The reuse distances of each key, in the order of its accesses. Memory grows with the trace: 12 bytes for
// each reuse during the run, 8 more at the end.
#include "base/map.h"
#include "observe/counted.h"
#include "observe/observers.h"

#include <stdlib.h>

typedef struct lane_lists {
    dj_map places;    // key → 1 + its rank in order of first access
    uint64_t *key;    // by rank: the key, or the block number on a device …
    uint64_t *device; // … with this number
    bool has_devices;
    uint64_t key_capacity;
    uint32_t *place; // of each reuse, in time order: the rank of its key
    uint64_t *distance;
    uint64_t count, capacity;
} lane_lists;

typedef struct key_lists {
    uint32_t lane_count;
    dj_footprint footprint;
    lane_lists lanes[];
} key_lists;

static void destroy(void *state)
{
    key_lists *k = state;
    if (!k)
        return;
    for (uint32_t i = 0; i < k->lane_count; i++) {
        dj_map_destroy(&k->lanes[i].places);
        free(k->lanes[i].key);
        free(k->lanes[i].device);
        free(k->lanes[i].place);
        free(k->lanes[i].distance);
    }
    free(k);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    int refused = dj_refuse_partitions(context, setup, "lists of distances");
    if (refused)
        return refused;
    key_lists *k = calloc(1, sizeof *k + setup->lane_count * sizeof k->lanes[0]);
    if (!k)
        return dj_fail_memory(context, "lists of distances", 0);
    for (uint32_t i = 0; i < setup->lane_count; i++) {
        int err = dj_map_create(&k->lanes[i].places, context, &k->footprint, 0);
        if (err) {
            destroy(k);
            return err;
        }
        k->lane_count = i + 1;
    }
    *state = k;
    return DJ_OK;
}

static bool grow(void **array, uint64_t capacity, size_t element)
{
    void *larger = realloc(*array, capacity * element);
    if (larger)
        *array = larger;
    return larger != NULL;
}

// Records the key as users know it; the engine's key has the device mixed in.
static int add_key(lane_lists *lists, dj_context *context, const dj_view *view, uint32_t i,
                   const dj_lane_view *answers, uint64_t *place)
{
    if (lists->places.count > lists->key_capacity) {
        uint64_t capacity = 2 * lists->key_capacity + 1024;
        if (!grow((void **)&lists->key, capacity, sizeof *lists->key) ||
            !grow((void **)&lists->device, capacity, sizeof *lists->device))
            return dj_fail_memory(context, "lists of distances", capacity * sizeof *lists->key);
        lists->key_capacity = capacity;
    }
    *place = lists->places.count;
    const dj_columns *column = &view->batch->column;
    lists->has_devices |= column->device != NULL;
    lists->key[*place - 1] = column->device ? column->address[i] / answers->id->block_bytes : answers->key[i];
    lists->device[*place - 1] = column->device ? column->device[i] : 0;
    return *place <= UINT32_MAX
               ? DJ_OK
               : dj_fail(context, DJ_ERR_MEMORY, "lists of distances support at most 2^32 keys");
}

static int add_reuse(lane_lists *lists, dj_context *context, uint64_t place, uint64_t distance)
{
    if (lists->count == lists->capacity) {
        uint64_t capacity = 2 * lists->capacity + 1024;
        if (!grow((void **)&lists->place, capacity, sizeof *lists->place) ||
            !grow((void **)&lists->distance, capacity, sizeof *lists->distance))
            return dj_fail_memory(context, "lists of distances", capacity * 12);
        lists->capacity = capacity;
    }
    lists->place[lists->count] = (uint32_t)(place - 1);
    lists->distance[lists->count++] = distance;
    return DJ_OK;
}

static int see_access(lane_lists *lists, dj_context *context, const dj_view *view, uint32_t i,
                      const dj_lane_view *answers)
{
    uint64_t distance = answers->distance[i];
    uint64_t *place = dj_map_at(&lists->places, context, answers->key[i]);
    if (!place)
        return DJ_ERR_MEMORY;
    if (*place == 0) {
        int err = add_key(lists, context, view, i, answers, place);
        if (err)
            return err;
    }
    return distance == DJ_COLD ? DJ_OK : add_reuse(lists, context, *place, distance);
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    key_lists *k = state;
    for (uint32_t lane = 0; lane < k->lane_count; lane++) {
        const dj_lane_view *answers = &view->lanes[lane];
        for (uint32_t i = 0; i < view->batch->count; i++) {
            if (answers->distance[i] == DJ_ABSENT)
                continue;
            int err = see_access(&k->lanes[lane], context, view, i, answers);
            if (err)
                return err;
        }
    }
    return DJ_OK;
}

// A counting sort by key keeps the time order within each list.
static int finish_lane(lane_lists *lists, dj_context *context, dj_lane_profile *lane)
{
    dj_key_profile *out = NULL;
    int err = dj_lane_add_section(context, lane, &dj_section_keys, &out);
    if (err)
        return err;
    uint64_t keys = lists->places.count;
    out->list_offset = calloc(keys + 2, sizeof *out->list_offset);
    out->list_distances = malloc((lists->count + 1) * sizeof *out->list_distances);
    if (!out->list_offset || !out->list_distances)
        return dj_fail_memory(context, "lists of distances", 0);
    for (uint64_t i = 0; i < lists->count; i++)
        out->list_offset[lists->place[i] + 2]++;
    for (uint64_t i = 2; i < keys + 2; i++)
        out->list_offset[i] += out->list_offset[i - 1];
    for (uint64_t i = 0; i < lists->count; i++)
        out->list_distances[out->list_offset[lists->place[i] + 1]++] = lists->distance[i];
    out->list_count = keys;
    out->offset_count = keys + 1;
    out->distance_count = lists->count;
    out->list_key = lists->key;
    lists->key = NULL;
    if (lists->has_devices) {
        out->list_device = lists->device;
        lists->device = NULL;
        out->device_count = keys;
    }
    return DJ_OK;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    key_lists *k = state;
    for (uint32_t i = 0; i < k->lane_count; i++) {
        int err = finish_lane(&k->lanes[i], context, &profile->lanes[i]);
        if (err)
            return err;
    }
    return DJ_OK;
}

// No merge: each list is in time order.
const dj_observer_ops dj_observer_key_lists = {
    .name = "key-lists",
    .summary = "the distances of each key, in order",
    .needs = DJ_NEED_PER_ACCESS,
    .fills = &dj_section_keys,
    .create = create,
    .destroy = destroy,
    .see = see,
    .finish = finish,
    .finishes_once = true,
};
