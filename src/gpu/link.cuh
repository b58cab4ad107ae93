// SPDX-License-Identifier: MIT
// Which access was the previous one to the same key: see link.cu.
#ifndef DEJA_GPU_LINK_CUH
#define DEJA_GPU_LINK_CUH

#include <cuda_runtime.h>
#include <stdint.h>

// The keys of a chunk, in their order, and what is remembered with them (NULL: nothing).
typedef struct dj_gpu_accesses {
    uint64_t *key;
    uint32_t *tag;
    uint64_t *time;
} dj_gpu_accesses;

// Memory of the device for chunks of up to `capacity` accesses.
typedef struct dj_link {
    uint64_t *key[2];  // capacity: to be sorted
    uint32_t *time[2]; // capacity: with them
    uint32_t *last;    // 1 for each tile, and 2: how many last accesses are in it, then before it
    void *scratch;
    size_t scratch_bytes;
} dj_link;

// How much scratch that takes.
cudaError_t dj_link_scratch(uint64_t capacity, size_t *bytes);

// All of these return what starting a kernel gave, or copying.

// Adds to *varying the bits in which keys differ from *base.
cudaError_t dj_link_survey(const uint64_t *key, uint64_t count, const uint64_t *base, uint64_t *varying,
                           cudaStream_t stream);

// Steps of an analysis, one after the other. The words of `prev` are those of nest.cuh; `next` may be NULL.
// `varying` are the bits in which keys differ.
cudaError_t dj_link_narrow(dj_link *link, const uint64_t *key, uint32_t count, uint64_t varying,
                           cudaStream_t stream);
cudaError_t dj_link_sort(dj_link *link, uint32_t count, uint64_t varying, cudaStream_t stream);
cudaError_t dj_link_join(dj_link *link, uint32_t count, uint64_t varying, uint32_t *prev, uint32_t *next,
                         cudaStream_t stream);

// The keys in the order of their last accesses. Their number is then in link->last[tiles].
cudaError_t dj_link_carry(dj_link *link, const uint32_t *prev, uint32_t count, dj_gpu_accesses from,
                          dj_gpu_accesses to, cudaStream_t stream);

// What the previous accesses brought, of those from `first` on; either may be left out.
cudaError_t dj_link_recall(const uint32_t *prev, uint32_t first, uint32_t count, dj_gpu_accesses from,
                           uint32_t *prev_tag, uint64_t *prev_time, cudaStream_t stream);

// Bits that a key has when it is sorted.
static inline unsigned dj_link_bits(uint64_t varying)
{
    return varying ? (unsigned)__builtin_popcountll(varying) : 1u;
}

#endif
