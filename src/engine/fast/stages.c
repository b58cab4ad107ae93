// SPDX-License-Identifier: MIT
// Idea:  What engine fast does with a chunk depends on earlier chunks in three independent ways: runs
//        on the last few keys, points of previous accesses on the table, distances on the timeline. So
//        each step can be done for a chunk as soon as it is done for the previous one, and only points
//        are passed from the table to the timeline. New points are consecutive numbers and need no
//        timeline.
#include "engine/fast/stages.h"

#include <stdlib.h>
#include <string.h>

void dj_fast_stages_begin(dj_fast_stages *stages, dj_fast_hashed *whole)
{
    *stages = (dj_fast_stages){.whole = whole, .now = whole->fast.timeline.now, .unfolded = 0};
    atomic_init(&stages->seed, whole->table.seed);
}

dj_fast_job *dj_fast_job_create(const dj_fast_hashed *whole)
{
    dj_fast_job *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    dj_fast *f = &p->engine.fast;
    f->path = whole->fast.path;
    f->store = whole->fast.store;
    f->finder = whole->fast.finder;
    f->use = whole->fast.use;
    f->points_per_key = whole->fast.points_per_key;
    dj_fast_job_restart(p);
    return p;
}

void dj_fast_job_restart(dj_fast_job *job)
{
    dj_fast_chunk *c = &job->engine.fast.chunk;
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

void dj_fast_stages_survey(dj_fast_stages *stages, dj_fast_job *job, const dj_fast_job *before)
{
    dj_fast *f = &job->engine.fast;
    f->slots.seed = atomic_load_explicit(&stages->seed, memory_order_relaxed);
    f->accesses = stages->accesses;
    f->unfolded = stages->unfolded;
    job->part = job->whole;
    job->folded = job->part.count > 0 && dj_fast_fold_away(f, &job->part);
    stages->unfolded = f->unfolded;
    if (before)
        take_window(&f->chunk, &before->engine.fast.chunk, f->slots.seed);
    f->chunk.count = (uint32_t)job->part.count;
    f->path->survey(f, job->part.key, NULL); // the third stage writes all distances
    stages->accesses += f->chunk.count;
}

static uint64_t count_points(const dj_fast_stages *stages)
{
    uint64_t all = (uint64_t)stages->whole->fast.timeline.blocks * DJ_FAST_BLOCK_BITS;
    return all - dj_fast_timeline_number(stages->now);
}

bool dj_fast_stages_has_points(const dj_fast_stages *stages, const dj_fast_job *job)
{
    return count_points(stages) >= job->engine.fast.chunk.endings;
}

static int make_points(dj_fast_stages *stages, dj_context *context, dj_fast *f)
{
    dj_fast *whole = &stages->whole->fast;
    f->timeline = whole->timeline;
    f->keys = whole->keys;
    int err = dj_fast_reserve_points(f, context, f->chunk.endings);
    whole->timeline = f->timeline;
    stages->now = whole->timeline.now;
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
static void exchange_others(dj_fast_job *job)
{
    dj_fast *f = &job->engine.fast;
    for (uint32_t i = 0; i < f->chunk.beginnings; i++)
        job->part.distance[f->chunk.beginning[i] - DJ_FAST_WINDOW] = job->point[i] ? 0 : DJ_COLD;
    dj_fast_exchange(f, &job->part);
}

int dj_fast_stages_exchange(dj_fast_stages *stages, dj_context *context, dj_fast_job *job,
                            const dj_fast_job *before)
{
    dj_fast_hashed *whole = stages->whole;
    dj_fast *f = &job->engine.fast;
    uint64_t surveyed_by = f->slots.seed;
    job->engine.table = whole->table;
    f->slots = whole->fast.slots;
    if (before)
        find_window(&f->chunk, &before->engine.fast.chunk);
    if (surveyed_by != whole->table.seed)
        rehash(&f->chunk, whole->table.seed);
    int err = f->store->reserve(f, context);
    whole->table = job->engine.table;
    whole->fast.slots = f->slots;
    atomic_store_explicit(&stages->seed, whole->table.seed, memory_order_relaxed);
    if (!err && !dj_fast_stages_has_points(stages, job))
        err = make_points(stages, context, f);
    if (err)
        return err;
    f->timeline = (dj_fast_timeline){.now = stages->now};
    f->path->exchange_all(f, job->point);
    stages->now = dj_fast_timeline_numbered(dj_fast_timeline_number(stages->now) + f->chunk.endings);
    whole->table.keys = job->engine.table.keys;
    whole->table.crowded = job->engine.table.crowded;
    if (f->use & (DJ_CAN_TAGS | DJ_CAN_TIMES))
        exchange_others(job);
    return DJ_OK;
}

void dj_fast_stages_count(dj_fast_stages *stages, dj_fast_job *job)
{
    dj_fast *whole = &stages->whole->fast, *f = &job->engine.fast;
    f->timeline = whole->timeline;
    f->keys = whole->keys;
    f->given = job->point;
    dj_fast_timeline_append(&f->timeline, f->chunk.endings);
    f->path->answer_within(&f->chunk, job->part.distance);
    f->path->answer_given(f, job->part.distance);
    f->given = NULL;
    whole->timeline.now = f->timeline.now;
    whole->keys = f->keys;
    if (job->folded)
        dj_fast_unfold(f, &job->whole);
}

void dj_fast_stages_finish(dj_fast_stages *stages, const dj_fast_job *last)
{
    dj_fast *whole = &stages->whole->fast;
    whole->accesses = stages->accesses;
    if (!last)
        return;
    const dj_fast_chunk *from = &last->engine.fast.chunk;
    memcpy(whole->chunk.key, from->key + from->count, DJ_FAST_WINDOW * sizeof *from->key);
    memcpy(whole->chunk.tag, from->tag + from->count, DJ_FAST_WINDOW * sizeof *from->tag);
    memcpy(whole->chunk.stamp, from->stamp + from->count, DJ_FAST_WINDOW * sizeof *from->stamp);
}
