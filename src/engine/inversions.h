// SPDX-License-Identifier: MIT
// For each element of a permutation, how many before it are larger; by all
// threads of a team together.
//
// The values are cut into buckets, the sequence into blocks. What is larger and
// lies in another bucket is counted while a block is read: in the blocks before,
// from sums over a table of blocks and buckets; in the block itself, from counts
// of the larger ones so far, for each bucket of a group and for each group. The
// elements go to their buckets, in order, and what is left is counted there in the
// same way, with a bit for each value, words of bits in place of buckets
// (parallel_kernel.h).
// Cost: about 5 ns an element, and next to no cache misses: whatever is read or
// written goes through a few hundred places from front to back.
#ifndef DEJA_ENGINE_INVERSIONS_H
#define DEJA_ENGINE_INVERSIONS_H

#include "base/footprint.h"
#include "engine/team.h"

// The value of an element that is left out.
#define DJ_INVERSION_NONE UINT32_MAX

enum {
    DJ_INVERSION_BLOCK = 4096,    // elements
    DJ_INVERSION_GROUP = 32,      // buckets or words; there are at most as many groups
    DJ_INVERSION_MOST_SHIFT = 16, // a value within its bucket has 16 bits
    DJ_INVERSION_MOST = 1 << 26,  // elements at once
};

typedef struct dj_inversions {
    size_t count, values;
    size_t blocks, buckets;
    unsigned shift;  // a bucket holds 1 << shift values
    uint32_t *table; // [block][bucket]: so many of the bucket, then so many of it in the blocks before
    size_t table_room;
    // By bucket.
    uint16_t *low;    // the value within its bucket
    uint32_t *larger; // how many before it are larger, as far as they are counted
    size_t low_room, larger_room;
    atomic_size_t next_count, next_block, next_bucket;
    dj_footprint footprint;
} dj_inversions;

struct dj_parallel_path;

// One thread: prepares for `count` elements, of which `values` are the numbers 0
// to values - 1 in some order, and the rest is left out.
int dj_inversions_begin(dj_inversions *inversions, dj_context *context, size_t count, size_t values);
// All threads, which meet within. When they meet next, the answer for element i is
// larger[place[i]], unless it was left out.
void dj_inversions_run(dj_inversions *inversions, const struct dj_parallel_path *path, dj_member *member,
                       const uint32_t *value, uint32_t *place);
void dj_inversions_free(dj_inversions *inversions);

static inline size_t dj_inversions_block_end(const dj_inversions *inversions, size_t block)
{
    size_t end = (block + 1) * DJ_INVERSION_BLOCK;
    return end < inversions->count ? end : inversions->count;
}

#endif
