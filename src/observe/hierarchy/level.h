// SPDX-License-Identifier: MIT
// One level of simulated caches: sets with LRU replacement, and what a fully associative cache of the same
// size would hold that sees the same requests. deja/hierarchy.h defines what is simulated.
#ifndef DEJA_OBSERVE_HIERARCHY_LEVEL_H
#define DEJA_OBSERVE_HIERARCHY_LEVEL_H

#include <deja/hierarchy.h>

#include "observe/hierarchy/ghosts.h"
#include "observe/hierarchy/lru.h"
#include "observe/hierarchy/sets.h"

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

typedef enum dj_level_kind {
    DJ_LEVEL_FIRST, // sets; its requests say whether they are near, and stamps are just counted
    DJ_LEVEL_SETS,  // stamps are positions in `recent`
    DJ_LEVEL_FULL,  // fully associative
} dj_level_kind;

typedef struct dj_level_state {
    dj_level_kind kind;
    uint64_t blocks, ways;
    dj_sets sets;
    uint32_t now; // the last stamp of the first level
    dj_recent recent;
    dj_ghosts ghosts;
    dj_lru full;             // the value of a block is its modifier
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

// Of the first level: a block that is not in the expected slot. Returns its slot.
uint32_t dj_level_access_first(dj_level_state *level, dj_level_request request);
// Requests to any other level, or to a fully associative first one.
void dj_level_run(dj_level_state *level, const dj_level_request *requests, size_t count);

#endif
