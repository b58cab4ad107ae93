// SPDX-License-Identifier: MIT
// What the files of a lane share.
#ifndef DEJA_PIPELINE_LANES_LANE_STATE_H
#define DEJA_PIPELINE_LANES_LANE_STATE_H

#include "pipeline/lanes/job.h"
#include "pipeline/lanes/lane.h"

// The engine of all accesses, or of those of one partition.
typedef struct dj_stack {
    void *engine;
    uint64_t filled_cold; // first accesses that only filled it
} dj_stack;

struct dj_lane {
    dj_lane_config config;
    dj_keyer keyer;
    dj_stack *stacks; // by partition; the first without
    size_t stack_room;
    dj_job *oldest, *newest; // in the order pushed
    dj_job *unshown;         // the oldest that was not shown
    dj_job *free;
    uint32_t *no_tags;    // for batches without the tag's column
    uint64_t *no_weights; // likewise: everything weighs 1
    uint64_t repeats;     // that count, but the engine did not hear of and does not count

    // Where the engine counts by itself, and a filter fills: what it had counted when the first
    // access came that is to be counted.
    bool filled, counting;
    dj_histogram *before;
    uint64_t before_cold;
};

static inline dj_task *dj_job_tasks(dj_job *j)
{
    return j->shared ? j->tasks : &j->own;
}

// The questions for the engines and the room for their answers, in j->own or j->tasks.
int dj_lane_ask(dj_lane *lane, dj_context *context, dj_job *j);
// All tasks of the job are answered: fills in its view.
void dj_lane_note_answers(dj_lane *lane, dj_job *j);

#endif
