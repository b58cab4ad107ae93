// SPDX-License-Identifier: MIT
// A batch on its way through the engines of a lane.
#ifndef DEJA_PIPELINE_LANES_JOB_H
#define DEJA_PIPELINE_LANES_JOB_H

#include "pipeline/lanes/fold.h"
#include <deja/observer.h>

// What one engine has to do for a batch. `work` is first, so that what the engine gives back is the task.
typedef struct dj_task {
    dj_work work;
    uint32_t partition;
    bool counts, fills; // some of its accesses are to be counted; all of them only fill
    bool answered;
} dj_task;

typedef struct dj_job {
    struct dj_job *next;
    dj_batch *batch;
    const dj_selection *selection; // NULL: all accesses, in one stack
    dj_task own;                   // of all accesses of the batch
    dj_task *tasks;                // of shares of them …
    size_t task_room;
    uint32_t task_count; // … or `own`, when that is 1 and `tasks` are none
    bool shared;         // there are tasks
    bool answered;
    bool folded; // the engines get runs
    dj_runs runs;
    dj_lane_view view;     // of all accesses of the batch
    const uint32_t *tag;   // likewise
    const uint64_t *times; // likewise
    // Columns of all accesses of the batch …
    uint64_t *key, *time, *distance, *prev_time, *byte_distance;
    uint32_t *finer, *prev_tag;
    // … and of the runs, for the engines.
    uint64_t *run_key, *run_time, *run_weight, *run_distance, *run_prev_time, *run_byte_distance;
    uint32_t *run_tag, *run_prev_tag;
    uint32_t *run_end; // of each task
    size_t run_end_room;
    uint64_t *filled; // distances of what fills; NULL: there was none yet
} dj_job;

// With the columns that an engine has something to do with when it uses these
// bits of dj_capability; the others are NULL. `selective`: not all accesses go to one engine. NULL: no
// memory.
dj_job *dj_job_create(const dj_engine_ops *engine, uint32_t use, bool selective);
void dj_job_destroy(dj_job *job); // NULL is fine

#endif
