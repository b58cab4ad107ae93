// SPDX-License-Identifier: MIT
// A batch on its way through the engine of a lane.
#ifndef DEJA_PIPELINE_JOB_H
#define DEJA_PIPELINE_JOB_H

#include "pipeline/fold.h"
#include <deja/observer.h>

// `work` is first, so that what the engine gives back is the job.
typedef struct dj_job {
    dj_work work;
    struct dj_job *next;
    dj_batch *batch;
    bool answered;
    bool folded;
    dj_runs runs;
    dj_lane_view view;   // of all accesses of the batch
    const uint32_t *tag; // likewise
    // Columns of all accesses of the batch …
    uint64_t *key, *time, *distance, *prev_time, *byte_distance;
    uint32_t *finer, *prev_tag;
    // … and of the runs, for the engine.
    uint64_t *run_key, *run_time, *run_weight, *run_distance, *run_prev_time, *run_byte_distance;
    uint32_t *run_tag, *run_prev_tag;
} dj_job;

// With the columns that an engine has something to do with when it uses these
// bits of dj_capability; the others are NULL. NULL: no memory.
dj_job *dj_job_create(const dj_engine_ops *engine, uint32_t use);
void dj_job_destroy(dj_job *job); // NULL is fine

#endif
