// SPDX-License-Identifier: MIT
// Internals of engine parallel. See parallel.c for the idea.
#ifndef DEJA_ENGINE_PARALLEL_PARALLEL_H
#define DEJA_ENGINE_PARALLEL_PARALLEL_H

#include "engine/parallel/path.h"
#include "engine/parallel/stages.h"

// A range of one work.
typedef struct dj_parallel_part {
    dj_work *work;
    size_t from, count;
    uint64_t begin; // position in its round
} dj_parallel_part;

// Consecutive accesses that are analyzed by themselves, by two threads, or by three if there are many.
// Afterwards the first access to each of its keys is unresolved ("open").
typedef struct dj_parallel_chunk {
    uint64_t first, end; // position in its round
    size_t open;
    // The open accesses, in order.
    uint64_t *key;
    uint32_t *access;           // index of the access in the chunk
    uint32_t *list_index;       // index in the list
    uint32_t *at;               // index in `found`; `list_index` itself if that is not needed afterwards
    dj_inversion_result *found; // where the keys were
    dj_huge key_memory, access_memory, list_index_memory, at_memory;
    dj_footprint footprint;
    // Keys by shard: with the rank, tag and time of the last access in this chunk, then the point, tag
    // and time of the last access before it.
    dj_shard_list list;
} dj_parallel_chunk;

// Work that all threads do in one turn. The two rounds alternate.
typedef struct dj_parallel_round {
    dj_parallel_part *parts;
    size_t part_count, part_capacity;
    uint64_t accesses;
    dj_work_queue works; // those that end in this round
    dj_parallel_chunk *chunks;
} dj_parallel_round;

typedef struct dj_parallel {
    dj_work_queue answered; // must be first for dj_work_pull_at_once
    const dj_parallel_path *path;
    uint32_t use;
    uint64_t chunk, most_chunk; // accesses per chunk in the next round, and the maximum
    unsigned threads, chunk_count;
    dj_team *team;
    dj_parallel_round rounds[2];
    dj_parallel_round *filling, *running; // accepts work; is being analyzed
    dj_parallel_chunk *chunks;
    dj_parallel_stages **engines; // by chunk; NULL before the first round
    dj_sequence *sequences;       // by chunk
    dj_shards shards;
    dj_live_points live_points;
    dj_inversions inversions;
    dj_parallel_stages *stages; // a few threads sharing one engine; NULL: they work on chunks
    atomic_size_t next_shard;
    atomic_bool failed;
    uint64_t peak_bytes;
} dj_parallel;

// The range that contains an access of a round, which must not be its end.
const dj_parallel_part *dj_parallel_find_part(const dj_parallel_round *round, uint64_t access);

// Called by one thread, with its helpers: analyzes a chunk and lists the open accesses.
int dj_parallel_analyze(const dj_parallel *parallel, dj_context *context, const dj_parallel_round *round,
                        unsigned chunk);
// Sets the length of the first chunks; 0: as memory allows.
void dj_parallel_chunk_choose(dj_parallel *parallel, uint64_t asked);
// After a round: lengthens chunks if too many accesses were open.
void dj_parallel_chunk_adapt(dj_parallel *parallel, const dj_parallel_round *round);
// Estimates the number of keys of a chunk from a sample of its first half; 0: few.
uint64_t dj_parallel_expect_keys(const dj_parallel *parallel, const dj_parallel_round *round,
                                 const dj_parallel_chunk *chunk);
void dj_parallel_chunk_free(dj_parallel_chunk *chunk);
uint64_t dj_parallel_chunk_bytes(const dj_parallel_chunk *chunk); // peak

// Called by all threads: answers the open accesses of the chunks and adds the chunks to the order. Sets
// `failed` on failure.
void dj_parallel_resolve(dj_parallel *parallel, const dj_parallel_round *round, dj_team_member *member);

#endif
