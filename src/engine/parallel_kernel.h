// SPDX-License-Identifier: MIT
// The hot loops of engine parallel, compiled once for every set of instructions.
#ifndef DEJA_ENGINE_PARALLEL_KERNEL_H
#define DEJA_ENGINE_PARALLEL_KERNEL_H

#include "engine/parallel_path.h"

#include <string.h>

enum { GROUP = DJ_INVERSION_GROUP };

typedef struct last_lister {
    const dj_shards *shards;
    dj_shard_list *list;
    uint32_t next[DJ_SHARD_COUNT];
} last_lister;

static inline void put_last(last_lister *l, uint64_t key, uint64_t rank, uint32_t tag, uint64_t time)
{
    dj_shard_list *list = l->list;
    uint32_t at = l->next[dj_shard_of(dj_shards_hash(l->shards, key))]++;
    list->key[at] = key;
    list->number[at] = (uint32_t)rank;
    if (list->tag)
        list->tag[at] = tag;
    if (list->time)
        list->time[at] = time;
}

// Keys of the window have no point in time yet: they come last, in the order of their last accesses.
static void list_window(last_lister *lister, const dj_fast *f)
{
    const dj_fast_chunk *c = &f->chunk;
    uint64_t rank = f->keys;
    for (uint32_t i = DJ_FAST_WINDOW; i-- > 0 && DJ_FAST_WINDOW - i <= f->accesses;)
        if (!dj_fast_comes_again(c, i))
            put_last(lister, c->key[i], --rank, c->tag[i], c->stamp[i]);
}

static void list_last(const dj_shards *shards, const dj_fast_hashed *engine, dj_shard_list *list)
{
    const dj_fast *f = &engine->fast;
    const dj_fast_table *t = &engine->table;
    last_lister lister = {.shards = shards, .list = list};
    memcpy(lister.next, list->start, sizeof lister.next);
    for (uint64_t line = 0; line <= t->homes; line++) {
        const dj_fast_line *l = &t->lines[line];
        for (unsigned way = 0; way < l->used; way++) {
            if (l->time[way] == 0)
                continue;
            size_t slot = line * DJ_FAST_WAYS + way;
            put_last(&lister, l->key[way], dj_fast_timeline_before(&f->timeline, l->time[way]),
                     t->tag ? t->tag[slot] : 0, t->stamp ? t->stamp[slot] : 0);
        }
    }
    list_window(&lister, f);
}

static void rank(const dj_standing *standing, const uint32_t *restrict point, const uint32_t *restrict place,
                 uint32_t *restrict value, uint32_t *restrict after, size_t first, size_t end)
{
    enum { AHEAD = 16 };
    uint64_t live = dj_standing_live(standing);
    for (size_t i = first; i < end; i++) {
        // What does not stand there is as far away as can be, and may well be asked for.
        if (i + AHEAD < end)
            __builtin_prefetch(standing->words + point[place[i + AHEAD]] / 64);
        uint32_t at = point[place[i]];
        if (at == DJ_STANDING_NONE) {
            value[i] = DJ_INVERSION_NONE;
            continue;
        }
        dj_standing_base before = dj_standing_before(standing, at);
        value[i] = (uint32_t)before.leaving;
        after[i] = (uint32_t)(live - before.live - 1);
    }
}

// Counts, for each of a number of things in groups, how many came after it.
typedef struct later_counts {
    uint16_t group[GROUP];
    uint16_t one[GROUP][GROUP]; // in the same group
} later_counts;

static inline unsigned count_later(const later_counts *counts, unsigned at)
{
    return (unsigned)counts->group[at / GROUP] + counts->one[at / GROUP][at % GROUP];
}

static inline void add_below(uint16_t *restrict counts, unsigned end)
{
    for (unsigned i = 0; i < GROUP; i++)
        counts[i] = (uint16_t)(counts[i] + (i < end));
}

static inline void add_later(later_counts *counts, unsigned at)
{
    add_below(counts->group, at / GROUP);
    add_below(counts->one[at / GROUP], at % GROUP);
}

static void spread_block(const dj_inversions *v, const uint32_t *value, uint32_t *place, size_t block)
{
    uint32_t larger_before[GROUP * GROUP];
    later_counts counts;
    uint32_t *row = v->table + block * v->buckets;
    uint32_t sum = 0;
    for (size_t bucket = v->buckets; bucket-- > 0;) {
        larger_before[bucket] = sum;
        sum += row[bucket];
    }
    memset(&counts, 0, sizeof counts);
    for (size_t i = block * DJ_INVERSION_BLOCK, end = dj_inversions_block_end(v, block); i < end; i++) {
        if (value[i] == DJ_INVERSION_NONE)
            continue;
        unsigned bucket = value[i] >> v->shift;
        uint32_t at = (bucket << v->shift) + row[bucket]++;
        place[i] = at;
        v->low[at] = (uint16_t)(value[i] & ((1u << v->shift) - 1));
        v->larger[at] = larger_before[bucket] + count_later(&counts, bucket);
        add_later(&counts, bucket);
    }
}

static void finish_bucket(const dj_inversions *v, size_t bucket)
{
    uint64_t seen[(1 << DJ_INVERSION_MOST_SHIFT) / 64];
    later_counts counts;
    memset(seen, 0, ((size_t)1 << v->shift) / 8);
    memset(&counts, 0, sizeof counts);
    size_t first = bucket << v->shift, end = (bucket + 1) << v->shift;
    end = end < v->values ? end : v->values;
    for (size_t i = first; i < end; i++) {
        unsigned low = v->low[i], word = low / 64;
        uint64_t above = seen[word] >> low % 64; // its own bit is not set
        v->larger[i] += count_later(&counts, word) + (uint32_t)__builtin_popcountll(above);
        seen[word] |= UINT64_C(1) << low % 64;
        add_later(&counts, word);
    }
}

#define DJ_PARALLEL_PATH                                                                                     \
    {                                                                                                        \
        .list_last = list_last, .rank = rank, .spread_block = spread_block, .finish_bucket = finish_bucket   \
    }

#endif
