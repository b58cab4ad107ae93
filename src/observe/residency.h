// SPDX-License-Identifier: MIT
// The blocks in a cache: who fetched each of them, and which of its address units were used since. A block
// is fetched when its distance shows that it was evicted; what was used of it before is counted for the
// previous fetcher.
//
// Blocks that are certainly evicted are dropped when space is needed, so memory depends on the cache size
// alone: if a block is not used while one more block is fetched than the cache holds, it is evicted.
// (Either all of these are different, or one was fetched twice, with that many different ones in between.)
#ifndef DEJA_OBSERVE_RESIDENCY_H
#define DEJA_OBSERVE_RESIDENCY_H

#include <deja/error.h>

typedef struct dj_resident {
    uint64_t key;
    uint32_t by;     // who fetched it, + 1; 0: the slot is free
    uint32_t stamp;  // number of blocks fetched when it was last used, modulo 2^32
    uint64_t mask[]; // units used
} dj_resident;

typedef struct dj_residency {
    uint64_t block;    // in address units
    uint64_t low_bits; // mask of an address within its block; 0: the block is not a power of two
    uint64_t cache;    // in blocks
    size_t words;      // of each mask
    size_t slot_bytes;
    char *slots;        // a hash table: a power of two of dj_resident
    uint64_t slot_mask; // slots - 1
    uint64_t count;
    uint64_t fetched; // blocks fetched
    uint64_t *used;   // by fetcher: units used of evicted blocks
    size_t used_capacity;
} dj_residency;

// An access, with the number of its block.
typedef struct dj_residency_access {
    uint64_t key, address, size;
    uint32_t by;
    bool fetches; // it fetches the block
} dj_residency_access;

int dj_residency_create(dj_residency *residency, dj_context *context, uint64_t block, uint64_t cache_blocks);
void dj_residency_destroy(dj_residency *residency);
// Allocates fetchers below `end`.
int dj_residency_reserve(dj_residency *residency, dj_context *context, size_t end);

// *slot is a hint where the block may be; it is set to where it is.
int dj_residency_access_block(dj_residency *residency, dj_context *context, const dj_residency_access *access,
                              uint64_t *slot);

// Adds the units used of the blocks still in the cache, by fetcher.
void dj_residency_add_rest(const dj_residency *residency, uint64_t *used);

#endif
