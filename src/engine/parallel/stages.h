// SPDX-License-Identifier: MIT
// Engine fast on a few threads, each of which does any work available.
#ifndef DEJA_ENGINE_PARALLEL_STAGES_H
#define DEJA_ENGINE_PARALLEL_STAGES_H

#include "engine/fast/stages.h"

typedef struct dj_parallel_stages dj_parallel_stages;

enum {
    DJ_PARALLEL_STAGES_THREADS = 3, // maximum useful number of threads
    DJ_PARALLEL_STAGES_JOBS = 16,   // maximum number of works not answered when the last one is pushed
};

// `expected_keys`: a hint, 0 if unknown.
int dj_parallel_stages_create(dj_context *context, uint32_t use, unsigned threads, uint64_t expected_keys,
                              dj_parallel_stages **out);
void dj_parallel_stages_destroy(dj_parallel_stages *stages); // NULL is allowed

// Both append the work that has been answered to a queue.
int dj_parallel_stages_push(dj_parallel_stages *stages, dj_context *context, dj_work *work,
                            dj_work_queue *answered);
int dj_parallel_stages_drain(dj_parallel_stages *stages, dj_context *context, dj_work_queue *answered);
// Returns the engine fast, which afterwards has processed all accesses.
dj_fast_hashed *dj_parallel_stages_finish(dj_parallel_stages *stages);
// Resets to the initial state but keeps the memory.
void dj_parallel_stages_restart(dj_parallel_stages *stages);
void dj_parallel_stages_stats(const dj_parallel_stages *stages, dj_engine_stats *out);

#endif
