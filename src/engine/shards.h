// SPDX-License-Identifier: MIT
// Maps each key to the point of its last access. The hash table is sharded by key, so that threads can
// work on different shards without locks.
#ifndef DEJA_ENGINE_SHARDS_H
#define DEJA_ENGINE_SHARDS_H

#include <deja/engine.h>

#include "base/huge.h"
#include "base/probe.h"

enum { DJ_SHARD_BITS = 8, DJ_SHARD_COUNT = 1 << DJ_SHARD_BITS };

// Keys by shard: shard s has the indices start[s] to start[s + 1] - 1.
typedef struct dj_shard_list {
    uint64_t *key;
    uint32_t *number; // the caller's
    uint32_t *tag;    // the caller's, like `time`; NULL unless requested
    uint64_t *time;
    dj_huge key_memory, number_memory, tag_memory, time_memory;
    dj_footprint footprint;
    uint32_t start[DJ_SHARD_COUNT + 1];
} dj_shard_list;

typedef struct dj_shard_entry {
    uint64_t key;
    uint32_t point; // + 1; 0: free
    uint32_t tag;
} dj_shard_entry;

typedef struct dj_shard {
    dj_shard_entry *entries;
    uint64_t *time; // NULL unless requested
    uint64_t mask;  // capacity - 1
    uint64_t count;
    dj_footprint footprint;
} dj_shard;

typedef struct dj_shards {
    dj_shard *list;
    bool times;
    uint64_t seed; // random, so that a trace cannot be crafted to cause collisions
} dj_shards;

static inline uint64_t dj_shards_hash(const dj_shards *shards, uint64_t key)
{
    uint64_t x = (key ^ shards->seed) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 29;
}

static inline unsigned dj_shard_of(uint64_t hash)
{
    return (unsigned)(hash >> (64 - DJ_SHARD_BITS));
}

int dj_shards_create(dj_shards *shards, dj_context *context, bool times);
void dj_shards_destroy(dj_shards *shards);
dj_engine_stats dj_shards_stats(const dj_shards *shards); // keys and bytes

// Allocates columns for `count` keys, as requested by `use` (bits of dj_capability). Discards their
// contents.
int dj_shard_list_reserve(dj_shard_list *list, dj_context *context, size_t count, uint32_t use);
// Determines where the shards of `count` keys begin.
void dj_shard_list_divide(dj_shard_list *list, const dj_shards *shards, const uint64_t *keys, size_t count);
void dj_shard_list_free(dj_shard_list *list);

// Makes space for `more` keys.
int dj_shard_reserve(const dj_shards *shards, dj_shard *shard, dj_context *context, uint64_t more);
// The entry of a key; a new one with point 0 if there is none. The shard must have space for it.
static inline dj_shard_entry *dj_shard_at(const dj_shards *shards, const dj_shard *shard, uint64_t key)
{
    DJ_PROBE (at, dj_shards_hash(shards, key), shard->mask) {
        dj_shard_entry *entry = &shard->entries[at];
        if (entry->point == 0 || entry->key == key) {
            entry->key = key;
            return entry;
        }
    }
}

static inline void dj_shard_prefetch(const dj_shards *shards, const dj_shard *shard, uint64_t key)
{
    __builtin_prefetch(&shard->entries[dj_shards_hash(shards, key) & shard->mask], 1);
}

#endif
