// SPDX-License-Identifier: MIT
// The blocks in the sets of a cache, and when each was used last. Slots are numbered; those of a set follow
// each other. 16 bytes for each slot.
#ifndef DEJA_OBSERVE_HIERARCHY_SETS_H
#define DEJA_OBSERVE_HIERARCHY_SETS_H

#include "base/huge.h"
#include "observe/hierarchy/vectors.h"

#include <stdbool.h>

typedef struct dj_sets {
    uint64_t sets, ways;
    uint64_t mask; // of sets, if their number is a power of two
    uint64_t *key;
    uint32_t *stamp;    // of the last use: later uses have greater ones, up to INT32_MAX; 0: empty
    uint32_t *modifier; // who wrote to the block last; 0: not modified
    dj_huge memory;
    dj_footprint footprint;
} dj_sets;

// `count` × `ways` is below 2^32.
int dj_sets_create(dj_sets *sets, dj_context *context, uint64_t count, uint64_t ways);
void dj_sets_free(dj_sets *sets); // a zeroed structure is allowed

#define DJ_NO_SLOT UINT32_MAX

// The set to which a block belongs.
static inline uint64_t dj_sets_of(const dj_sets *s, uint64_t key)
{
    return s->mask ? key & s->mask : key % s->sets;
}

static inline bool dj_sets_has(const dj_sets *s, uint32_t slot, uint64_t key)
{
    return s->key[slot] == key && s->stamp[slot] != 0;
}

// The slot of a block in the set that begins at `first`; DJ_NO_SLOT: it is not there. Empty slots have any
// key.
static inline uint32_t dj_sets_find(const dj_sets *s, uint32_t first, uint64_t key)
{
    for (uint64_t from = 0; from < s->ways; from += DJ_KEYS_AT_ONCE) {
        uint32_t equal = dj_keys_equal(s->key + first + from, s->ways - from, key);
        for (; equal; equal &= equal - 1) {
            const uint32_t slot = (uint32_t)(first + from) + (uint32_t)__builtin_ctz(equal);
            if (s->stamp[slot])
                return slot;
        }
    }
    return DJ_NO_SLOT;
}

// An empty slot of the set, or that of the least recently used block.
static inline uint32_t dj_sets_oldest(const dj_sets *s, uint32_t first)
{
    return first + dj_stamps_least(s->stamp + first, s->ways);
}

// Puts a block, not modified, into a slot.
static inline void dj_sets_put(dj_sets *s, uint32_t slot, uint64_t key)
{
    s->key[slot] = key;
    s->modifier[slot] = 0;
}

// Replaces the stamps by ranks within their sets, and returns the greatest one.
uint32_t dj_sets_renumber(dj_sets *sets);

#endif
