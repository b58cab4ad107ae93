// SPDX-License-Identifier: MIT
// Engine fast on a few threads, each of which does any work available.
#ifndef DEJA_ENGINE_PARALLEL_STAGED_H
#define DEJA_ENGINE_PARALLEL_STAGED_H

#include "engine/fast/staged.h"

typedef struct dj_parallel_staged dj_parallel_staged;

enum {
    DJ_PARALLEL_STAGED_MOST = 3,    // maximum useful number of threads
    DJ_PARALLEL_STAGED_PIECES = 16, // maximum number of works not answered when the last one is pushed
};

// `expected_keys`: a hint, 0 if unknown.
int dj_parallel_staged_create(dj_context *context, uint32_t use, unsigned threads, uint64_t expected_keys,
                              dj_parallel_staged **out);
void dj_parallel_staged_destroy(dj_parallel_staged *staged); // NULL is allowed

// Both append the work that has been answered to a queue.
int dj_parallel_staged_push(dj_parallel_staged *staged, dj_context *context, dj_work *work,
                            dj_work_queue *answered);
int dj_parallel_staged_drain(dj_parallel_staged *staged, dj_context *context, dj_work_queue *answered);
// Returns the engine fast, which afterwards has processed all accesses.
dj_fast_hashed *dj_parallel_staged_settle(dj_parallel_staged *staged);
// Resets to the initial state but keeps the memory.
void dj_parallel_staged_restart(dj_parallel_staged *staged);
void dj_parallel_staged_stats(const dj_parallel_staged *staged, dj_engine_stats *out);

#endif
