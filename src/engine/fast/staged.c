// SPDX-License-Identifier: MIT
// Idea:  What engine fast does with a chunk depends on earlier chunks in three independent ways: runs
//        on the last few keys, points of previous accesses on the table, distances on the timeline. So
//        each step can be done for a chunk as soon as it is done for the previous one, and only points
//        are passed from the table to the timeline. New points are consecutive numbers and need no
//        timeline.
#include "engine/fast/staged.h"

#include <stdlib.h>
#include <string.h>

void dj_fast_staged_begin(dj_fast_staged *staged, dj_fast_hashed *whole)
{
    *staged = (dj_fast_staged){.whole = whole, .now = whole->fast.timeline.now, .unfolded = 0};
    atomic_init(&staged->seed, whole->table.seed);
}

dj_fast_parcel *dj_fast_parcel_create(const dj_fast_hashed *whole)
{
    dj_fast_parcel *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    dj_fast *f = &p->engine.fast;
    f->path = whole->fast.path;
    f->store = whole->fast.store;
    f->finder = whole->fast.finder;
    f->use = whole->fast.use;
    f->points_per_key = whole->fast.points_per_key;
    dj_fast_parcel_restart(p);
    return p;
}

void dj_fast_parcel_restart(dj_fast_parcel *parcel)
{
    dj_fast_chunk *c = &parcel->engine.fast.chunk;
    memset(c, 0, sizeof *c);
    memset(c->lag, DJ_FAST_NEW_RUN, sizeof c->lag);
}

// Recomputes the hashes, since the seed of the table may have changed.
static void take_window(dj_fast_chunk *c, const dj_fast_chunk *before, uint64_t seed)
{
    memcpy(c->key, before->key + before->count, DJ_FAST_WINDOW * sizeof *c->key);
    memcpy(c->lag, before->lag + before->count, DJ_FAST_WINDOW * sizeof *c->lag);
    for (uint32_t i = 0; i < DJ_FAST_WINDOW; i++) {
        c->hash[i] = dj_fast_hash(c->key[i], seed);
        c->mark[i] = (uint16_t)c->hash[i];
    }
}

void dj_fast_staged_survey(dj_fast_staged *staged, dj_fast_parcel *parcel, const dj_fast_parcel *before)
{
    dj_fast *f = &parcel->engine.fast;
    f->slots.seed = atomic_load_explicit(&staged->seed, memory_order_relaxed);
    f->accesses = staged->accesses;
    f->unfolded = staged->unfolded;
    parcel->part = parcel->whole;
    parcel->folded = parcel->part.count > 0 && dj_fast_fold_away(f, &parcel->part);
    staged->unfolded = f->unfolded;
    if (before)
        take_window(&f->chunk, &before->engine.fast.chunk, f->slots.seed);
    f->chunk.count = (uint32_t)parcel->part.count;
    f->path->survey(f, parcel->part.key, NULL); // the third stage writes all distances
    staged->accesses += f->chunk.count;
}

static uint64_t count_points(const dj_fast_staged *staged)
{
    uint64_t all = (uint64_t)staged->whole->fast.timeline.blocks * DJ_FAST_BLOCK_BITS;
    return all - dj_fast_timeline_number(staged->now);
}

bool dj_fast_staged_has_points(const dj_fast_staged *staged, const dj_fast_parcel *parcel)
{
    return count_points(staged) >= parcel->engine.fast.chunk.endings;
}

static int make_points(dj_fast_staged *staged, dj_context *context, dj_fast *f)
{
    dj_fast *whole = &staged->whole->fast;
    f->timeline = whole->timeline;
    f->keys = whole->keys;
    int err = dj_fast_make_room(f, context, f->chunk.endings);
    whole->timeline = f->timeline;
    staged->now = whole->timeline.now;
    return err;
}

static void rehash(dj_fast_chunk *c, uint64_t seed)
{
    for (uint32_t i = 0; i < DJ_FAST_WINDOW + c->count; i++)
        c->hash[i] = dj_fast_hash(c->key[i], seed);
}

static void find_window(dj_fast_chunk *c, const dj_fast_chunk *before)
{
    for (uint32_t i = 0; i < DJ_FAST_WINDOW; i++)
        c->slot[i] = before->slot[before->run[before->count + i]];
    memcpy(c->tag, before->tag + before->count, DJ_FAST_WINDOW * sizeof *c->tag);
    memcpy(c->stamp, before->stamp + before->count, DJ_FAST_WINDOW * sizeof *c->stamp);
}

// The exchange of tags and times reads from the distances which accesses are cold.
static void exchange_others(dj_fast_parcel *parcel)
{
    dj_fast *f = &parcel->engine.fast;
    for (uint32_t i = 0; i < f->chunk.beginnings; i++)
        parcel->part.distance[f->chunk.beginning[i] - DJ_FAST_WINDOW] = parcel->point[i] ? 0 : DJ_COLD;
    dj_fast_exchange(f, &parcel->part);
}

int dj_fast_staged_exchange(dj_fast_staged *staged, dj_context *context, dj_fast_parcel *parcel,
                            const dj_fast_parcel *before)
{
    dj_fast_hashed *whole = staged->whole;
    dj_fast *f = &parcel->engine.fast;
    uint64_t surveyed_by = f->slots.seed;
    parcel->engine.table = whole->table;
    f->slots = whole->fast.slots;
    if (before)
        find_window(&f->chunk, &before->engine.fast.chunk);
    if (surveyed_by != whole->table.seed)
        rehash(&f->chunk, whole->table.seed);
    int err = f->store->make_room(f, context);
    whole->table = parcel->engine.table;
    whole->fast.slots = f->slots;
    atomic_store_explicit(&staged->seed, whole->table.seed, memory_order_relaxed);
    if (!err && !dj_fast_staged_has_points(staged, parcel))
        err = make_points(staged, context, f);
    if (err)
        return err;
    f->timeline = (dj_fast_timeline){.now = staged->now};
    f->path->exchange_all(f, parcel->point);
    staged->now = dj_fast_timeline_numbered(dj_fast_timeline_number(staged->now) + f->chunk.endings);
    whole->table.keys = parcel->engine.table.keys;
    whole->table.crowded = parcel->engine.table.crowded;
    if (f->use & (DJ_CAN_TAGS | DJ_CAN_TIMES))
        exchange_others(parcel);
    return DJ_OK;
}

void dj_fast_staged_count(dj_fast_staged *staged, dj_fast_parcel *parcel)
{
    dj_fast *whole = &staged->whole->fast, *f = &parcel->engine.fast;
    f->timeline = whole->timeline;
    f->keys = whole->keys;
    f->given = parcel->point;
    dj_fast_timeline_append(&f->timeline, f->chunk.endings);
    f->path->answer_within(&f->chunk, parcel->part.distance);
    f->path->answer_given(f, parcel->part.distance);
    f->given = NULL;
    whole->timeline.now = f->timeline.now;
    whole->keys = f->keys;
    if (parcel->folded)
        dj_fast_unfold(f, &parcel->whole);
}

void dj_fast_staged_settle(dj_fast_staged *staged, const dj_fast_parcel *last)
{
    dj_fast *whole = &staged->whole->fast;
    whole->accesses = staged->accesses;
    if (!last)
        return;
    const dj_fast_chunk *from = &last->engine.fast.chunk;
    memcpy(whole->chunk.key, from->key + from->count, DJ_FAST_WINDOW * sizeof *from->key);
    memcpy(whole->chunk.tag, from->tag + from->count, DJ_FAST_WINDOW * sizeof *from->tag);
    memcpy(whole->chunk.stamp, from->stamp + from->count, DJ_FAST_WINDOW * sizeof *from->stamp);
}
