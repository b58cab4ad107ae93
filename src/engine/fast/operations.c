// SPDX-License-Identifier: MIT
#include "engine/fast/operations.h"

#include <string.h>

static const dj_fast_table *table_of(const dj_fast *f)
{
    return &((const dj_fast_hashed *)(const void *)f)->table;
}

bool dj_fast_has_operations(const dj_fast *f, const dj_work *part)
{
    uint8_t any = 0;
    for (size_t i = 0; f->operations && part->op && i < part->count; i++)
        any |= part->op[i];
    return any != DJ_OP_ACCESS;
}

static uint32_t filter_bit(const dj_fast *f, uint64_t key)
{
    return dj_fast_hash(key, f->slots.seed) % DJ_FAST_FILTER_BITS;
}

static void gather(dj_fast *f, const dj_work *part, uint32_t i)
{
    dj_fast_operations *o = f->operations;
    uint32_t at = o->gathered++, bit = filter_bit(f, part->key[i]);
    o->index[at] = (uint16_t)i;
    o->may_occur[bit / 64] |= UINT64_C(1) << bit % 64;
    f->fold.key[at] = part->key[i];
    if (part->tag)
        f->fold.tag[at] = part->tag[i];
    if (part->time)
        f->fold.time[at] = part->time[i];
}

static void distribute(const dj_fast *f, const dj_work *part)
{
    const dj_fast_operations *o = f->operations;
    for (uint32_t i = 0; i < o->gathered; i++) {
        part->distance[o->index[i]] = f->fold.distance[i];
        if (part->prev_tag)
            part->prev_tag[o->index[i]] = f->fold.prev_tag[i];
        if (part->prev_time)
            part->prev_time[o->index[i]] = f->fold.prev_time[i];
    }
}

// Processes what was gathered.
static int process(dj_fast *f, dj_context *context, const dj_work *part)
{
    dj_fast_operations *o = f->operations;
    dj_fast_fold *c = &f->fold;
    const dj_work accesses = {.count = o->gathered,
                              .key = c->key,
                              .tag = c->tag,
                              .time = c->time,
                              .distance = c->distance,
                              .prev_tag = c->prev_tag,
                              .prev_time = c->prev_time};
    if (o->gathered == 0)
        return DJ_OK;
    for (uint32_t i = 0; i < o->gathered; i++) // before the seed may change
        o->may_occur[filter_bit(f, c->key[i]) / 64] = 0;
    f->chunk.upcoming_count = 0;
    int err = dj_fast_holes_reserve(f, context, o->events);
    if (err == DJ_OK)
        err = dj_fast_push_chunk(f, context, &accesses);
    if (err == DJ_OK)
        distribute(f, part);
    o->gathered = o->events = 0;
    return err;
}

static bool is_in_window(const dj_fast *f, uint64_t key)
{
    for (uint32_t i = dj_fast_window_start(f); i < DJ_FAST_WINDOW; i++)
        if (f->chunk.key[i] == key)
            return true;
    return false;
}

int dj_fast_flush_window(dj_fast *f, dj_context *context)
{
    const dj_fast_slots *s = &f->slots;
    dj_fast_chunk *c = &f->chunk;
    int err = dj_fast_reserve_points(f, context, DJ_FAST_WINDOW);
    for (uint32_t i = dj_fast_window_start(f); err == DJ_OK && i < DJ_FAST_WINDOW; i++) {
        if (dj_fast_comes_again(c, i))
            continue;
        s->words[c->slot[i]] = f->timeline.now;
        dj_fast_timeline_append(&f->timeline, 1);
        if (s->tag)
            s->tag[dj_fast_slot_index(s, c->slot[i])] = c->tag[i];
        if (s->stamp)
            s->stamp[dj_fast_slot_index(s, c->slot[i])] = c->stamp[i];
    }
    if (err == DJ_OK) {
        memset(c->lag, DJ_FAST_NEW_RUN, DJ_FAST_WINDOW * sizeof *c->lag);
        f->accesses = 0;
    }
    return err;
}

int dj_fast_forget_lost_keys(dj_fast *f, dj_context *context)
{
    const dj_fast_table *t = table_of(f);
    if (!f->operations)
        return DJ_OK;
    uint64_t live = f->keys - f->operations->hole_count;
    if (t->keys + DJ_FAST_CHUNK <= t->most_keys || live + live / 3 >= t->keys)
        return DJ_OK;
    int err = dj_fast_flush_window(f, context);
    return err == DJ_OK ? f->store->forget(f, context, UINT64_MAX) : err;
}

// Finds the slot of a key that has a point, or can get one; otherwise *slot is 0.
static int find_point(dj_fast *f, dj_context *context, const dj_work *part, uint64_t key, uint32_t *slot)
{
    const dj_fast_operations *o = f->operations;
    uint32_t bit = filter_bit(f, key);
    int err = DJ_OK;
    if (o->may_occur[bit / 64] >> bit % 64 & 1)
        err = process(f, context, part);
    *slot = dj_fast_table_find(table_of(f), key);
    if (!err && *slot && f->slots.words[*slot] == 0 && is_in_window(f, key))
        err = dj_fast_flush_window(f, context); // which is what comes before the gathered accesses
    if (f->slots.words[*slot] == 0)
        *slot = 0;
    return err;
}

static int operate(dj_fast *f, dj_context *context, const dj_work *part, uint32_t i)
{
    dj_fast_operations *o = f->operations;
    uint32_t slot = 0;
    part->distance[i] = DJ_ABSENT;
    int err = find_point(f, context, part, part->key[i], &slot);
    if (err != DJ_OK || slot == 0)
        return err;
    uint32_t point = f->slots.words[slot];
    f->slots.words[slot] = 0;
    if (o->gathered > 0) {
        o->event[o->events++] = (dj_fast_event){point, (uint16_t)o->gathered, part->op[i]};
        return DJ_OK;
    }
    err = dj_fast_holes_reserve(f, context, 1);
    if (err == DJ_OK)
        dj_fast_apply(f, part->op[i], point);
    return err;
}

static void prefetch_keys(const dj_fast *f, const dj_work *part)
{
    const dj_fast_table *t = table_of(f);
    for (uint32_t i = 0; i < part->count; i++)
        if (part->op[i] != DJ_OP_ACCESS) {
            uint64_t key = part->key[i];
            __builtin_prefetch(&t->lines[dj_fast_home(t->homes, key, dj_fast_hash(key, t->seed))]);
        }
}

int dj_fast_push_mixed(dj_fast *f, dj_context *context, const dj_work *part)
{
    int err = DJ_OK;
    prefetch_keys(f, part);
    for (uint32_t i = 0; err == DJ_OK && i < part->count; i++) {
        if (part->op[i] == DJ_OP_ACCESS)
            gather(f, part, i);
        else
            err = operate(f, context, part, i);
    }
    return err == DJ_OK ? process(f, context, part) : err;
}
