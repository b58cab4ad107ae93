// SPDX-License-Identifier: MIT
// Engine parallel, seen from its own files. See parallel.c for the idea.
#ifndef DEJA_ENGINE_PARALLEL_H
#define DEJA_ENGINE_PARALLEL_H

#include "engine/parallel_path.h"

// A stretch of one piece of work.
typedef struct dj_parallel_part {
    dj_work *work;
    size_t from, count;
} dj_parallel_part;

// Where the answer of an access goes.
typedef struct dj_parallel_spot {
    dj_work *work;
    size_t at;
} dj_parallel_spot;

// Consecutive accesses that one thread analyzes alone. What is open after that
// is the first access to each of its keys.
typedef struct dj_parallel_chunk {
    size_t open;
    // Of the open accesses, in order.
    uint64_t *key;
    dj_parallel_spot *spot;
    uint32_t *place;     // in `first`
    uint32_t *value;     // of its previous access among those that leave
    uint32_t *after;     // how many stood after that before this chunk
    uint32_t *inversion; // its place in the inversions
    size_t room;
    dj_shard_list first;    // open accesses by shard; number, tag and time are those of the previous access
    dj_shard_list last;     // the last accesses to the same keys; number is the rank
    dj_fast_hashed *engine; // NULL before the first chunk
} dj_parallel_chunk;

// Work that all threads do in one turn; two rounds take turns themselves.
typedef struct dj_parallel_round {
    dj_parallel_part *parts;
    size_t part_count, part_room;
    uint64_t accesses;
    dj_work_queue works; // that end in it
} dj_parallel_round;

typedef struct dj_parallel {
    dj_work_queue answered; // first, as dj_work_pull_at_once asks
    const dj_parallel_path *path;
    uint32_t use;
    uint64_t chunk, most_chunk; // accesses of a thread in the next round, and in any
    unsigned threads;
    dj_team *team;
    dj_parallel_round rounds[2];
    unsigned filling;          // which of them takes work
    bool running;              // the other one is being worked on
    dj_parallel_chunk *chunks; // one for each thread
    dj_shards shards;
    dj_standing standing;
    dj_inversions inversions;
    atomic_size_t next_shard;
    atomic_bool failed;
    uint64_t peak_bytes;
} dj_parallel;

// One thread: analyzes the accesses `first` to `end` - 1 of the round, and lists what is open.
int dj_parallel_analyze(const dj_parallel *parallel, dj_context *context, const dj_parallel_round *round,
                        uint64_t first, uint64_t end, dj_parallel_chunk *chunk);
// All threads: answers what is open, and takes the chunk into the order. False: `failed`.
bool dj_parallel_resolve(dj_parallel *parallel, dj_parallel_chunk *chunk, dj_member *member);
// How long the first chunks are; 0: as the memory allows.
void dj_parallel_chunk_choose(dj_parallel *parallel, uint64_t asked);
// After a round: longer chunks leave less open.
void dj_parallel_chunk_adapt(dj_parallel *parallel, uint64_t accesses);
void dj_parallel_chunk_free(dj_parallel_chunk *chunk);

#endif
