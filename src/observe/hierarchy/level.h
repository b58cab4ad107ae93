// SPDX-License-Identifier: MIT
// One level of simulated caches: sets with LRU replacement, and beside them a fully associative cache of the
// same size that sees the same requests. deja/hierarchy.h defines what is simulated.
#ifndef DEJA_OBSERVE_HIERARCHY_LEVEL_H
#define DEJA_OBSERVE_HIERARCHY_LEVEL_H

#include <deja/hierarchy.h>

#include "base/footprint.h"
#include "base/huge.h"
#include "observe/hierarchy/lru.h"

enum {
    DJ_REQUEST_FETCH = 1,  // the block is needed: a miss if the level does not have it
    DJ_REQUEST_MODIFY = 2, // the block is modified then; without FETCH it is written back whole
    DJ_REQUEST_COLD = 4,   // nobody has accessed the block before
    DJ_REQUEST_NEAR = 8,   // of the first level: a fully associative cache of its size has the block
};

// Whose accesses are not counted.
#define DJ_BY_NOBODY UINT32_MAX

typedef struct dj_level_request {
    uint64_t key;
    uint32_t by; // place + 1 of the access, or of the last one that wrote to the block; or DJ_BY_NOBODY
    uint32_t flags;
} dj_level_request;

typedef struct dj_level_slot {
    uint64_t key;
    uint32_t stamp;    // of the last use; 0: empty
    uint32_t modifier; // `by` of the last access that wrote to the block; 0: not modified
} dj_level_slot;

typedef struct dj_level_state {
    uint64_t blocks, sets, ways, mask; // of sets, if their number is a power of two
    uint32_t now;                      // the latest stamp
    dj_level_slot *slots;              // `ways` for each set; NULL: fully associative
    dj_huge memory;                    // of the slots
    dj_footprint footprint;
    /// The fully associative cache: of blocks in sets, the value is the slot that the block had last. Or the
    /// level itself, and the value is the modifier. Not used by sets of the first level.
    dj_lru full;
    bool is_first;
    dj_level_counts *counts; // of place 0, with those of the other levels between
    size_t stride;           // from one place to the next
    dj_level_request *sent;  // to the next level
    size_t sent_count;
} dj_level_state;

// `most` is the largest number of requests at once.
int dj_level_create(dj_level_state *level, dj_context *context, uint64_t blocks, uint64_t ways, bool is_first,
                    size_t most);
void dj_level_free(dj_level_state *level); // a zeroed structure is allowed

// Makes space for this many requests, and begins the list of what is sent.
int dj_level_reserve(dj_level_state *level, dj_context *context, size_t count);

static inline uint64_t dj_level_set(const dj_level_state *level, uint64_t key)
{
    return level->mask ? key & level->mask : key % level->sets;
}

// Returns where the level keeps the modifier of the block, valid until the next request.
uint32_t *dj_level_access(dj_level_state *level, dj_level_request request);
// The slot of the block that dj_level_access returned.
static inline dj_level_slot *dj_level_slot_of(uint32_t *modifier)
{
    return (dj_level_slot *)(void *)((char *)modifier - offsetof(dj_level_slot, modifier));
}

// The same for many.
void dj_level_run(dj_level_state *level, const dj_level_request *requests, size_t count);

#endif
