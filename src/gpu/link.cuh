// SPDX-License-Identifier: MIT
// Finds the previous access to the same key: see link.cu.
#ifndef DEJA_GPU_LINK_CUH
#define DEJA_GPU_LINK_CUH

#include <cuda_runtime.h>
#include <stdint.h>

// The keys of a chunk, in order, and what is stored with them (NULL: nothing).
typedef struct dj_gpu_accesses {
    uint64_t *key;
    uint32_t *tag;
    uint64_t *time;
} dj_gpu_accesses;

// Device memory for chunks of up to `capacity` accesses.
typedef struct dj_link {
    uint64_t *key[2];  // capacity: to be sorted
    uint32_t *time[2]; // capacity: with them
    uint32_t *last;    // 1 for each tile, and 2: number of last accesses in it, then before it
    void *scratch;
    size_t scratch_bytes;
} dj_link;

// The amount of scratch memory needed.
cudaError_t dj_link_scratch(uint64_t capacity, size_t *bytes);

// All of these return the error of starting a kernel or a copy.

// Adds to *varying the bits in which keys differ from *base.
cudaError_t dj_link_survey(const uint64_t *key, uint64_t count, const uint64_t *base, uint64_t *varying,
                           cudaStream_t stream);

// Steps of an analysis, in order. The words of `prev` are those of nest.cuh; `next` may be NULL.
// `varying` are the bits in which keys differ.
cudaError_t dj_link_narrow(dj_link *link, const uint64_t *key, uint32_t count, uint64_t varying,
                           cudaStream_t stream);
cudaError_t dj_link_sort(dj_link *link, uint32_t count, uint64_t varying, cudaStream_t stream);
cudaError_t dj_link_join(dj_link *link, uint32_t count, uint64_t varying, uint32_t *prev, uint32_t *next,
                         cudaStream_t stream);

// The keys in the order of their last accesses. Afterwards link->last[tiles] is their number.
cudaError_t dj_link_order(dj_link *link, const uint32_t *prev, uint32_t count, dj_gpu_accesses from,
                          dj_gpu_accesses to, cudaStream_t stream);

// Tags and times of the previous accesses, for the accesses from `first` on; either may be omitted.
cudaError_t dj_link_recall(const uint32_t *prev, uint32_t first, uint32_t count, dj_gpu_accesses from,
                           uint32_t *prev_tag, uint64_t *prev_time, cudaStream_t stream);

// The number of bits of a key when it is sorted.
static inline unsigned dj_link_bits(uint64_t varying)
{
    return varying ? (unsigned)__builtin_popcountll(varying) : 1u;
}

#endif
