// SPDX-License-Identifier: MIT
// State shared by the files of a lane.
#ifndef DEJA_PIPELINE_LANES_LANE_STATE_H
#define DEJA_PIPELINE_LANES_LANE_STATE_H

#include "pipeline/lanes/coherence.h"
#include "pipeline/lanes/job.h"
#include "pipeline/lanes/lane.h"

// The engine for all accesses, or for those of one partition.
typedef struct dj_stack {
    void *engine;
    uint64_t filled_cold; // first accesses that only filled
} dj_stack;

struct dj_lane {
    dj_lane_config config;
    dj_keyer keyer;
    dj_stack *stacks; // by partition; one if not partitioned
    size_t stack_capacity;
    dj_coherence *coherence; // NULL: not coherent
    dj_job *oldest, *newest; // in the order pushed
    dj_job *unshown;         // the oldest that was not shown
    dj_job *free;
    uint32_t *no_tags;    // zeros, for batches without the tag's column
    uint64_t *no_weights; // ones, for batches without sizes
    uint64_t repeats;     // accesses that count but were folded, so that the engine did not count them

    // If the engine counts distances itself and a filter fills: what the engine had counted before the
    // first access that counts.
    bool filled, counting;
    dj_histogram *uncounted;
    uint64_t uncounted_cold;
};

static inline dj_task *dj_job_tasks(dj_job *j)
{
    return j->shared ? j->tasks : &j->own;
}

// Prepares the work for the engines, with columns for their answers, in j->own or j->tasks.
int dj_lane_prepare(dj_lane *lane, dj_context *context, dj_job *j);
// Fills in the view of the job, all of whose tasks are answered.
void dj_lane_set_answers(dj_lane *lane, dj_job *j);

#endif
