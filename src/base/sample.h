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

// What the hash of key 0 starts from.
static inline uint64_t dj_sample_start(uint64_t seed)
{
    return (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t dj_sample_hash(uint64_t key, uint64_t seed)
{
    return dj_random_mix(key + dj_sample_start(seed));
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

enum { DJ_SAMPLE_DIGITS = 12 };

// A scaled distance with DJ_SAMPLE_DIGITS significant bits, so that few differ: with distance + 1, the size
// of a cache in which the block hits, rounded to the nearest. The error is at most 2^-DJ_SAMPLE_DIGITS of it.
static inline uint64_t dj_sample_round(uint64_t distance)
{
    const uint64_t size = distance + 1;
    const int excess = 64 - __builtin_clzll(size | 1) - DJ_SAMPLE_DIGITS;
    if (excess <= 0)
        return distance;
    const uint64_t half = UINT64_C(1) << (excess - 1);
    return ((size < UINT64_MAX - half ? size + half : size) >> excess << excess) - 1;
}

// The same in bytes: a block of `size` bytes hits if the cache has that many more than its byte distance.
// What does not fit into 64 bits becomes the largest distance.
static inline uint64_t dj_sample_scale_bytes(uint64_t distance, uint64_t size, unsigned log2)
{
    const uint64_t needed = distance + size;
    return needed >= size && needed <= UINT64_MAX >> log2 ? (needed << log2) - size : UINT64_MAX - size;
}

#endif
