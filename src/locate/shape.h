// SPDX-License-Identifier: MIT
// The control flow of a function, and which loops change when control moves in it.
#ifndef DEJA_LOCATE_SHAPE_H
#define DEJA_LOCATE_SHAPE_H

#include <deja/error.h>

#include "base/route.h"

typedef struct dj_shape_block {
    uint64_t lo, hi; // offsets in the module
    uint32_t loop;   // index + 1 of the innermost one; 0: none
    bool reported;   // by the tracer, whenever it runs: it accesses memory, or may jump back
    uint32_t first_edge, edge_count;
} dj_shape_block;

typedef struct dj_shape_loop {
    uint32_t parent; // index + 1; 0: none
    uint32_t depth;  // from 1 on
    uint32_t header; // block
    uint64_t at;     // offset of the header
} dj_shape_loop;

typedef struct dj_shape {
    uint32_t module;
    uint64_t entry;
    dj_shape_block *blocks; // by address; the last one stands for unknown places
    uint32_t block_count;
    uint32_t *edges;
    uint32_t edge_count;
    dj_shape_loop *loops;
    uint32_t loop_count;
} dj_shape;

// From the numbers of dj_symbols_flow. *out is NULL if they make no sense.
int dj_shape_create(dj_context *context, uint32_t module, const uint64_t *words, size_t count,
                    dj_shape **out);
void dj_shape_destroy(dj_shape *shape); // NULL is allowed

// The block that contains an offset; UINT32_MAX: none.
uint32_t dj_shape_block_at(const dj_shape *shape, uint64_t offset);
static inline uint32_t dj_shape_depth(const dj_shape *shape, uint32_t loop)
{
    return loop ? shape->loops[loop - 1].depth : 0;
}

// What changes: 2 × depth + 1, the loop at this depth (from 0 on) begins an iteration, and deeper ones are
// others; 2 × depth, loops from this depth on are others. The loops after it are those of the new place.
#define DJ_MOVE_NONE UINT32_MAX

typedef struct dj_shape_move {
    uint32_t change; // of all ways that control may have taken, the one that changes least
    uint32_t unsure; // the least depth at which another way changes more; DJ_MOVE_NONE: none does
} dj_shape_move;

// Control arrives at the start of a block from another.
uint32_t dj_shape_arrive(const dj_shape *shape, uint32_t from_loop, uint32_t block);
// From the end of a piece of straight code, whose offsets are [.., hi) and `next` where control goes then, to
// an offset. Code in between neither jumps back nor accesses memory.
int dj_shape_move_to(const dj_shape *shape, dj_context *context, uint64_t hi, uint64_t next, uint64_t to,
                     dj_shape_move *out);

#endif
