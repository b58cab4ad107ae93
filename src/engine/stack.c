// SPDX-License-Identifier: MIT
// Idea:  The LRU stack itself. Keys are in one array, most recent last; the reuse distance of a key is
//        the number of keys after it. The key is then moved to the end. An invalidated key leaves a hole,
//        which counts as occupied; the topmost hole is the next to be filled, whoever fills it.
// Paper: Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage hierarchies", IBM Systems
//        Journal 9(2), 1970.
// Cost:  O(distance) per reuse and O(distinct keys) per first access; 32 bytes per key, 64 after
//        growth, 96 while growing.
// Bound: exact. Too slow for real traces: it is the oracle for all other engines, so it shares as
//        little code with them as possible.
#include "base/footprint.h"
#include "engine/registry.h"
#include "engine/work.h"

#include <stdlib.h>
#include <string.h>

typedef struct element {
    uint64_t key;
    uint64_t time;
    uint64_t weight;
    uint32_t tag;
    bool is_hole; // then the rest has no meaning
} element;

typedef struct stack {
    dj_work_queue answered; // must be first for dj_work_pull_at_once
    element *elements;      // least recently used first
    uint64_t count, capacity;
    uint64_t holes; // among `count`
    uint32_t use;
    dj_footprint footprint;
} stack;

static int stack_create(dj_context *context, const dj_engine_params *params, void **state)
{
    int err = dj_engine_check(context, &dj_engine_stack, params);
    if (err != DJ_OK)
        return err;
    stack *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "engine stack", sizeof *s);
    s->use = params->use;
    dj_footprint_add(&s->footprint, sizeof *s);
    *state = s;
    return DJ_OK;
}

static void stack_destroy(void *state)
{
    stack *s = state;
    if (!s)
        return;
    free(s->elements);
    free(s);
}

static int reserve(stack *s, dj_context *context)
{
    if (s->count < s->capacity)
        return DJ_OK;
    uint64_t capacity = s->capacity ? 2 * s->capacity : 64;
    int err = dj_footprint_resize(&s->footprint, context, "the LRU stack", &s->elements, s->capacity,
                                  capacity, sizeof *s->elements);
    if (err == DJ_OK)
        s->capacity = capacity;
    return err;
}

// Position of the key, or `count` if it is not in the stack.
static uint64_t find(const stack *s, uint64_t key)
{
    for (uint64_t i = s->count; i-- > 0;)
        if (s->elements[i].key == key && !s->elements[i].is_hole)
            return i;
    return s->count;
}

// Position of the topmost hole, or `count` if there is none.
static uint64_t find_hole(const stack *s)
{
    for (uint64_t i = s->holes ? s->count : 0; i-- > 0;)
        if (s->elements[i].is_hole)
            return i;
    return s->count;
}

static void take_out(stack *s, uint64_t at)
{
    s->holes -= s->elements[at].is_hole;
    s->count--;
    memmove(&s->elements[at], &s->elements[at + 1], (s->count - at) * sizeof *s->elements);
}

static void make_hole(stack *s, uint64_t at)
{
    s->elements[at].is_hole = true;
    s->holes++;
}

static uint64_t weight_from(const stack *s, uint64_t position)
{
    uint64_t sum = 0;
    for (uint64_t i = position; i < s->count; i++)
        sum += s->elements[i].weight;
    return sum;
}

// Empties the position that the access fills: that of the key or, if it is further up, the topmost hole.
static void leave(stack *s, uint64_t at, bool cold)
{
    uint64_t hole = find_hole(s);
    bool fills_hole = hole < s->count && (cold || hole > at);
    if (fills_hole && !cold)
        make_hole(s, at);
    if (fills_hole || !cold)
        take_out(s, fills_hole ? hole : at);
}

static int access_key(stack *s, dj_context *context, const dj_work *work, size_t i)
{
    uint64_t at = find(s, work->key[i]);
    bool cold = at == s->count;
    int err = cold ? reserve(s, context) : DJ_OK;
    if (err != DJ_OK)
        return err;

    work->distance[i] = cold ? DJ_COLD : s->count - 1 - at;
    if (s->use & DJ_CAN_TAGS)
        work->prev_tag[i] = cold ? 0 : s->elements[at].tag;
    if (s->use & DJ_CAN_TIMES)
        work->prev_time[i] = cold ? DJ_COLD : s->elements[at].time;
    if (s->use & DJ_CAN_WEIGHTS)
        work->byte_distance[i] = weight_from(s, cold ? 0 : at + 1);

    leave(s, at, cold);
    s->elements[s->count++] = (element){.key = work->key[i],
                                        .tag = s->use & DJ_CAN_TAGS ? work->tag[i] : 0,
                                        .time = s->use & DJ_CAN_TIMES ? work->time[i] : 0,
                                        .weight = s->use & DJ_CAN_WEIGHTS ? work->weight[i] : 0};
    return DJ_OK;
}

static void operate(stack *s, const dj_work *work, size_t i)
{
    uint64_t at = find(s, work->key[i]);
    work->distance[i] = DJ_ABSENT;
    if (at < s->count && work->op[i] == DJ_OP_INVALIDATE)
        make_hole(s, at);
    else if (at < s->count)
        take_out(s, at);
}

static int stack_push(void *state, dj_context *context, dj_work *work)
{
    stack *s = state;
    for (size_t i = 0; i < work->count; i++) {
        if (dj_work_op(work, s->use, i) != DJ_OP_ACCESS) {
            operate(s, work, i);
            continue;
        }
        int err = access_key(s, context, work, i);
        if (err != DJ_OK)
            return err;
    }
    dj_work_queue_put(&s->answered, work);
    return DJ_OK;
}

static int stack_order(void *state, dj_context *context, dj_order *out)
{
    const stack *s = state;
    int err = dj_order_create(context, s->count - s->holes, s->use, out);
    size_t at = 0;
    for (uint64_t i = 0; err == DJ_OK && i < s->count; i++) {
        if (s->elements[i].is_hole)
            continue;
        out->key[at] = s->elements[i].key;
        if (out->tag)
            out->tag[at] = s->elements[i].tag;
        if (out->time)
            out->time[at] = s->elements[i].time;
        if (out->weight)
            out->weight[at] = s->elements[i].weight;
        at++;
    }
    return err;
}

static int stack_keep(void *state, dj_context *context, dj_keeps *keeps, void *user)
{
    (void)context;
    stack *s = state;
    uint64_t to = 0;
    for (uint64_t from = 0; from < s->count; from++)
        if (s->elements[from].is_hole || keeps(user, s->elements[from].key))
            s->elements[to++] = s->elements[from];
    s->count = to;
    return DJ_OK;
}

// The stack doubles, and is copied then. It never shrinks.
static uint64_t stack_bytes_for(const dj_engine_params *params, uint32_t engines, uint64_t keys)
{
    (void)params;
    return engines * (sizeof(stack) + 64 * sizeof(element)) +
           (2 * (uint64_t)engines + 1) * keys * sizeof(element);
}

static void stack_stats(const void *state, dj_engine_stats *out)
{
    const stack *s = state;
    *out = (dj_engine_stats){
        .keys = s->count - s->holes, .bytes = s->footprint.bytes, .peak_bytes = s->footprint.peak_bytes};
}

const dj_engine_ops dj_engine_stack = {
    .name = "stack",
    .summary = "Mattson's LRU stack, the reference for testing the others",
    .cost = "O(distance) per access, O(keys) per first access; 32 to 64 bytes per key",
    .can = DJ_CAN_EXACT | DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES | DJ_CAN_SUMMARY | DJ_CAN_WEIGHTS |
           DJ_CAN_INVALIDATE | DJ_CAN_REMOVE,
    .create = stack_create,
    .destroy = stack_destroy,
    .push = stack_push,
    .pull = dj_work_pull_at_once,
    .drain = dj_work_drain_at_once,
    .order = stack_order,
    .keep = stack_keep,
    .bytes_for = stack_bytes_for,
    .stats = stack_stats,
};
