// SPDX-License-Identifier: MIT
// Engine fast on few threads, each of which does what there is to do.
#ifndef DEJA_ENGINE_PARALLEL_STAGED_H
#define DEJA_ENGINE_PARALLEL_STAGED_H

#include "engine/fast/staged.h"

typedef struct dj_parallel_staged dj_parallel_staged;

enum {
    DJ_PARALLEL_STAGED_MOST = 3,    // threads that find something to do
    DJ_PARALLEL_STAGED_PIECES = 16, // pieces of work that are not answered when the last is pushed
};

// `expected_keys`: a hint, 0 when unknown.
int dj_parallel_staged_create(dj_context *context, uint32_t use, unsigned threads, uint64_t expected_keys,
                              dj_parallel_staged **out);
void dj_parallel_staged_destroy(dj_parallel_staged *staged); // NULL is fine

// Both put what is answered by then into a queue.
int dj_parallel_staged_push(dj_parallel_staged *staged, dj_context *context, dj_work *work,
                            dj_work_queue *answered);
int dj_parallel_staged_drain(dj_parallel_staged *staged, dj_context *context, dj_work_queue *answered);
// After that: an engine fast that has seen all accesses.
dj_fast_hashed *dj_parallel_staged_settle(dj_parallel_staged *staged);
// After that: as it was when it was made, but for the memory that it holds.
void dj_parallel_staged_restart(dj_parallel_staged *staged);
void dj_parallel_staged_stats(const dj_parallel_staged *staged, dj_engine_stats *out);

#endif
