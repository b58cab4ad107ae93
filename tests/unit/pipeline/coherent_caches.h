// SPDX-License-Identifier: MIT
// Real caches, for tests of coherent lanes: one of each capacity for each cache number. A cache has slots,
// fills an empty one if there is any, and otherwise replaces the least recently used block. It knows
// nothing about stacks or distances.
#ifndef TESTS_UNIT_PIPELINE_COHERENT_CACHES_H
#define TESTS_UNIT_PIPELINE_COHERENT_CACHES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { CACHES_MOST = 70, CAPACITY_MOST = 40 };

typedef struct slot {
    bool full;
    uint64_t block, used;
} slot;

typedef struct real_cache {
    slot slots[CAPACITY_MOST];
} real_cache;

// By number and capacity - 1.
static real_cache caches[CACHES_MOST][CAPACITY_MOST];
static uint64_t cache_clock;

static void empty_caches(void)
{
    memset(caches, 0, sizeof caches);
    cache_clock = 0;
}

static slot *find_block(real_cache *cache, uint32_t capacity, uint64_t block)
{
    for (uint32_t i = 0; i < capacity; i++)
        if (cache->slots[i].full && cache->slots[i].block == block)
            return &cache->slots[i];
    return NULL;
}

static slot *choose_slot(real_cache *cache, uint32_t capacity)
{
    slot *oldest = &cache->slots[0];
    for (uint32_t i = 0; i < capacity; i++) {
        if (!cache->slots[i].full)
            return &cache->slots[i];
        if (cache->slots[i].used < oldest->used)
            oldest = &cache->slots[i];
    }
    return oldest;
}

// Returns in how many of the capacities from 1 up the access misses. A larger cache must hit where a
// smaller one does: `*ordered` becomes false otherwise.
static uint32_t access_caches(uint32_t number, uint64_t block, uint32_t capacities, bool *ordered)
{
    uint32_t misses = 0;
    bool hit_before = false;
    cache_clock++;
    for (uint32_t capacity = 1; capacity <= capacities; capacity++) {
        real_cache *cache = &caches[number][capacity - 1];
        slot *at = find_block(cache, capacity, block);
        misses += !at;
        *ordered = *ordered && (at || !hit_before);
        hit_before = at;
        if (!at)
            at = choose_slot(cache, capacity);
        *at = (slot){true, block, cache_clock};
    }
    return misses;
}

static void invalidate_block(uint32_t number, uint64_t block, uint32_t capacities)
{
    for (uint32_t capacity = 1; capacity <= capacities; capacity++) {
        slot *at = find_block(&caches[number][capacity - 1], capacity, block);
        if (at)
            at->full = false;
    }
}

#endif
