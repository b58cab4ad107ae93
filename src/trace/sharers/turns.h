// SPDX-License-Identifier: MIT
// Which sharer makes the next access, computed some steps ahead.
#ifndef DEJA_TRACE_SHARERS_TURNS_H
#define DEJA_TRACE_SHARERS_TURNS_H

#include <deja/sharers.h>

#include "base/random.h"

typedef struct dj_turns {
    // The next accesses are by coming[at … coming_count - 1]; then call dj_turns_refill.
    uint32_t *coming;
    uint32_t at, coming_count;
    uint32_t live_count; // sharers that have not been dropped

    // Private to turns.c.
    enum dj_interleaving kind;
    uint64_t *speed;
    uint32_t *live; // sharers that have not been dropped; by speeds: a heap, the next one first
    uint64_t *done; // by speeds: accesses of each sharer so far
    bool periodic;  // `coming` repeats
    uint64_t *sums; // random: of the speeds of live[0 … i]
    dj_random random;
    dj_random before; // the random numbers before coming[0]
} dj_turns;

// `speeds` are positive integers, at most DJ_SPEED_MOST. By speeds or random only.
int dj_turns_create(dj_context *context, enum dj_interleaving kind, const uint64_t *speeds, uint32_t count,
                    uint64_t seed, dj_turns *out);
void dj_turns_destroy(dj_turns *turns);
void dj_turns_refill(dj_turns *turns);
// The sharer coming[at] has no more accesses: the others continue without it.
void dj_turns_drop(dj_turns *turns);

#endif
