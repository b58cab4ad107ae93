// SPDX-License-Identifier: MIT
// The analysis of one chunk by itself.
#include "engine/parallel/parallel.h"
#include "engine/registry.h"

#include <stdlib.h>

enum { SLICE = 1 << 14 }; // accesses whose answers are still in the cache when they are read

static const char what[] = "the unresolved accesses of engine parallel";

void dj_parallel_chunk_free(dj_parallel_chunk *c)
{
    dj_huge_free(&c->key_memory, &c->footprint);
    dj_huge_free(&c->access_memory, &c->footprint);
    dj_huge_free(&c->list_index_memory, &c->footprint);
    dj_huge_free(&c->at_memory, &c->footprint);
    dj_shard_list_free(&c->list);
}

uint64_t dj_parallel_chunk_bytes(const dj_parallel_chunk *c)
{
    return c->footprint.peak_bytes + c->list.footprint.peak_bytes;
}

const dj_parallel_part *dj_parallel_find_part(const dj_parallel_round *round, uint64_t access)
{
    size_t low = 0, high = round->part_count - 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (round->parts[middle].begin <= access)
            low = middle;
        else
            high = middle - 1;
    }
    return &round->parts[low];
}

// Where the share of a chunk, of `all` items, begins.
static uint64_t share(uint64_t all, unsigned chunk, const dj_parallel *p)
{
    return all * chunk / p->chunk_count;
}

// Makes space for `more` unresolved accesses.
static int allocate(dj_parallel_chunk *c, dj_context *context, size_t more)
{
    size_t needed = c->open + more, capacity = more > SLICE ? needed : needed + needed / 2;
    if (needed <= c->key_memory.bytes / sizeof *c->key &&
        needed <= c->access_memory.bytes / sizeof *c->access)
        return DJ_OK;
    int err = dj_huge_grow(&c->key_memory, &c->footprint, context, what, capacity, sizeof *c->key,
                           c->open * sizeof *c->key);
    if (!err)
        err = dj_huge_grow(&c->access_memory, &c->footprint, context, what, capacity, sizeof *c->access,
                           c->open * sizeof *c->access);
    c->key = c->key_memory.memory;
    c->access = c->access_memory.memory;
    return err;
}

static dj_work make_slice(const dj_parallel *p, const dj_work *whole, size_t from, size_t count)
{
    dj_work slice = {.count = count, .key = whole->key + from, .distance = whole->distance + from};
    if (p->use & DJ_CAN_TAGS) {
        slice.tag = whole->tag + from;
        slice.prev_tag = whole->prev_tag + from;
    }
    if (p->use & DJ_CAN_TIMES) {
        slice.time = whole->time + from;
        slice.prev_time = whole->prev_time + from;
    }
    return slice;
}

// Lists the unresolved accesses of the answered works; `listed` accesses precede them.
static int list_open(const dj_parallel *p, dj_context *context, dj_parallel_chunk *c, dj_work_queue *answered,
                     uint64_t *listed)
{
    int err = DJ_OK;
    for (const dj_work *slice; !err && (slice = dj_work_queue_take(answered)) != NULL;) {
        err = allocate(c, context, SLICE);
        if (!err)
            c->open += p->path->list_cold(slice->key, slice->distance, slice->count, (uint32_t)*listed,
                                          c->key + c->open, c->access + c->open);
        *listed += slice->count;
    }
    return err;
}

static int analyze_parts(const dj_parallel *p, dj_context *context, const dj_parallel_round *round,
                         dj_parallel_chunk *c, dj_parallel_stages *engine)
{
    const dj_parallel_part *part = dj_parallel_find_part(round, c->first);
    dj_work slices[DJ_PARALLEL_STAGES_JOBS];
    dj_work_queue answered = {0};
    uint64_t listed = 0;
    size_t number = 0;
    int err = DJ_OK;
    for (uint64_t at = c->first; !err && at < c->end;) {
        uint64_t in_part = at - part->begin, left = part->count - in_part;
        size_t count = left < c->end - at ? left : c->end - at;
        dj_work *slice = &slices[number % DJ_PARALLEL_STAGES_JOBS];
        if (left == 0) {
            part++;
            continue;
        }
        count = count < SLICE ? count : SLICE;
        *slice = make_slice(p, part->work, part->from + in_part, count);
        err = dj_parallel_stages_push(engine, context, slice, &answered);
        if (!err)
            err = list_open(p, context, c, &answered, &listed);
        at += count;
        number++;
    }
    int drained = dj_parallel_stages_drain(engine, context, &answered);
    err = err ? err : drained;
    return err ? err : list_open(p, context, c, &answered, &listed);
}

// Avoids growing tables, which are zeroed, filled and read twice.
static int make_engine(const dj_parallel *p, dj_context *context, const dj_parallel_round *round,
                       unsigned chunk)
{
    dj_parallel_stages **engine = &p->engines[chunk];
    dj_parallel_chunk *c = &round->chunks[chunk];
    if (*engine) {
        dj_parallel_stages_restart(*engine);
        return DJ_OK;
    }
    uint64_t keys = dj_parallel_expect_keys(p, round, c);
    unsigned threads = (unsigned)(share(p->threads, chunk + 1, p) - share(p->threads, chunk, p));
    int err = dj_parallel_stages_create(context, p->use, threads, keys, engine);
    return err ? err : allocate(c, context, SLICE + keys);
}

static int list_by_shard(const dj_parallel *p, dj_context *context, dj_parallel_chunk *c,
                         const dj_fast_hashed *engine)
{
    const size_t capacity = c->open + c->open / 4;
    const bool both = p->use & (DJ_CAN_TAGS | DJ_CAN_TIMES);
    int err = dj_shard_list_reserve(&c->list, context, c->open, p->use);
    if (!err && c->open > c->list_index_memory.bytes / sizeof *c->list_index)
        err = dj_huge_grow(&c->list_index_memory, &c->footprint, context, what, capacity,
                           sizeof *c->list_index, 0);
    if (!err && both && c->open > c->at_memory.bytes / sizeof *c->at)
        err = dj_huge_grow(&c->at_memory, &c->footprint, context, what, capacity, sizeof *c->at, 0);
    if (err)
        return err;
    c->list_index = c->list_index_memory.memory;
    c->at = both ? c->at_memory.memory : c->list_index;
    c->found = c->key_memory.memory;
    dj_shard_list_divide(&c->list, &p->shards, c->key, c->open);
    p->path->list_by_shard(&p->shards, engine, c->key, &c->list, c->list_index);
    return DJ_OK;
}

int dj_parallel_analyze(const dj_parallel *p, dj_context *context, const dj_parallel_round *round,
                        unsigned chunk)
{
    dj_parallel_chunk *c = &round->chunks[chunk];
    c->first = share(round->accesses, chunk, p);
    c->end = share(round->accesses, chunk + 1, p);
    c->open = 0;
    if (c->first == c->end)
        return DJ_OK;
    int err = make_engine(p, context, round, chunk);
    if (!err)
        err = analyze_parts(p, context, round, c, p->engines[chunk]);
    return err ? err : list_by_shard(p, context, c, dj_parallel_stages_finish(p->engines[chunk]));
}
