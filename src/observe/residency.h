// SPDX-License-Identifier: MIT
// Blocks in a cache, who brought each of them in, and which of its address
// units were used since. A block comes in when its distance says that it is no
// longer there, and what it was before is over then.
#ifndef DEJA_OBSERVE_RESIDENCY_H
#define DEJA_OBSERVE_RESIDENCY_H

#include "base/map.h"

enum { DJ_RESIDENCY_RECENT = 1024 };

// An access, with the number of its block.
typedef struct dj_residency_access {
    uint64_t key, address, size;
} dj_residency_access;

typedef struct dj_residency {
    uint64_t block;    // in address units
    uint64_t low_bits; // of an address, in its block; 0: it is no power of two
    size_t words;      // of each mask
    dj_map index;      // of each block: its number + 1
    uint64_t *masks;   // [block][word]: units that were used
    uint32_t *brought; // [block]: by whom
    size_t mask_room, brought_room;
    struct {
        uint64_t key, number; // + 1; 0: none
    } recent[DJ_RESIDENCY_RECENT];
    dj_footprint footprint;
} dj_residency;

int dj_residency_create(dj_residency *residency, dj_context *context, uint64_t block);
void dj_residency_destroy(dj_residency *residency);

// What a stay of a block came to.
typedef struct dj_stay {
    uint32_t by;
    uint64_t used; // 0: there was none
} dj_stay;

// `by` brings a block in; *before is its stay before that.
int dj_residency_fetch(dj_residency *residency, dj_context *context, const dj_residency_access *access,
                       uint32_t by, dj_stay *before);
// A block that is in is used.
int dj_residency_use(dj_residency *residency, dj_context *context, const dj_residency_access *access);
// The stay of a block, counted from 0 on, up to now.
dj_stay dj_residency_get(const dj_residency *residency, uint64_t number);
static inline uint64_t dj_residency_count(const dj_residency *residency)
{
    return residency->index.count;
}

#endif
