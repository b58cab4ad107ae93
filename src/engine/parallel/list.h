// SPDX-License-Identifier: MIT
// How engine parallel lists the unresolved accesses of a chunk, compiled once per instruction set.
#ifndef DEJA_ENGINE_PARALLEL_LIST_H
#define DEJA_ENGINE_PARALLEL_LIST_H

#include "engine/parallel/path.h"

#include <string.h>

enum { COLD_GROUP = 8 };

// Most groups have no cold access.
static inline bool has_cold(const uint64_t *distance)
{
    uint64_t cold = 0;
    for (size_t i = 0; i < COLD_GROUP; i++)
        cold |= distance[i] == DJ_COLD;
    return cold != 0;
}

static size_t list_cold(const uint64_t *restrict key, const uint64_t *restrict distance, size_t count,
                        uint32_t first, uint64_t *restrict cold_key, uint32_t *restrict cold_number)
{
    size_t cold = 0;
    for (size_t from = 0; from < count; from += COLD_GROUP) {
        size_t end = count - from < COLD_GROUP ? count : from + COLD_GROUP;
        if (end - from == COLD_GROUP && !has_cold(distance + from))
            continue;
        for (size_t i = from; i < end; i++) {
            cold_key[cold] = key[i]; // overwritten unless it is cold
            cold_number[cold] = first + (uint32_t)i;
            cold += distance[i] == DJ_COLD;
        }
    }
    return cold;
}

enum { MARK_GROUP = 16 };

static inline bool is_marked(uint64_t key)
{
    return (uint32_t)(key ^ key >> 32) * UINT32_C(0x9e3779b1) < UINT32_MAX / DJ_PARALLEL_MARKED;
}

static inline bool has_marked(const uint64_t *key)
{
    uint32_t marked = 0;
    for (size_t i = 0; i < MARK_GROUP; i++)
        marked |= is_marked(key[i]);
    return marked != 0;
}

static void mark_some(const dj_shards *shards, const uint64_t *key, size_t count, uint64_t *marks)
{
    for (size_t from = 0; from < count; from += MARK_GROUP) {
        size_t end = count - from < MARK_GROUP ? count : from + MARK_GROUP;
        if (end - from == MARK_GROUP && !has_marked(key + from))
            continue;
        for (size_t i = from; i < end; i++) {
            uint64_t mark = dj_shards_hash(shards, key[i]) % DJ_PARALLEL_MARKS;
            marks[mark / 64] |= (uint64_t)is_marked(key[i]) << mark % 64;
        }
    }
}

// Keys of the window have no point in time yet: they come last, in the order of their last accesses.
typedef struct last_window {
    uint32_t rank[DJ_FAST_WINDOW]; // for those that do not occur again
} last_window;

static void rank_window(last_window *window, const dj_fast *f)
{
    uint64_t rank = f->keys;
    for (uint32_t i = DJ_FAST_WINDOW; i-- > 0 && DJ_FAST_WINDOW - i <= f->accesses;)
        if (!dj_fast_comes_again(&f->chunk, i))
            window->rank[i] = (uint32_t)--rank;
}

static uint32_t find_in_window(const dj_fast_chunk *c, uint64_t key)
{
    uint32_t i = DJ_FAST_WINDOW - 1;
    while (c->key[i] != key)
        i--;
    return i;
}

static inline uint32_t match_key(const dj_fast_line *line, uint64_t key)
{
    uint32_t match = 0;
    for (uint32_t way = 0; way < DJ_FAST_WAYS; way++)
        match |= (uint32_t)(line->key[way] == key) << way;
    return match;
}

static inline uint64_t home_of(const dj_fast_table *t, uint64_t key)
{
    return dj_fast_home(t->homes, key, dj_fast_hash(key, t->seed));
}

// For a key that is not in its first line.
static uint32_t find_further(const dj_fast_table *t, uint64_t key)
{
    uint64_t line = home_of(t, key);
    uint32_t match = 0;
    while (match == 0) {
        line = line + 1 == t->homes ? 0 : line + 1;
        match = match_key(&t->lines[line], key);
    }
    return dj_fast_slot(line, (unsigned)__builtin_ctz(match));
}

enum { LIST_SOME = 32, LIST_AHEAD = 128 };

// For `some` of `count` keys, from index `from` on; all memory is prefetched before it is read.
static inline void find_slots(const dj_fast_hashed *engine, const uint64_t *key, size_t from, size_t some,
                              size_t count, uint32_t *slot)
{
    const dj_fast_table *t = &engine->table;
    const uint64_t *const points = engine->fast.timeline.words;
    const uint32_t *const words = engine->fast.slots.words;
    uint32_t missing[LIST_SOME + 1], missed = 0;
    for (size_t i = 0; i < some; i++) {
        size_t ahead = from + i + LIST_AHEAD < count ? from + i + LIST_AHEAD : count - 1;
        __builtin_prefetch(&t->lines[home_of(t, key[ahead])], 0, 2);
        uint64_t line = home_of(t, key[from + i]);
        uint32_t match = match_key(&t->lines[line], key[from + i]);
        slot[i] = dj_fast_slot(line, (unsigned)__builtin_ctz(match | 1u << DJ_FAST_WAYS));
        __builtin_prefetch(&points[words[slot[i]] / 64]);
        missing[missed] = (uint32_t)i; // overwritten unless it is missing
        missed += match == 0;
    }
    for (uint32_t i = 0; i < missed; i++)
        __builtin_prefetch(words + slot[missing[i]] + 1); // the next line
    for (uint32_t i = 0; i < missed; i++) {
        uint32_t found = find_further(t, key[from + missing[i]]);
        slot[missing[i]] = found;
        __builtin_prefetch(&points[words[found] / 64]);
    }
}

static inline void put_last(const dj_fast *f, const last_window *window, uint64_t key, uint32_t slot,
                            dj_shard_list *list, uint32_t at)
{
    const dj_fast_slots *s = &f->slots;
    uint32_t point = s->words[slot];
    if (__builtin_expect(point == 0, 0)) {
        uint32_t i = find_in_window(&f->chunk, key);
        list->number[at] = window->rank[i];
        if (list->tag)
            list->tag[at] = f->chunk.tag[i];
        if (list->time)
            list->time[at] = f->chunk.stamp[i];
        return;
    }
    list->number[at] = (uint32_t)dj_fast_timeline_before(&f->timeline, point);
    if (list->tag)
        list->tag[at] = s->tag[dj_fast_slot_index(s, slot)];
    if (list->time)
        list->time[at] = s->stamp[dj_fast_slot_index(s, slot)];
}

static void list_by_shard(const dj_shards *shards, const dj_fast_hashed *engine, const uint64_t *key,
                          dj_shard_list *list, uint32_t *list_index)
{
    const dj_fast *f = &engine->fast;
    last_window window;
    uint32_t next[DJ_SHARD_COUNT], slot[LIST_SOME];
    memcpy(next, list->start, sizeof next);
    rank_window(&window, f);
    for (size_t from = 0, count = f->keys; from < count; from += LIST_SOME) {
        size_t some = count - from < LIST_SOME ? count - from : LIST_SOME;
        find_slots(engine, key, from, some, count, slot);
        for (size_t i = 0; i < some; i++) {
            uint32_t at = next[dj_shard_of(dj_shards_hash(shards, key[from + i]))]++;
            list_index[from + i] = at;
            list->key[at] = key[from + i];
            put_last(f, &window, key[from + i], slot[i], list, at);
        }
    }
}

#endif
