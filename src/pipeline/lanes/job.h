// SPDX-License-Identifier: MIT
// A batch being processed by the engines of a lane.
#ifndef DEJA_PIPELINE_LANES_JOB_H
#define DEJA_PIPELINE_LANES_JOB_H

#include "pipeline/lanes/operations.h"
#include <deja/observer.h>

// What one engine has to do for a batch. `work` is first, so that the pointer that the engine returns
// is the task.
typedef struct dj_task {
    dj_work work;
    uint32_t partition;
    bool counts, fills; // some of its accesses count; all of its accesses only fill
    bool answered;
} dj_task;

typedef struct dj_job {
    struct dj_job *next;
    dj_batch *batch;
    const dj_selection *selection; // NULL: all accesses, in one stack
    dj_task own;                   // for all accesses of the batch
    dj_task *tasks;                // one per share; unused if `own` is the only task
    size_t task_capacity;
    uint32_t task_count;
    bool shared; // `tasks` is used
    bool answered;
    bool folded; // the engines receive runs
    dj_runs runs;
    dj_lane_view view;     // for all accesses of the batch
    const uint32_t *tag;   // likewise
    const uint64_t *times; // likewise
    // Columns for all accesses of the batch …
    uint64_t *key, *time, *distance, *prev_time, *byte_distance;
    uint32_t *finer, *prev_tag;
    // … and for the runs, passed to the engines.
    uint64_t *run_key, *run_time, *run_weight, *run_distance, *run_prev_time, *run_byte_distance;
    uint32_t *run_tag, *run_prev_tag;
    uint32_t *run_end; // by task
    size_t run_end_capacity;
    dj_operations operations; // of this batch
    uint32_t *lost_to;        // as in dj_lane_view
    uint64_t *filled;         // distances of accesses that fill; NULL: none so far
} dj_job;

// Allocates the columns that an engine needs for these bits of dj_capability; the others are NULL.
// `selective`: not all accesses go to one engine; `coherent`: it is a coherent lane. Returns NULL if out of
// memory.
dj_job *dj_job_create(const dj_engine_ops *engine, uint32_t use, bool selective, bool coherent);
void dj_job_destroy(dj_job *job); // NULL is allowed

#endif
