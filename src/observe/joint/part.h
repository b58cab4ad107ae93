// SPDX-License-Identifier: MIT
// One sharer, as observer `joint` sees it.
#ifndef DEJA_OBSERVE_JOINT_PART_H
#define DEJA_OBSERVE_JOINT_PART_H

#include "observe/joint/phases.h"
#include "observe/joint/positions.h"
#include "observe/joint/turns.h"

typedef struct dj_joint_part {
    uint64_t accesses, distinct;
    dj_histogram *time;
    dj_positions first, last;
    dj_dyadic dyadic;
    dj_phases phases;
    dj_turn_counts *turns;            // NULL: there are no other sharers
    uint64_t sample[DJ_JOINT_SAMPLE]; // increasing
    uint64_t sample_first[DJ_JOINT_SAMPLE];
    size_t sample_count;
} dj_joint_part;

int dj_joint_part_create(dj_context *context, bool others, dj_joint_part **out);
void dj_joint_part_destroy(dj_joint_part *part); // NULL is allowed

// The first access to `key`.
int dj_joint_part_cold(dj_joint_part *part, dj_context *context, uint64_t key);
// An access `age` accesses after the previous one to its key. Those of a warm-up are not counted.
int dj_joint_part_reuse(dj_joint_part *part, dj_context *context, uint64_t age, uint64_t distance,
                        bool counts);
int dj_joint_part_finish(dj_joint_part *part, dj_context *context, dj_joint_sharer *out);

#endif
