// SPDX-License-Identifier: MIT
// What a thread does alone with its chunk.
#include "engine/parallel.h"
#include "engine/registry.h"

#include <stdlib.h>
#include <string.h>

void dj_parallel_chunk_free(dj_parallel_chunk *c)
{
    free(c->key);
    free(c->spot);
    free(c->place);
    free(c->value);
    free(c->after);
    free(c->inversion);
    if (c->engine)
        dj_engine_fast.destroy(c->engine);
    dj_shard_list_free(&c->first);
    dj_shard_list_free(&c->last);
    *c = (dj_parallel_chunk){0};
}

static bool resize(void *array, size_t bytes)
{
    void **at = array;
    void *larger = realloc(*at, bytes);
    *at = larger ? larger : *at;
    return larger != NULL;
}

static int make_room(dj_parallel_chunk *c, dj_context *context, size_t open)
{
    if (open <= c->room)
        return DJ_OK;
    size_t room = open + open / 2 + DJ_SHARD_COUNT;
    if (!resize(&c->key, room * sizeof *c->key) || !resize(&c->spot, room * sizeof *c->spot) ||
        !resize(&c->place, room * sizeof *c->place) || !resize(&c->value, room * sizeof *c->value) ||
        !resize(&c->after, room * sizeof *c->after) || !resize(&c->inversion, room * sizeof *c->inversion))
        return dj_fail_memory(context, "the open accesses of engine parallel", room * sizeof *c->spot);
    c->room = room;
    return DJ_OK;
}

static int list_open(dj_parallel_chunk *c, dj_context *context, const dj_parallel_part *part)
{
    const uint64_t *distance = part->work->distance + part->from;
    size_t cold = 0;
    for (size_t i = 0; i < part->count; i++)
        cold += distance[i] == DJ_COLD;
    int err = make_room(c, context, c->open + cold);
    for (size_t i = 0; !err && cold > 0; i++) {
        if (distance[i] != DJ_COLD)
            continue;
        c->key[c->open] = part->work->key[part->from + i];
        c->spot[c->open++] = (dj_parallel_spot){part->work, part->from + i};
        cold--;
    }
    return err;
}

static int ask(const dj_parallel *p, dj_context *context, void *engine, const dj_parallel_part *part)
{
    const dj_work *whole = part->work;
    size_t from = part->from;
    dj_work work = {.count = part->count, .key = whole->key + from, .distance = whole->distance + from};
    dj_work *answered;
    if (p->use & DJ_CAN_TAGS) {
        work.tag = whole->tag + from;
        work.prev_tag = whole->prev_tag + from;
    }
    if (p->use & DJ_CAN_TIMES) {
        work.time = whole->time + from;
        work.prev_time = whole->prev_time + from;
    }
    int err = dj_engine_fast.push(engine, context, &work);
    return err ? err : dj_engine_fast.pull(engine, context, &answered);
}

// The accesses of a part that lie from `first` to `end` - 1 of its round, where it begins at `begin`.
static dj_parallel_part cut(const dj_parallel_part *part, uint64_t begin, uint64_t first, uint64_t end)
{
    uint64_t from = first > begin ? first - begin : 0;
    uint64_t to = end - begin < part->count ? end - begin : part->count;
    return (dj_parallel_part){part->work, part->from + from, to - from};
}

static int analyze_parts(const dj_parallel *p, dj_context *context, const dj_parallel_round *round,
                         uint64_t first, uint64_t end, dj_parallel_chunk *c)
{
    uint64_t begin = 0;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < round->part_count && begin < end; begin += round->parts[i++].count) {
        if (begin + round->parts[i].count <= first)
            continue;
        dj_parallel_part part = cut(&round->parts[i], begin, first, end);
        err = ask(p, context, c->engine, &part);
        if (!err)
            err = list_open(c, context, &part);
    }
    return err;
}

static int make_engine(const dj_parallel *p, dj_context *context, dj_parallel_chunk *c)
{
    const dj_engine_params params = {.use = p->use};
    void *engine = NULL;
    if (c->engine) {
        dj_fast_restart(c->engine);
        return DJ_OK;
    }
    int err = dj_engine_fast.create(context, &params, &engine);
    c->engine = engine;
    return err;
}

int dj_parallel_analyze(const dj_parallel *p, dj_context *context, const dj_parallel_round *round,
                        uint64_t first, uint64_t end, dj_parallel_chunk *c)
{
    c->open = 0;
    if (first == end)
        return DJ_OK;
    int err = make_engine(p, context, c);
    if (!err)
        err = analyze_parts(p, context, round, first, end, c);
    if (!err)
        err = dj_shard_list_reserve(&c->first, context, c->open, p->use);
    if (!err)
        err = dj_shard_list_reserve(&c->last, context, c->open, p->use);
    if (err)
        return err;
    dj_shard_list_make(&c->first, &p->shards, c->key, c->open, c->place);
    memcpy(c->last.start, c->first.start, sizeof c->last.start);
    p->path->list_last(&p->shards, c->engine, &c->last);
    return DJ_OK;
}
