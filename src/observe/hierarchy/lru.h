// SPDX-License-Identifier: MIT
// A fully associative LRU cache of a fixed number of blocks: a hash table with chains, and a list from the
// most recent block to the next victim. 32 bytes for each block that it has held at once.
#ifndef DEJA_OBSERVE_HIERARCHY_LRU_H
#define DEJA_OBSERVE_HIERARCHY_LRU_H

#include <deja/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dj_lru_node {
    uint64_t key;
    uint32_t newer, older;
    uint32_t next;  // in its chain; 0: the last one
    uint32_t value; // the caller's
} dj_lru_node;

typedef struct dj_lru {
    uint64_t capacity;
    dj_lru_node *nodes; // from 1 on; nodes[0] is before the newest and behind the oldest
    size_t node_capacity;
    uint32_t used;
    uint32_t *chains; // a power of two of them
    uint64_t chain_count;
    unsigned shift; // of a hash, to its chain
} dj_lru;

int dj_lru_create(dj_lru *lru, dj_context *context, uint64_t capacity);
void dj_lru_destroy(dj_lru *lru); // a zeroed structure is allowed

// Makes space for `count` accesses. Invalidates nodes.
int dj_lru_reserve(dj_lru *lru, dj_context *context, size_t count);

static inline uint32_t *dj_lru_chain(const dj_lru *lru, uint64_t key)
{
    return &lru->chains[key * UINT64_C(0x9e3779b97f4a7c15) >> lru->shift];
}

// What an access found.
typedef struct dj_lru_found {
    uint32_t node; // of the block now
    bool hit;      // its value is that of before; otherwise it is 0
    bool evicted;  // a block was, with this key and value
    uint64_t evicted_key;
    uint32_t evicted_value;
} dj_lru_found;

// Makes the block the most recent one. Needs space (dj_lru_reserve).
dj_lru_found dj_lru_access(dj_lru *lru, uint64_t key);

#endif
