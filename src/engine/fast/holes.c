// SPDX-License-Identifier: MIT
#include "engine/fast/operations.h"

#include <stdlib.h>

int dj_fast_operations_create(dj_fast *fast, dj_context *context)
{
    if (!(fast->use & (DJ_CAN_INVALIDATE | DJ_CAN_REMOVE)))
        return DJ_OK;
    fast->operations = calloc(1, sizeof *fast->operations);
    if (!fast->operations)
        return dj_fail_memory(context, "the operations of engine fast", sizeof *fast->operations);
    dj_footprint_add(&fast->footprint, sizeof *fast->operations);
    return DJ_OK;
}

void dj_fast_operations_destroy(dj_fast *fast)
{
    if (fast->operations)
        free(fast->operations->holes);
    free(fast->operations);
}

int dj_fast_holes_reserve(dj_fast *fast, dj_context *context, uint64_t more)
{
    dj_fast_operations *o = fast->operations;
    uint64_t needed = o->hole_count + more, capacity = 2 * o->hole_capacity;
    if (needed <= o->hole_capacity)
        return DJ_OK;
    capacity = capacity < needed ? needed : capacity;
    int err = dj_footprint_resize(&fast->footprint, context, "the holes of engine fast", &o->holes,
                                  o->hole_capacity, capacity, sizeof *o->holes);
    if (err == DJ_OK)
        o->hole_capacity = capacity;
    return err;
}

static void add_hole(dj_fast_operations *o, uint32_t point)
{
    uint64_t at = o->hole_count++;
    for (; at > 0 && o->holes[(at - 1) / 2] < point; at = (at - 1) / 2)
        o->holes[at] = o->holes[(at - 1) / 2];
    o->holes[at] = point;
}

void dj_fast_replace_latest_hole(dj_fast_operations *o, uint32_t point)
{
    uint64_t at = 0;
    if (point == 0)
        point = o->holes[--o->hole_count];
    for (uint64_t next; (next = 2 * at + 1) < o->hole_count; at = next) {
        next += next + 1 < o->hole_count && o->holes[next + 1] > o->holes[next];
        if (o->holes[next] <= point)
            break;
        o->holes[at] = o->holes[next];
    }
    o->holes[at] = point;
}

void dj_fast_apply(dj_fast *fast, uint8_t op, uint32_t point)
{
    if (op == DJ_OP_INVALIDATE) {
        add_hole(fast->operations, point);
        return;
    }
    fast->path->remove(&fast->timeline, point);
    fast->keys--;
}

static void rank(const dj_fast_timeline *t, uint32_t *point)
{
    *point = dj_fast_timeline_point(dj_fast_timeline_before(t, *point));
}

uint64_t dj_fast_rank_holes(const dj_fast *fast)
{
    dj_fast_operations *o = fast->operations;
    if (!o)
        return 0;
    for (uint64_t i = 0; i < o->hole_count; i++)
        rank(&fast->timeline, &o->holes[i]);
    for (uint32_t i = 0; i < o->events; i++)
        rank(&fast->timeline, &o->event[i].point);
    return o->hole_count + o->events;
}

int dj_fast_squeeze_order(const dj_fast *fast, dj_context *context, dj_order *order)
{
    const dj_fast_operations *o = fast->operations;
    if (!o || o->hole_count == 0)
        return DJ_OK;
    bool *is_hole = calloc(order->count, sizeof *is_hole);
    if (!is_hole)
        return dj_fail_memory(context, "the last-access order of the keys", order->count);
    for (uint64_t i = 0; i < o->hole_count; i++)
        is_hole[dj_fast_timeline_before(&fast->timeline, o->holes[i])] = true;
    size_t to = 0;
    for (size_t from = 0; from < order->count; from++) {
        if (is_hole[from])
            continue;
        order->key[to] = order->key[from];
        if (order->tag)
            order->tag[to] = order->tag[from];
        if (order->time)
            order->time[to] = order->time[from];
        to++;
    }
    order->count = to;
    free(is_hole);
    return DJ_OK;
}
