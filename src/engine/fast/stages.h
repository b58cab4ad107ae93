// SPDX-License-Identifier: MIT
// The work of engine fast on a chunk in three stages, which different threads can do for different
// chunks concurrently.
#ifndef DEJA_ENGINE_FAST_STAGES_H
#define DEJA_ENGINE_FAST_STAGES_H

#include "engine/fast/fast.h"

#include <stdatomic.h>

// A chunk that passes through the stages. Of `engine` only the chunk is its own; each stage lends it
// the rest.
typedef struct dj_fast_job {
    dj_fast_hashed engine;
    dj_work whole, part; // the accesses, and the rest of them without repetitions
    bool folded;
    dj_work *completes; // the work that this chunk completes, or NULL
    uint32_t point[DJ_FAST_BEGINNINGS];
} dj_fast_job;

typedef struct dj_fast_stages {
    dj_fast_hashed *whole; // the second stage uses the table, the third the timeline and the number of keys
    _Atomic uint64_t seed; // of the table
    uint32_t now;          // second stage: the next point to assign
    // First stage.
    uint64_t accesses;
    uint32_t unfolded;
} dj_fast_stages;

// Afterwards only the stages may use the engine, until dj_fast_stages_finish.
void dj_fast_stages_begin(dj_fast_stages *stages, dj_fast_hashed *whole);
// Call when all stages have processed all chunks: the engine is then in the same state as if it had
// processed the accesses itself. `last` is the last chunk, NULL if there was none.
void dj_fast_stages_finish(dj_fast_stages *stages, const dj_fast_job *last);

// Creates a job for the stages of `whole`.
dj_fast_job *dj_fast_job_create(const dj_fast_hashed *whole);
void dj_fast_job_restart(dj_fast_job *job); // before it is used as the first one

// Each stage processes the jobs in order; `before` is the previous one, NULL for the first. Finds runs:
void dj_fast_stages_survey(dj_fast_stages *stages, dj_fast_job *job, const dj_fast_job *before);
// Looks up keys and assigns their new points. If there are not enough points, the third stage must
// first have processed all earlier jobs.
bool dj_fast_stages_has_points(const dj_fast_stages *stages, const dj_fast_job *job);
int dj_fast_stages_exchange(dj_fast_stages *stages, dj_context *context, dj_fast_job *job,
                            const dj_fast_job *before);
// Computes the distances from the timeline.
void dj_fast_stages_count(dj_fast_stages *stages, dj_fast_job *job);

#endif
