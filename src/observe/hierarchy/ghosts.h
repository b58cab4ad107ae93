// SPDX-License-Identifier: MIT
// Blocks that are in no set any more, but that a fully associative cache holds: their positions in `recent`.
// Few of each set are beside it, others in a map.
#ifndef DEJA_OBSERVE_HIERARCHY_GHOSTS_H
#define DEJA_OBSERVE_HIERARCHY_GHOSTS_H

#include "base/map.h"
#include "observe/hierarchy/recent.h"
#include "observe/hierarchy/vectors.h"

enum { DJ_GHOSTS = 8 }; // beside each set

typedef struct dj_ghosts {
    uint64_t sets;
    uint64_t *key;      // DJ_GHOSTS for each set
    uint32_t *position; // 0: none
    dj_map others;
    dj_footprint footprint;
} dj_ghosts;

int dj_ghosts_create(dj_ghosts *ghosts, dj_context *context, uint64_t sets);
void dj_ghosts_free(dj_ghosts *ghosts); // a zeroed structure is allowed
// Makes space for `count` more.
int dj_ghosts_reserve(dj_ghosts *ghosts, dj_context *context, size_t count);

// Takes out a block and returns its position, which may have fallen out of `recent`; 0: it is not there.
static inline uint32_t dj_ghosts_take(dj_ghosts *g, uint64_t set, uint64_t key)
{
    const uint64_t *keys = g->key + set * DJ_GHOSTS;
    uint32_t *positions = g->position + set * DJ_GHOSTS;
    for (uint32_t equal = dj_keys_equal(keys, DJ_GHOSTS, key); equal; equal &= equal - 1) {
        uint32_t *at = &positions[__builtin_ctz(equal)];
        const uint32_t position = *at;
        *at = 0;
        if (position)
            return position;
    }
    return g->others.count ? (uint32_t)dj_map_remove(&g->others, key) : 0;
}

// Adds a block of `recent`. There must be space.
static inline void dj_ghosts_add(dj_ghosts *g, dj_recent *recent, uint64_t set, uint64_t key,
                                 uint32_t position)
{
    uint32_t *positions = g->position + set * DJ_GHOSTS;
    const uint32_t oldest = dj_stamps_least(positions, DJ_GHOSTS);
    if (dj_recent_has(recent, positions[oldest])) {
        *dj_map_at(&g->others, NULL, key) = position;
        return;
    }
    dj_recent_forget(recent, positions[oldest]);
    g->key[set * DJ_GHOSTS + oldest] = key;
    positions[oldest] = position;
}

// Removes those that have fallen out of `recent`.
void dj_ghosts_purge(dj_ghosts *ghosts, dj_recent *recent);
// Renumbers the positions of all others.
int dj_ghosts_renumber(dj_ghosts *ghosts, dj_context *context, const dj_recent *recent);

#endif
