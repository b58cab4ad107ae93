// SPDX-License-Identifier: MIT
// Blocks in a cache, who brought each of them in, and which of its address
// units were used since. A block comes in when its distance says that it is no
// longer there, and what was used of it before is counted for who had brought it.
//
// Blocks that are surely out are forgotten when room is needed, so that memory
// depends on the cache alone: while a block is not used and as many others come
// in as the cache holds, and one more, they push it out. (Either all of them are
// different, or one came in twice, with that many different ones in between.)
#ifndef DEJA_OBSERVE_RESIDENCY_H
#define DEJA_OBSERVE_RESIDENCY_H

#include <deja/error.h>

typedef struct dj_resident {
    uint64_t key;
    uint32_t by;     // who brought it in, + 1; 0: the slot is free
    uint32_t stamp;  // how many blocks had come in when it was last used, modulo 2^32
    uint64_t mask[]; // units that were used
} dj_resident;

typedef struct dj_residency {
    uint64_t block;    // in address units
    uint64_t low_bits; // of an address, in its block; 0: it is no power of two
    uint64_t cache;    // in blocks
    size_t words;      // of each mask
    size_t slot_bytes;
    char *slots;        // a hash table: a power of two of dj_resident
    uint64_t slot_mask; // slots - 1
    uint64_t count;
    uint64_t fetched; // blocks that have come in
    uint64_t *used;   // by who brought blocks in: units used of those that are out
    size_t used_room;
} dj_residency;

// An access, with the number of its block.
typedef struct dj_residency_access {
    uint64_t key, address, size;
    uint32_t by;
    bool fetches; // the block comes in by it
} dj_residency_access;

int dj_residency_create(dj_residency *residency, dj_context *context, uint64_t block, uint64_t cache_blocks);
void dj_residency_destroy(dj_residency *residency);
// Room for those who bring blocks in, below `end`.
int dj_residency_make_room(dj_residency *residency, dj_context *context, size_t end);

// *slot is where the block may be; it is set to where it is.
int dj_residency_access_block(dj_residency *residency, dj_context *context, const dj_residency_access *access,
                              uint64_t *slot);

// Adds what was used of the blocks that are still in, by who brought them.
void dj_residency_add_rest(const dj_residency *residency, uint64_t *used);

#endif
