// SPDX-License-Identifier: MIT
// The work of engine fast on a chunk in three stages, which different threads can
// do for different chunks at the same time.
#ifndef DEJA_ENGINE_FAST_STAGED_H
#define DEJA_ENGINE_FAST_STAGED_H

#include "engine/fast/fast.h"

#include <stdatomic.h>

// A chunk on its way. Its engine has the chunk alone, and what the stage that it is in lends it.
typedef struct dj_fast_parcel {
    dj_fast_hashed engine;
    dj_work whole, part; // the accesses, and what is left of them when repetitions are left out
    bool folded;
    dj_work *ends; // the work whose last accesses these are, or NULL
    uint32_t point[DJ_FAST_BEGINNINGS];
} dj_fast_parcel;

typedef struct dj_fast_staged {
    dj_fast_hashed *whole; // the table is the second stage's, the timeline and the keys the third's
    _Atomic uint64_t seed; // of the table
    uint32_t now;          // the second stage: the next point to be given out
    // The first stage.
    uint64_t accesses;
    uint32_t unfolded;
} dj_fast_staged;

// Afterwards the engine is the stages' alone, until dj_fast_staged_settle.
void dj_fast_staged_begin(dj_fast_staged *staged, dj_fast_hashed *whole);
// When all stages are done with all parcels: the engine is as if it had seen the accesses by itself.
// `last` is the last parcel, NULL if there was none.
void dj_fast_staged_settle(dj_fast_staged *staged, const dj_fast_parcel *last);

// A parcel that goes the way of those of `whole`.
dj_fast_parcel *dj_fast_parcel_create(const dj_fast_hashed *whole);
void dj_fast_parcel_restart(dj_fast_parcel *parcel); // before it goes first

// Each stage takes the parcels in order; `before` is the one before, NULL for the first. Finds runs:
void dj_fast_staged_survey(dj_fast_staged *staged, dj_fast_parcel *parcel, const dj_fast_parcel *before);
// Looks keys up and gives them their new points. Where the points do not suffice
// the third stage must be done with all parcels before.
bool dj_fast_staged_has_points(const dj_fast_staged *staged, const dj_fast_parcel *parcel);
int dj_fast_staged_exchange(dj_fast_staged *staged, dj_context *context, dj_fast_parcel *parcel,
                            const dj_fast_parcel *before);
// Finds the distances by the timeline.
void dj_fast_staged_count(dj_fast_staged *staged, dj_fast_parcel *parcel);

#endif
