// SPDX-License-Identifier: MIT
// Heap blocks and anonymous mappings, as events. Combines the arguments of allocation functions at their
// entry with their results at their return.
#ifndef DEJA_LIVE_BLOCKS_H
#define DEJA_LIVE_BLOCKS_H

#include <deja/batch.h>

#include "base/map.h"
#include "tracer/ring.h"

// The outermost allocation function that a thread is in. Functions that it calls, including other allocation
// functions, are ignored.
typedef struct dj_allocation {
    uint32_t function; // enum dj_allocator; 0: none
    bool stored;       // posix_memalign has stored its result
    uint64_t argument[3];
    uint64_t sp;        // at its entry
    uint64_t candidate; // posix_memalign: the probable block
} dj_allocation;

typedef struct dj_mapping {
    uint64_t begin, end; // the remaining part
    uint64_t address;    // as reported
    uint64_t serial;
} dj_mapping;

typedef struct dj_blocks {
    dj_map by_address; // address → serial << 1 | 1 while allocated
    dj_footprint footprint;
    uint64_t serial; // of the last block
    dj_mapping *mappings;
    size_t mapping_count, mapping_capacity;
} dj_blocks;

// The structure must not move until it is destroyed.
int dj_blocks_create(dj_blocks *blocks, dj_context *context);
void dj_blocks_destroy(dj_blocks *blocks); // a zero-initialized one is allowed

// An allocation function is entered; `words` are three arguments and sp.
int dj_blocks_enter(dj_blocks *blocks, dj_context *context, dj_batch *batch, dj_allocation *allocation,
                    uint32_t function, const uint64_t *words);
// A function of the thread has returned. Call this after the event of the return, while allocation->function
// is not 0.
int dj_blocks_return(dj_blocks *blocks, dj_context *context, dj_batch *batch, dj_allocation *allocation,
                     uint64_t sp, uint64_t result);
// While in posix_memalign: observes these accesses.
void dj_blocks_look(dj_allocation *allocation, const uint64_t *address, const uint8_t *kind, uint32_t count);

// Adds a block with a name ("": none), replacing any block that starts at the same address.
int dj_blocks_allocate(dj_blocks *blocks, dj_context *context, dj_batch *batch, uint64_t address,
                       uint64_t bytes, const char *name);
int dj_blocks_free(dj_blocks *blocks, dj_context *context, dj_batch *batch, uint64_t address);

int dj_blocks_map(dj_blocks *blocks, dj_context *context, dj_batch *batch, uint64_t address, uint64_t bytes);
int dj_blocks_unmap(dj_blocks *blocks, dj_context *context, dj_batch *batch, uint64_t address,
                    uint64_t bytes);

#endif
