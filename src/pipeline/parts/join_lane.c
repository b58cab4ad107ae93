// SPDX-License-Identifier: MIT
#include "pipeline/parts/join_lane.h"

#include "base/map.h"
#include "base/sample.h"

#include <stdlib.h>
#include <string.h>

// Fenwick trees over the earlier order: the number and the total weight of live keys up to a position.
// Keys that the later part has used are removed.
typedef struct live_keys {
    size_t count;
    uint64_t *keys, *weights; // [1 … count]
    uint64_t all_keys, all_weight;
    bool *removed;
} live_keys;

static void live_keys_free(live_keys *s)
{
    free(s->keys);
    free(s->weights);
    free(s->removed);
}

static uint64_t weight_at(const dj_order *order, size_t at)
{
    return order->weight ? order->weight[at] : 0;
}

static int live_keys_create(live_keys *s, dj_context *context, const dj_order *order)
{
    size_t n = order->count;
    *s = (live_keys){.count = n, .all_keys = n};
    s->keys = calloc(n + 1, sizeof *s->keys);
    s->weights = calloc(n + 1, sizeof *s->weights);
    s->removed = calloc(n + 1, sizeof *s->removed);
    if (!s->keys || !s->weights || !s->removed) {
        live_keys_free(s);
        return dj_fail_memory(context, "joining parts of a trace", 0);
    }
    for (size_t i = 1; i <= n; i++) {
        s->keys[i] += 1;
        s->weights[i] += weight_at(order, i - 1);
        s->all_weight += weight_at(order, i - 1);
        size_t up = i + (i & -i);
        if (up <= n) {
            s->keys[up] += s->keys[i];
            s->weights[up] += s->weights[i];
        }
    }
    return DJ_OK;
}

// Keys and weight after position `at` (counted from 0).
static void live_keys_after(const live_keys *s, size_t at, uint64_t *keys, uint64_t *weight)
{
    *keys = s->all_keys;
    *weight = s->all_weight;
    for (size_t i = at + 1; i > 0; i -= i & -i) {
        *keys -= s->keys[i];
        *weight -= s->weights[i];
    }
}

static void live_keys_remove(live_keys *s, size_t at, uint64_t weight)
{
    for (size_t i = at + 1; i <= s->count; i += i & -i) {
        s->keys[i] -= 1;
        s->weights[i] -= weight;
    }
    s->all_keys -= 1;
    s->all_weight -= weight;
    s->removed[at] = true;
}

static int index_order(dj_map *positions, dj_context *context, dj_footprint *footprint, const dj_order *order)
{
    int err = dj_map_create(positions, context, footprint, order->count);
    for (size_t i = 0; !err && i < order->count; i++) {
        uint64_t *at = dj_map_at(positions, context, order->key[i]);
        if (at)
            *at = i + 1;
        else
            err = DJ_ERR_MEMORY;
    }
    return err;
}

static uint64_t size_of(const dj_pending *pending, const dj_pending_access *access)
{
    return pending->columns & DJ_COLUMN_SIZE ? access->size : 1;
}

static void resolve(const dj_order *order, live_keys *s, const dj_map *positions, dj_pending *later,
                    const dj_lane_join *lane)
{
    uint64_t touched = 0; // distinct keys of the later part so far
    for (size_t i = 0; i < later->count; i++) {
        const dj_pending_access *access = &later->accesses[i];
        dj_pending_answer *answer = &access->answers[lane->number];
        if (answer->distance != DJ_COLD)
            continue;
        uint64_t position = dj_map_get(positions, dj_keyer_key(lane->keyer, access->address, access->device));
        if (position == 0) {
            answer->byte_distance += s->all_weight;
        } else {
            size_t at = position - 1;
            uint64_t keys, weight;
            live_keys_after(s, at, &keys, &weight);
            answer->distance = dj_sample_scale(keys + touched, lane->weight_log2);
            if (lane->rounds && lane->weight_log2 > 0)
                answer->distance = dj_sample_round(answer->distance);
            answer->byte_distance = dj_sample_scale_bytes(answer->byte_distance + weight,
                                                          size_of(later, access), lane->weight_log2);
            answer->prev_tag = order->tag ? order->tag[at] : 0;
            answer->prev_time = order->time ? order->time[at] : 0;
            live_keys_remove(s, at, weight_at(order, at));
        }
        touched++;
    }
}

static int resize_order(dj_order *order, dj_context *context, size_t count)
{
    size_t bytes = (count ? count : 1) * sizeof(uint64_t);
    void *key = realloc(order->key, bytes);
    if (key)
        order->key = key;
    void *tag = order->tag ? realloc(order->tag, bytes / 2) : NULL;
    if (tag)
        order->tag = tag;
    void *time = order->time ? realloc(order->time, bytes) : NULL;
    if (time)
        order->time = time;
    void *weight = order->weight ? realloc(order->weight, bytes) : NULL;
    if (weight)
        order->weight = weight;
    if (!key || (order->tag && !tag) || (order->time && !time) || (order->weight && !weight))
        return dj_fail_memory(context, "joining parts of a trace", bytes);
    return DJ_OK;
}

static void copy_entry(dj_order *to, size_t at, const dj_order *from, size_t index)
{
    to->key[at] = from->key[index];
    if (to->tag)
        to->tag[at] = from->tag[index];
    if (to->time)
        to->time[at] = from->time[index];
    if (to->weight)
        to->weight[at] = from->weight[index];
}

// The rest of the earlier order, followed by the later one.
static int append_order(dj_context *context, dj_order *order, const bool *removed, dj_order *later)
{
    size_t kept = 0;
    for (size_t i = 0; i < order->count; i++)
        if (!removed[i])
            copy_entry(order, kept++, order, i);
    int err = resize_order(order, context, kept + later->count);
    if (err)
        return err;
    for (size_t i = 0; i < later->count; i++)
        copy_entry(order, kept + i, later, i);
    order->count = kept + later->count;
    dj_order_free(later);
    return DJ_OK;
}

int dj_join_lane(dj_context *context, dj_order *order, dj_pending *later, const dj_lane_join *lane,
                 dj_order *later_order)
{
    dj_footprint footprint = {0};
    dj_map positions = {0};
    live_keys s = {0};
    int err = index_order(&positions, context, &footprint, order);
    if (!err)
        err = live_keys_create(&s, context, order);
    if (!err) {
        resolve(order, &s, &positions, later, lane);
        err = append_order(context, order, s.removed, later_order);
        live_keys_free(&s);
    }
    dj_map_destroy(&positions);
    return err;
}
