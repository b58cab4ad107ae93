// SPDX-License-Identifier: MIT
// Operations of the 32 lanes of a warp.
#ifndef DEJA_GPU_WARP_CUH
#define DEJA_GPU_WARP_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#define DJ_ALL_LANES 0xffffffffu

// The lanes of a row, as bits, whose digit equals this one's, and those with a greater one.
struct dj_lanes {
    uint32_t equal, greater;
};

// `there`: the participating lanes. `ones`: the lanes whose digit has the current bit set; `bit`:
// whether this one's does. Called for all bits, from the highest on.
static __device__ inline void dj_lanes_narrow(dj_lanes *lanes, uint32_t ones, bool bit)
{
    uint32_t mask = bit ? 0xffffffffu : 0u;
    lanes->greater |= lanes->equal & ones & ~mask;
    lanes->equal &= ~(ones ^ mask);
}

static __device__ inline uint32_t dj_lanes_before(uint32_t lane)
{
    return (1u << lane) - 1;
}

// The sum over the lanes above this one.
static __device__ inline uint32_t dj_sum_above(uint32_t value, uint32_t lane)
{
    uint32_t sum = value;
    for (uint32_t step = 1; step < 32; step *= 2) {
        uint32_t other = __shfl_down_sync(DJ_ALL_LANES, sum, step);
        if (lane + step < 32)
            sum += other;
    }
    return sum - value;
}

// The sum over the lanes below this one.
static __device__ inline uint32_t dj_sum_below(uint32_t value, uint32_t lane)
{
    uint32_t sum = value;
    for (uint32_t step = 1; step < 32; step *= 2) {
        uint32_t other = __shfl_up_sync(DJ_ALL_LANES, sum, step);
        if (lane >= step)
            sum += other;
    }
    return sum - value;
}

#endif
