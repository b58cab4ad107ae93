// SPDX-License-Identifier: MIT
// Heap blocks and anonymous mappings, as events: what allocation functions were
// asked for when they were entered, and what they gave when they returned.
#ifndef DEJA_LIVE_BLOCKS_H
#define DEJA_LIVE_BLOCKS_H

#include <deja/batch.h>

#include "base/map.h"
#include "tracer/ring.h"

// The outermost allocation function that a thread is in; what it calls, other
// allocation functions too, is its own affair.
typedef struct dj_allocation {
    uint32_t function; // enum dj_allocator; 0: in none
    bool stored;       // posix_memalign has stored its result
    uint64_t argument[3];
    uint64_t sp;        // at its entry
    uint64_t candidate; // posix_memalign: what may be the block
} dj_allocation;

typedef struct dj_mapping {
    uint64_t begin, end; // what is left of it
    uint64_t address;    // as it was told
    uint64_t serial;
} dj_mapping;

typedef struct dj_blocks {
    dj_map by_address; // address → serial << 1 | 1 while it is allocated
    dj_footprint footprint;
    uint64_t serial; // of the last block
    dj_mapping *mappings;
    size_t mapping_count, mapping_capacity;
} dj_blocks;

// The blocks must stay where it is until it is destroyed.
int dj_blocks_create(dj_blocks *blocks, dj_context *context);
void dj_blocks_destroy(dj_blocks *blocks); // one that is all zero is fine

// An allocation function is entered; `words` are three arguments and sp.
int dj_blocks_enter(dj_blocks *blocks, dj_context *context, dj_batch *batch, dj_allocation *allocation,
                    uint32_t function, const uint64_t *words);
// A function of the thread has returned. Call it after the event of the return,
// while allocation->function is not 0.
int dj_blocks_return(dj_blocks *blocks, dj_context *context, dj_batch *batch, dj_allocation *allocation,
                     uint64_t sp, uint64_t result);
// While in posix_memalign: these accesses have come.
void dj_blocks_look(dj_allocation *allocation, const uint64_t *address, const uint8_t *kind, uint32_t count);

// A block is there, under a name ("": none); what began there before is gone.
int dj_blocks_allocate(dj_blocks *blocks, dj_context *context, dj_batch *batch, uint64_t address,
                       uint64_t bytes, const char *name);
int dj_blocks_free(dj_blocks *blocks, dj_context *context, dj_batch *batch, uint64_t address);

int dj_blocks_map(dj_blocks *blocks, dj_context *context, dj_batch *batch, uint64_t address, uint64_t bytes);
int dj_blocks_unmap(dj_blocks *blocks, dj_context *context, dj_batch *batch, uint64_t address,
                    uint64_t bytes);

#endif
