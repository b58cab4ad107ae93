// SPDX-License-Identifier: MIT
// Counts, for each reuse, the reuses nested within it: see nest.cu.
#ifndef DEJA_GPU_NEST_CUH
#define DEJA_GPU_NEST_CUH

#include <cuda_runtime.h>
#include <stdint.h>

// A word for each access, by its time in the chunk: the time of the previous access to the key, or
// DJ_NO_PREV; and whether this was the last access to it.
#define DJ_NO_PREV 0x7fffffffu
#define DJ_IS_LAST 0x80000000u

enum { DJ_TILE_BITS = 12, DJ_TILE = 1 << DJ_TILE_BITS };

static inline uint32_t dj_tiles(uint64_t count)
{
    return (uint32_t)((count + DJ_TILE - 1) / DJ_TILE);
}

// Device memory for chunks of up to `capacity` accesses.
typedef struct dj_nest {
    // Capacity: time of the previous access; time of this one, minus the nested ones so far.
    uint2 *pairs[2];
    uint64_t *status;    // 32 for each tile, initially zero: what tiles report to later ones
    uint32_t *length[2]; // 2 for each tile, and 32 more: number of pairs in each range
    uint32_t *tickets;   // DJ_NEST_PASSES
    uint32_t epoch;      // of the status; initially 0
    uint32_t processors;
} dj_nest;

enum { DJ_NEST_PASSES = 8 };

// Where the distances go.
typedef struct dj_nest_answers {
    uint64_t *counts;     // number of occurrences of each distance, incremented; or NULL, and then
    uint32_t *distance;   // by time - first
    const uint32_t *next; // by time: when the key is accessed next
    uint32_t first;
} dj_nest_answers;

// For `count` accesses, from 1 to 2^31 - 2: first in device memory, then in shared memory.
cudaError_t dj_nest_divide(dj_nest *nest, const uint32_t *prev, uint32_t count, cudaStream_t stream);
cudaError_t dj_nest_finish(const dj_nest *nest, uint32_t count, const dj_nest_answers *answers,
                           cudaStream_t stream);

// The number of bits of times for this many accesses, at least one more than in a tile; and the number
// of global passes over the pairs.
unsigned dj_nest_bits(uint32_t count);
unsigned dj_nest_passes(uint32_t count);

#endif
