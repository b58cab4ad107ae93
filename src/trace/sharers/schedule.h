// SPDX-License-Identifier: MIT
// Threads in turns that respect what they wait for (DJ_INTERLEAVE_SCHEDULE). In the recorded order, each turn
// waits for the one before it.
#ifndef DEJA_TRACE_SHARERS_SCHEDULE_H
#define DEJA_TRACE_SHARERS_SCHEDULE_H

#include <deja/error.h>

typedef struct dj_schedule dj_schedule;
struct dj_waits;

typedef struct dj_schedule_config {
    uint32_t count;           // sharers
    const uint64_t *speeds;   // integers, at most DJ_SPEED_MOST
    const uint64_t *accesses; // of each sharer
    uint64_t quantum, seed;
    struct dj_waits *waits; // of the sharers
} dj_schedule_config;

// Copies the arrays, and keeps a reference to the waits.
int dj_schedule_create(dj_context *context, const dj_schedule_config *config, dj_schedule **out);
void dj_schedule_destroy(dj_schedule *schedule); // NULL is allowed

// The current turn: sharer *sharer makes the next *left accesses. *left is 0 at the end of all. *chosen: it
// was drawn from several that could run.
int dj_schedule_turn(dj_schedule *schedule, dj_context *context, uint32_t *sharer, uint64_t *left,
                     bool *chosen);
// It made so many of them.
void dj_schedule_advance(dj_schedule *schedule, uint64_t accesses);

#endif
