// SPDX-License-Identifier: MIT
// Engine fast on few threads, each of which does what there is to do.
#ifndef DEJA_ENGINE_PARALLEL_STAGED_H
#define DEJA_ENGINE_PARALLEL_STAGED_H

#include "engine/fast_staged.h"

typedef struct dj_parallel_staged dj_parallel_staged;

enum { DJ_PARALLEL_STAGED_MOST = 3 }; // threads that find something to do

int dj_parallel_staged_create(dj_context *context, uint32_t use, unsigned threads, dj_parallel_staged **out);
void dj_parallel_staged_destroy(dj_parallel_staged *staged); // NULL is fine

// Both put what is answered by then into a queue.
int dj_parallel_staged_push(dj_parallel_staged *staged, dj_context *context, dj_work *work,
                            dj_work_queue *answered);
int dj_parallel_staged_drain(dj_parallel_staged *staged, dj_context *context, dj_work_queue *answered);
// After that: an engine fast that has seen all accesses.
dj_fast_hashed *dj_parallel_staged_settle(dj_parallel_staged *staged);
void dj_parallel_staged_stats(const dj_parallel_staged *staged, dj_engine_stats *out);

#endif
