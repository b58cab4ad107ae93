// SPDX-License-Identifier: MIT
// The parts of engine parallel that depend on the instructions of the machine.
// All give the same answers.
#ifndef DEJA_ENGINE_PARALLEL_PATH_H
#define DEJA_ENGINE_PARALLEL_PATH_H

#include "engine/fast/fast.h"
#include "engine/inversions.h"
#include "engine/shards.h"

enum { DJ_PARALLEL_MARKS = 1 << 16, DJ_PARALLEL_MARKED = 64 };

typedef struct dj_parallel_path {
    // Sets bits of DJ_PARALLEL_MARKS for one key in DJ_PARALLEL_MARKED or so, wherever it comes the same one.
    void (*mark_some)(const dj_shards *shards, const uint64_t *key, size_t count, uint64_t *marks);
    // Appends the cold ones of `count` accesses, the first of which is number `first`. There must be
    // room for all. Returns how many they are.
    size_t (*list_cold)(const uint64_t *key, const uint64_t *distance, size_t count, uint32_t first,
                        uint64_t *cold_key, uint32_t *cold_number);
    // For all keys of an engine, in the order of their first accesses: puts the ranks of their last
    // accesses into the list by shards, which begin where it says, and tells where each is.
    void (*list_by_shard)(const dj_shards *shards, const dj_fast_hashed *engine, const uint64_t *key,
                          dj_shard_list *list, uint32_t *place);
    // The steps of inversions.h: how many of a block are in each bucket,
    void (*count_block)(const dj_inversions *inversions, size_t block);
    // how many points of a bucket stand now,
    uint32_t (*count_live)(const dj_inversions *inversions, size_t bucket);
    // how many stand in later buckets than those of a block, which goes to its buckets,
    void (*spread_block)(const dj_inversions *inversions, size_t block);
    // and how many in the same bucket, from which points are taken and to which new ones come.
    void (*finish_bucket)(const dj_inversions *inversions, size_t bucket);
} dj_parallel_path;

extern const dj_parallel_path dj_parallel_portable;
#if defined(__x86_64__)
extern const dj_parallel_path dj_parallel_avx2;
#endif

// The best that the machine has.
const dj_parallel_path *dj_parallel_best_path(void);

#endif
