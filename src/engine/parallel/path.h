// SPDX-License-Identifier: MIT
// The functions of engine parallel that depend on the instruction set. All paths return the same
// answers.
#ifndef DEJA_ENGINE_PARALLEL_PATH_H
#define DEJA_ENGINE_PARALLEL_PATH_H

#include "engine/fast/fast.h"
#include "engine/inversions.h"
#include "engine/shards.h"

enum { DJ_PARALLEL_MARKS = 1 << 16, DJ_PARALLEL_MARKED = 64 };

typedef struct dj_parallel_path {
    // Samples about one key in DJ_PARALLEL_MARKED, always the same ones, and sets a bit of
    // DJ_PARALLEL_MARKS for each.
    void (*mark_some)(const dj_shards *shards, const uint64_t *key, size_t count, uint64_t *marks);
    // Appends the cold ones of `count` accesses, the first of which has index `first`, to arrays that
    // must be large enough for all. Returns their number.
    size_t (*list_cold)(const uint64_t *key, const uint64_t *distance, size_t count, uint32_t first,
                        uint64_t *cold_key, uint32_t *cold_number);
    // For all keys of an engine, in the order of their first accesses: stores the ranks of their last
    // accesses in the list by shard, whose starts are already set, and returns the index of each.
    void (*list_by_shard)(const dj_shards *shards, const dj_fast_hashed *engine, const uint64_t *key,
                          dj_shard_list *list, uint32_t *list_index);
    // The steps of inversions.h: count the accesses of a block in each bucket;
    void (*count_block)(const dj_inversions *inversions, size_t block);
    // count the live points of a bucket;
    uint32_t (*count_live)(const dj_inversions *inversions, size_t bucket);
    // count the live points in later buckets for the accesses of a block, and scatter these to their
    // buckets;
    void (*scatter_block)(const dj_inversions *inversions, size_t block);
    // count those in the same bucket, remove the points of the accesses and append new ones.
    void (*finish_bucket)(const dj_inversions *inversions, size_t bucket);
} dj_parallel_path;

extern const dj_parallel_path dj_parallel_portable;
#if defined(__x86_64__)
extern const dj_parallel_path dj_parallel_avx2;
#endif

// The best one that the machine supports.
const dj_parallel_path *dj_parallel_best_path(void);

#endif
