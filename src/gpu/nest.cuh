// SPDX-License-Identifier: MIT
// Counts, for each reuse, those that lie within it: see nest.cu.
#ifndef DEJA_GPU_NEST_CUH
#define DEJA_GPU_NEST_CUH

#include <cuda_runtime.h>
#include <stdint.h>

// A word for each access, by its time in the chunk: when its key was accessed
// before, or DJ_NO_PREV; and whether this was the last access to it.
#define DJ_NO_PREV 0x7fffffffu
#define DJ_IS_LAST 0x80000000u

enum { DJ_TILE_BITS = 12, DJ_TILE = 1 << DJ_TILE_BITS };

static inline uint32_t dj_tiles(uint64_t count)
{
    return (uint32_t)((count + DJ_TILE - 1) / DJ_TILE);
}

// Memory of the device for chunks of up to `capacity` accesses.
typedef struct dj_nest {
    uint2 *pairs[2];  // capacity: when the previous access was; when this one was, less those within so far
    uint64_t *status; // 32 for each tile, zero at first: what the tiles tell those after them
    uint32_t *length[2]; // 2 for each tile, and 32 more: how many pairs are in each range
    uint32_t *tickets;   // DJ_NEST_PASSES
    uint32_t epoch;      // of the status; 0 at first
    uint32_t processors;
} dj_nest;

enum { DJ_NEST_PASSES = 8 };

// Where the distances go.
typedef struct dj_nest_answers {
    uint64_t *counts;     // how often each distance came, to which is added; or NULL, and then
    uint32_t *distance;   // by time - first
    const uint32_t *next; // by time: when the key is accessed next
    uint32_t first;
} dj_nest_answers;

// Of `count` accesses, from 1 to 2^31 - 2: first in device memory, then in shared memory.
cudaError_t dj_nest_divide(dj_nest *nest, const uint32_t *prev, uint32_t count, cudaStream_t stream);
cudaError_t dj_nest_finish(const dj_nest *nest, uint32_t count, const dj_nest_answers *answers,
                           cudaStream_t stream);

// Bits that times have where there are so many accesses, one more than in a tile at least; and global passes
// over the pairs that they take.
unsigned dj_nest_bits(uint32_t count);
unsigned dj_nest_passes(uint32_t count);

#endif
