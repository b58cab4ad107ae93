// SPDX-License-Identifier: MIT
// Engine parallel, seen from its own files. See parallel.c for the idea.
#ifndef DEJA_ENGINE_PARALLEL_PARALLEL_H
#define DEJA_ENGINE_PARALLEL_PARALLEL_H

#include "engine/parallel/path.h"
#include "engine/parallel/staged.h"

// A stretch of one piece of work.
typedef struct dj_parallel_part {
    dj_work *work;
    size_t from, count;
    uint64_t begin; // in its round
} dj_parallel_part;

// Consecutive accesses that are analyzed alone, by two threads or three where there are many. What is open
// after that is the first access to each of its keys.
typedef struct dj_parallel_chunk {
    uint64_t first, end; // in its round
    size_t open;
    // Of the open accesses, in order.
    uint64_t *key;
    uint32_t *spot;  // which access of the chunk it is
    uint32_t *place; // in the list
    uint32_t *at;    // in what is found; `place` where that is not needed any more
    dj_found *found; // where the keys were
    dj_huge key_memory, spot_memory, place_memory, at_memory;
    dj_footprint footprint;
    // Keys by shard: with the rank, tag and time of the last access in this chunk, then the point, tag and
    // time of the last access before it.
    dj_shard_list list;
} dj_parallel_chunk;

// Work that all threads do in one turn; rounds take turns themselves.
typedef struct dj_parallel_round {
    dj_parallel_part *parts;
    size_t part_count, part_room;
    uint64_t accesses;
    dj_work_queue works; // that end in it
    dj_parallel_chunk *chunks;
} dj_parallel_round;

typedef struct dj_parallel {
    dj_work_queue answered; // first, as dj_work_pull_at_once asks
    const dj_parallel_path *path;
    uint32_t use;
    uint64_t chunk, most_chunk; // accesses of a thread in the next round, and in any
    unsigned threads, chunk_count;
    dj_team *team;
    dj_parallel_round rounds[2];
    dj_parallel_round *filling, *running; // takes work; is worked on
    dj_parallel_chunk *chunks;
    dj_parallel_staged **engines; // of the chunks; NULL before the first round
    dj_sequence *sequences;       // of the chunks
    dj_shards shards;
    dj_live_points standing;
    dj_inversions inversions;
    dj_parallel_staged *staged; // few threads that share one engine; NULL: they have chunks
    atomic_size_t next_shard;
    atomic_bool failed;
    uint64_t peak_bytes;
} dj_parallel;

// The part that has an access of a round, which must not be its end.
const dj_parallel_part *dj_parallel_find_part(const dj_parallel_round *round, uint64_t access);

// One thread, and what helps it: analyzes a chunk, and lists what is open.
int dj_parallel_analyze(const dj_parallel *parallel, dj_context *context, const dj_parallel_round *round,
                        unsigned chunk);
// How long the first chunks are; 0: as the memory allows.
void dj_parallel_chunk_choose(dj_parallel *parallel, uint64_t asked);
// After a round: longer chunks leave less open.
void dj_parallel_chunk_adapt(dj_parallel *parallel, const dj_parallel_round *round);
// About how many keys a chunk has, by some of those of its first half; 0: few.
uint64_t dj_parallel_expect_keys(const dj_parallel *parallel, const dj_parallel_round *round,
                                 const dj_parallel_chunk *chunk);
void dj_parallel_chunk_free(dj_parallel_chunk *chunk);
uint64_t dj_parallel_chunk_bytes(const dj_parallel_chunk *chunk); // at its peak

// All threads: answers what is open in the chunks, and takes them into the order. On failure `failed` is set.
void dj_parallel_resolve(dj_parallel *parallel, const dj_parallel_round *round, dj_team_member *member);

#endif
