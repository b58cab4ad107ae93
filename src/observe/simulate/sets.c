// SPDX-License-Identifier: MIT
// A set is an array of keys, the most recent (FIFO: the newest) first, so the last one is the victim.
#include "observe/simulate/simulate.h"

#include <stdlib.h>
#include <string.h>

struct dj_set_cache {
    enum dj_policy policy;
    uint64_t sets, ways;
    uint64_t *keys;   // `ways` keys for each set
    uint64_t *counts; // LFU: accesses since the key was fetched
    uint32_t *used;   // ways in use, of each set
};

int dj_set_cache_create(dj_context *context, enum dj_policy policy, uint64_t sets, uint64_t ways,
                        dj_set_cache **out)
{
    dj_set_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return dj_fail_memory(context, "a simulated cache", sizeof *cache);
    uint64_t blocks = 0;
    if (ways > UINT32_MAX || __builtin_mul_overflow(sets, ways, &blocks) ||
        blocks > SIZE_MAX / sizeof *cache->keys) {
        free(cache);
        return dj_fail(context, DJ_ERR_USAGE, "a simulated cache is too large");
    }
    *cache = (dj_set_cache){.policy = policy, .sets = sets, .ways = ways};
    cache->keys = calloc(blocks, sizeof *cache->keys);
    cache->used = calloc(sets, sizeof *cache->used);
    cache->counts = policy == DJ_POLICY_LFU ? calloc(blocks, sizeof *cache->counts) : NULL;
    if (!cache->keys || !cache->used || (policy == DJ_POLICY_LFU && !cache->counts)) {
        dj_set_cache_destroy(cache);
        return dj_fail_memory(context, "a simulated cache", blocks * sizeof *cache->keys);
    }
    *out = cache;
    return DJ_OK;
}

void dj_set_cache_destroy(dj_set_cache *cache)
{
    if (!cache)
        return;
    free(cache->keys);
    free(cache->counts);
    free(cache->used);
    free(cache);
}

// Puts `key` at the front, replacing the entry at `at`.
static void move_to_front(dj_set_cache *cache, uint64_t set, uint64_t at, uint64_t key, uint64_t count)
{
    uint64_t *keys = cache->keys + set * cache->ways;
    memmove(keys + 1, keys, at * sizeof *keys);
    keys[0] = key;
    if (cache->counts) {
        uint64_t *counts = cache->counts + set * cache->ways;
        memmove(counts + 1, counts, at * sizeof *counts);
        counts[0] = count;
    }
}

// The position of the victim: the last key or, for LFU, the last one with the lowest count.
static uint64_t choose_victim(const dj_set_cache *cache, uint64_t set)
{
    uint64_t victim = cache->ways - 1;
    if (!cache->counts)
        return victim;
    const uint64_t *counts = cache->counts + set * cache->ways;
    for (uint64_t at = cache->ways; at-- > 0;)
        if (counts[at] < counts[victim])
            victim = at;
    return victim;
}

bool dj_set_cache_access(dj_set_cache *cache, uint64_t set, uint64_t key)
{
    const uint64_t *keys = cache->keys + set * cache->ways;
    uint64_t used = cache->used[set], at = 0;
    while (at < used && keys[at] != key)
        at++;
    if (at < used) {
        uint64_t count = cache->counts ? cache->counts[set * cache->ways + at] + 1 : 0;
        if (cache->policy != DJ_POLICY_FIFO)
            move_to_front(cache, set, at, key, count);
        return true;
    }
    if (used < cache->ways)
        cache->used[set]++;
    else
        at = choose_victim(cache, set);
    move_to_front(cache, set, at, key, 1);
    return false;
}
