// SPDX-License-Identifier: MIT
// Counts distances in a block before they go to device memory, so that many equal ones (loops, hot
// keys) do not contend there.
#ifndef DEJA_GPU_TALLY_CUH
#define DEJA_GPU_TALLY_CUH

#include "gpu/warp.cuh"

enum { DJ_TALLY_SMALL = 1024, DJ_TALLY_SLOTS = 1024 };

#define DJ_TALLY_FREE 0xffffffffu

// Distances below DJ_TALLY_SMALL have separate counters; a few others, the first ones to occur, use the
// slots.
struct dj_gpu_tally {
    uint32_t small[DJ_TALLY_SMALL];
    uint32_t distance[DJ_TALLY_SLOTS];
    uint32_t count[DJ_TALLY_SLOTS];
};

static __device__ inline void dj_gpu_tally_begin(dj_gpu_tally *tally)
{
    for (uint32_t i = threadIdx.x; i < DJ_TALLY_SMALL; i += blockDim.x)
        tally->small[i] = 0;
    for (uint32_t i = threadIdx.x; i < DJ_TALLY_SLOTS; i += blockDim.x) {
        tally->distance[i] = DJ_TALLY_FREE;
        tally->count[i] = 0;
    }
}

static __device__ inline void dj_count_global(uint64_t *counts, uint32_t distance, uint32_t times)
{
    atomicAdd((unsigned long long *)&counts[distance], (unsigned long long)times);
}

static __device__ inline void dj_gpu_tally_put(dj_gpu_tally *tally, uint64_t *counts, uint32_t distance,
                                               uint32_t times)
{
    if (distance < DJ_TALLY_SMALL) {
        atomicAdd(&tally->small[distance], times);
        return;
    }
    uint32_t slot = (distance ^ distance >> 10) % DJ_TALLY_SLOTS;
    uint32_t held = *(volatile uint32_t *)&tally->distance[slot];
    if (held == DJ_TALLY_FREE) {
        held = atomicCAS(&tally->distance[slot], DJ_TALLY_FREE, distance);
        held = held == DJ_TALLY_FREE ? distance : held;
    }
    if (held == distance)
        atomicAdd(&tally->count[slot], times);
    else
        dj_count_global(counts, distance, times);
}

// Called by all lanes of a warp; `there`: the lanes that have a distance, which are the first ones.
// Equal adjacent distances are added at once.
static __device__ inline void dj_gpu_tally_add(dj_gpu_tally *tally, uint64_t *counts, uint32_t distance,
                                               uint32_t there)
{
    uint32_t lane = threadIdx.x % 32, before = __shfl_up_sync(DJ_ALL_LANES, distance, 1);
    uint32_t heads = __ballot_sync(DJ_ALL_LANES, lane == 0 || before != distance) & there;
    if (!(heads >> lane & 1))
        return;
    uint32_t rest = heads & ~((2u << lane) - 1);
    uint32_t end = rest ? (uint32_t)__ffs((int)rest) - 1 : (uint32_t)__popc(there);
    dj_gpu_tally_put(tally, counts, distance, end - lane);
}

static __device__ inline void dj_gpu_tally_end(const dj_gpu_tally *tally, uint64_t *counts)
{
    for (uint32_t i = threadIdx.x; i < DJ_TALLY_SMALL; i += blockDim.x)
        if (tally->small[i])
            dj_count_global(counts, i, tally->small[i]);
    for (uint32_t i = threadIdx.x; i < DJ_TALLY_SLOTS; i += blockDim.x)
        if (tally->count[i])
            dj_count_global(counts, tally->distance[i], tally->count[i]);
}

#endif
