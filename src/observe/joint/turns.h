// SPDX-License-Identifier: MIT
// How sharers take turns: the accesses of others in windows of 2^k accesses of a sharer, which start at
// multiples of 2^k.
#ifndef DEJA_OBSERVE_JOINT_TURNS_H
#define DEJA_OBSERVE_JOINT_TURNS_H

#include <deja/joint.h>

enum { DJ_TURN_BITS = 2, DJ_TURN_LEVELS = 40, DJ_TURN_BINS = 192 };

typedef struct dj_turn_counts {
    uint64_t last[DJ_TURN_LEVELS]; // positions of its latest accesses with a number divisible by 2^k
    struct dj_turn_bin {
        uint64_t windows, others;
    } bins[DJ_TURN_LEVELS][DJ_TURN_BINS];
} dj_turn_counts;

// Access `number` of the sharer, at `position` among those of all.
void dj_turn_counts_add(dj_turn_counts *turns, uint64_t number, uint64_t position);

int dj_turn_counts_finish(const dj_turn_counts *turns, dj_context *context, dj_joint_sharer *out);

#endif
