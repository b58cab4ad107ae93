// SPDX-License-Identifier: MIT
// Samples of blocks, by hash: whether a block is in the sample depends on its number alone, so that a sampled
// block is seen at every access. A sample at a lower rate is a part of one at a higher rate.
#ifndef DEJA_BASE_SAMPLE_H
#define DEJA_BASE_SAMPLE_H

#include <stdbool.h>

#include "base/random.h"

enum {
    DJ_SAMPLE_LOG2_MOST = 30, // the lowest rate is 2^-30
    DJ_SAMPLE_SLICES = 16,    // disjoint parts of a sample, whose differences show its error
};

static inline uint64_t dj_sample_hash(uint64_t key, uint64_t seed)
{
    return dj_random_mix(key + (seed + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

// Whether a block with this hash is in the sample of rate 2^-log2.
static inline bool dj_sample_has(uint64_t hash, unsigned log2)
{
    return hash <= UINT64_MAX >> log2;
}

// A distance among the sampled blocks, as one among all: a cache that holds n sampled blocks stands for one
// of n × 2^log2 blocks, and a block hits if the cache holds one block more than its distance.
static inline uint64_t dj_sample_scale(uint64_t distance, unsigned log2)
{
    return ((distance + 1) << log2) - 1;
}

#endif
