// SPDX-License-Identifier: MIT
#include "engine/shards.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEAST_CAPACITY = 64 };

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
    uint64_t capacity = s->entries ? s->mask + 1 : 0;
    dj_footprint_free(&s->footprint, s->entries, capacity, sizeof *s->entries);
    dj_footprint_free(&s->footprint, s->time, capacity, sizeof *s->time);
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

static int resize(const dj_shards *shards, dj_shard *s, dj_context *context, uint64_t capacity)
{
    dj_shard old = *s;
    dj_shard_entry *entries = dj_footprint_array(&s->footprint, context, what, capacity, sizeof *entries);
    uint64_t *time = entries && shards->times
                         ? dj_footprint_array(&s->footprint, context, what, capacity, sizeof *time)
                         : NULL;
    if (!entries || (shards->times && !time)) {
        dj_footprint_free(&s->footprint, entries, capacity, sizeof *entries);
        return DJ_ERR_MEMORY;
    }
    s->entries = entries;
    s->time = time;
    s->mask = capacity - 1;
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
    uint64_t capacity = shard->entries ? shard->mask + 1 : LEAST_CAPACITY;
    while (4 * (shard->count + more) > 3 * capacity)
        capacity *= 2;
    return shard->entries && capacity == shard->mask + 1 ? DJ_OK : resize(shards, shard, context, capacity);
}

static int grow(dj_shard_list *list, dj_context *context, dj_huge *column, size_t count, size_t bytes)
{
    return count <= column->bytes / bytes
               ? DJ_OK
               : dj_huge_grow(column, &list->footprint, context, what, count + count / 4, bytes, 0);
}

int dj_shard_list_reserve(dj_shard_list *list, dj_context *context, size_t count, uint32_t use)
{
    int err = grow(list, context, &list->number_memory, count, sizeof *list->number);
    if (!err)
        err = grow(list, context, &list->key_memory, count, sizeof *list->key);
    if (!err && use & DJ_CAN_TAGS)
        err = grow(list, context, &list->tag_memory, count, sizeof *list->tag);
    if (!err && use & DJ_CAN_TIMES)
        err = grow(list, context, &list->time_memory, count, sizeof *list->time);
    list->key = list->key_memory.memory;
    list->number = list->number_memory.memory;
    list->tag = list->tag_memory.memory;
    list->time = list->time_memory.memory;
    return err;
}

void dj_shard_list_divide(dj_shard_list *list, const dj_shards *shards, const uint64_t *keys, size_t count)
{
    uint32_t *start = list->start;
    memset(start, 0, sizeof list->start);
    for (size_t i = 0; i < count; i++)
        start[dj_shard_of(dj_shards_hash(shards, keys[i])) + 1]++;
    for (unsigned s = 0; s < DJ_SHARD_COUNT; s++)
        start[s + 1] += start[s];
}

void dj_shard_list_free(dj_shard_list *list)
{
    dj_huge_free(&list->key_memory, &list->footprint);
    dj_huge_free(&list->number_memory, &list->footprint);
    dj_huge_free(&list->tag_memory, &list->footprint);
    dj_huge_free(&list->time_memory, &list->footprint);
}
