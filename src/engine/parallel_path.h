// SPDX-License-Identifier: MIT
// The parts of engine parallel that depend on the instructions of the machine.
// All give the same answers.
#ifndef DEJA_ENGINE_PARALLEL_PATH_H
#define DEJA_ENGINE_PARALLEL_PATH_H

#include "engine/fast.h"
#include "engine/inversions.h"
#include "engine/shards.h"
#include "engine/standing.h"

typedef struct dj_parallel_path {
    // Lists the last accesses of a chunk by shard, with their ranks; `list` knows where the shards begin.
    void (*list_last)(const dj_shards *shards, const dj_fast_hashed *engine, dj_shard_list *list);
    // For the open accesses `first` to `end` - 1, whose previous ones stand at point[place[i]]: how
    // many stand after that (`after`), and its rank among those that leave (`value`).
    void (*rank)(const dj_standing *standing, const uint32_t *point, const uint32_t *place, uint32_t *value,
                 uint32_t *after, size_t first, size_t end);
    // Counts what is larger in other buckets, and moves a block to the buckets.
    void (*spread_block)(const dj_inversions *inversions, const uint32_t *value, uint32_t *place,
                         size_t block);
    // Counts what is larger in the bucket.
    void (*finish_bucket)(const dj_inversions *inversions, size_t bucket);
} dj_parallel_path;

extern const dj_parallel_path dj_parallel_portable;
#if defined(__x86_64__)
extern const dj_parallel_path dj_parallel_avx2;
#endif

// The best that the machine has.
const dj_parallel_path *dj_parallel_best_path(void);

#endif
