// SPDX-License-Identifier: MIT
// All policies in one structure: buckets of keys with equal counts, from the lowest count up, each a list
// from the most recent key to the next victim (K. Shah, A. Mitra, D. Matani, "An O(1) algorithm for
// implementing the LFU cache eviction scheme", 2010). LRU and FIFO have one bucket.
#include "observe/simulate/simulate.h"

#include <stdlib.h>

#define NONE UINT32_MAX

typedef struct node {
    uint32_t newer, older;
    uint32_t bucket; // NONE: not in the cache
} node;

typedef struct bucket {
    uint64_t count;
    uint32_t newest, oldest; // ids
    uint32_t below, above;   // buckets; `above` also links the free ones
} bucket;

struct dj_full_cache {
    enum dj_policy policy;
    uint64_t blocks, used;
    node *nodes; // by id
    size_t node_count;
    bucket *buckets;
    uint32_t bucket_count, bucket_capacity;
    uint32_t free_bucket;
    uint32_t lowest;
};

int dj_full_cache_create(dj_context *context, enum dj_policy policy, uint64_t blocks, dj_full_cache **out)
{
    dj_full_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return dj_fail_memory(context, "a simulated cache", sizeof *cache);
    *cache = (dj_full_cache){.policy = policy, .blocks = blocks, .free_bucket = NONE, .lowest = NONE};
    *out = cache;
    return DJ_OK;
}

void dj_full_cache_destroy(dj_full_cache *cache)
{
    if (!cache)
        return;
    free(cache->nodes);
    free(cache->buckets);
    free(cache);
}

static int reserve(dj_full_cache *cache, dj_context *context, uint32_t id)
{
    if (id < cache->node_count)
        return DJ_OK;
    size_t count = 2 * ((size_t)id + 512);
    node *grown = realloc(cache->nodes, count * sizeof *grown);
    if (!grown)
        return dj_fail_memory(context, "a simulated cache", count * sizeof *grown);
    for (size_t i = cache->node_count; i < count; i++)
        grown[i].bucket = NONE;
    cache->nodes = grown;
    cache->node_count = count;
    return DJ_OK;
}

// A new, empty bucket between two existing ones (or NONE).
static int add_bucket(dj_full_cache *cache, dj_context *context, uint64_t count, uint32_t below,
                      uint32_t above, uint32_t *out)
{
    if (cache->free_bucket == NONE && cache->bucket_count == cache->bucket_capacity) {
        uint32_t capacity = cache->bucket_capacity == 0 ? 16 : 2 * cache->bucket_capacity;
        bucket *grown = realloc(cache->buckets, capacity * sizeof *grown);
        if (!grown)
            return dj_fail_memory(context, "a simulated cache", capacity * sizeof *grown);
        cache->buckets = grown;
        cache->bucket_capacity = capacity;
    }
    uint32_t at = cache->free_bucket;
    if (at == NONE)
        at = cache->bucket_count++;
    else
        cache->free_bucket = cache->buckets[at].above;
    cache->buckets[at] =
        (bucket){.count = count, .newest = NONE, .oldest = NONE, .below = below, .above = above};
    if (below == NONE)
        cache->lowest = at;
    else
        cache->buckets[below].above = at;
    if (above != NONE)
        cache->buckets[above].below = at;
    *out = at;
    return DJ_OK;
}

static void remove_bucket(dj_full_cache *cache, uint32_t at)
{
    bucket *b = &cache->buckets[at];
    if (b->below == NONE)
        cache->lowest = b->above;
    else
        cache->buckets[b->below].above = b->above;
    if (b->above != NONE)
        cache->buckets[b->above].below = b->below;
    b->above = cache->free_bucket;
    cache->free_bucket = at;
}

static void unlink_node(dj_full_cache *cache, uint32_t id)
{
    node *n = &cache->nodes[id];
    bucket *b = &cache->buckets[n->bucket];
    if (n->newer == NONE)
        b->newest = n->older;
    else
        cache->nodes[n->newer].older = n->older;
    if (n->older == NONE)
        b->oldest = n->newer;
    else
        cache->nodes[n->older].newer = n->newer;
    if (b->newest == NONE)
        remove_bucket(cache, n->bucket);
    n->bucket = NONE;
}

static void link_newest(dj_full_cache *cache, uint32_t id, uint32_t at)
{
    bucket *b = &cache->buckets[at];
    cache->nodes[id] = (node){.newer = NONE, .older = b->newest, .bucket = at};
    if (b->newest == NONE)
        b->oldest = id;
    else
        cache->nodes[b->newest].newer = id;
    b->newest = id;
}

static int insert(dj_full_cache *cache, dj_context *context, uint32_t id)
{
    if (cache->used == cache->blocks)
        unlink_node(cache, cache->buckets[cache->lowest].oldest);
    else
        cache->used++;
    uint32_t at = cache->lowest;
    if (at == NONE || cache->buckets[at].count != 1) {
        int err = add_bucket(cache, context, 1, NONE, at, &at);
        if (err != DJ_OK)
            return err;
    }
    link_newest(cache, id, at);
    return DJ_OK;
}

// Moves a key to the front of its bucket or, for LFU, into the next one.
static int touch(dj_full_cache *cache, dj_context *context, uint32_t id)
{
    uint32_t at = cache->nodes[id].bucket;
    if (cache->policy == DJ_POLICY_FIFO ||
        (cache->policy == DJ_POLICY_LRU && cache->buckets[at].newest == id))
        return DJ_OK;
    if (cache->policy == DJ_POLICY_LFU) {
        uint64_t count = cache->buckets[at].count + 1;
        uint32_t above = cache->buckets[at].above;
        if (above == NONE || cache->buckets[above].count != count) {
            int err = add_bucket(cache, context, count, at, above, &above);
            if (err != DJ_OK)
                return err;
        }
        at = above;
    }
    unlink_node(cache, id);
    link_newest(cache, id, at);
    return DJ_OK;
}

int dj_full_cache_access(dj_full_cache *cache, dj_context *context, uint32_t id, bool *hit)
{
    int err = reserve(cache, context, id);
    if (err != DJ_OK)
        return err;
    *hit = cache->nodes[id].bucket != NONE;
    return *hit ? touch(cache, context, id) : insert(cache, context, id);
}
