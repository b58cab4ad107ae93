// SPDX-License-Identifier: MIT
#include "engine/shards.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEAST_ROOM = 64 };

static const char what[] = "the keys of engine parallel";

int dj_shards_create(dj_shards *shards, dj_context *context, bool times)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    shards->times = times;
    shards->list = calloc(DJ_SHARD_COUNT, sizeof *shards->list);
    shards->seed = dj_random_mix((uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)shards->list);
    return shards->list ? DJ_OK : dj_fail_memory(context, what, DJ_SHARD_COUNT * sizeof *shards->list);
}

static void free_tables(dj_shard *s)
{
    uint64_t room = s->entries ? s->mask + 1 : 0;
    dj_footprint_free(&s->footprint, s->entries, room, sizeof *s->entries);
    dj_footprint_free(&s->footprint, s->time, room, sizeof *s->time);
}

void dj_shards_destroy(dj_shards *shards)
{
    for (size_t i = 0; shards->list && i < DJ_SHARD_COUNT; i++)
        free_tables(&shards->list[i]);
    free(shards->list);
    shards->list = NULL;
}

dj_engine_stats dj_shards_stats(const dj_shards *shards)
{
    dj_engine_stats sum = {0};
    for (size_t i = 0; i < DJ_SHARD_COUNT; i++) {
        sum.keys += shards->list[i].count;
        sum.bytes += shards->list[i].footprint.bytes;
        sum.peak_bytes += shards->list[i].footprint.peak_bytes;
    }
    return sum;
}

static int resize(const dj_shards *shards, dj_shard *s, dj_context *context, uint64_t room)
{
    dj_shard old = *s;
    dj_shard_entry *entries = dj_footprint_array(&s->footprint, context, what, room, sizeof *entries);
    uint64_t *time = entries && shards->times
                         ? dj_footprint_array(&s->footprint, context, what, room, sizeof *time)
                         : NULL;
    if (!entries || (shards->times && !time)) {
        dj_footprint_free(&s->footprint, entries, room, sizeof *entries);
        return DJ_ERR_MEMORY;
    }
    s->entries = entries;
    s->time = time;
    s->mask = room - 1;
    for (uint64_t i = 0; old.entries && i <= old.mask; i++) {
        if (old.entries[i].point == 0)
            continue;
        dj_shard_entry *entry = dj_shard_at(shards, s, old.entries[i].key);
        *entry = old.entries[i];
        if (time)
            time[entry - entries] = old.time[i];
    }
    old.footprint = s->footprint;
    free_tables(&old);
    s->footprint = old.footprint;
    return DJ_OK;
}

int dj_shard_reserve(const dj_shards *shards, dj_shard *shard, dj_context *context, uint64_t more)
{
    uint64_t room = shard->entries ? shard->mask + 1 : LEAST_ROOM;
    while (4 * (shard->count + more) > 3 * room)
        room *= 2;
    return shard->entries && room == shard->mask + 1 ? DJ_OK : resize(shards, shard, context, room);
}

int dj_shard_list_reserve(dj_shard_list *list, dj_context *context, size_t count, uint32_t use)
{
    if (count <= list->room)
        return DJ_OK;
    size_t room = count + count / 4;
    dj_shard_list_free(list);
    list->key = malloc(room * sizeof *list->key);
    list->number = malloc(room * sizeof *list->number);
    list->tag = use & DJ_CAN_TAGS ? malloc(room * sizeof *list->tag) : NULL;
    list->time = use & DJ_CAN_TIMES ? malloc(room * sizeof *list->time) : NULL;
    if (!list->key || !list->number || (use & DJ_CAN_TAGS && !list->tag) ||
        (use & DJ_CAN_TIMES && !list->time))
        return dj_fail_memory(context, what, room * sizeof *list->key);
    list->room = room;
    return DJ_OK;
}

void dj_shard_list_make(dj_shard_list *list, const dj_shards *shards, const uint64_t *keys, size_t count,
                        uint32_t *place)
{
    uint32_t next[DJ_SHARD_COUNT + 1] = {0};
    for (size_t i = 0; i < count; i++)
        next[dj_shard_of(dj_shards_hash(shards, keys[i])) + 1]++;
    for (unsigned s = 0; s < DJ_SHARD_COUNT; s++)
        next[s + 1] += next[s];
    memcpy(list->start, next, sizeof next);
    for (size_t i = 0; i < count; i++) {
        uint32_t at = next[dj_shard_of(dj_shards_hash(shards, keys[i]))]++;
        list->key[at] = keys[i];
        place[i] = at;
    }
}

void dj_shard_list_free(dj_shard_list *list)
{
    free(list->key);
    free(list->number);
    free(list->tag);
    free(list->time);
    *list = (dj_shard_list){0};
}
