// SPDX-License-Identifier: MIT
// The phases of a trace whose length is unknown: of equal length, which doubles when there are too many. At
// the end, phases whose time distances and reuse distances have similar histograms are of one kind.
#ifndef DEJA_OBSERVE_JOINT_PHASES_H
#define DEJA_OBSERVE_JOINT_PHASES_H

#include "base/map.h"
#include "observe/joint/dyadic.h"

typedef struct dj_phase {
    uint64_t cold;
    dj_dyadic_counts windows; // that end in it
} dj_phase;

enum { DJ_PHASES_PENDING = 16 };

typedef struct dj_phases {
    unsigned shift; // a phase has 2^shift accesses
    dj_phase *phases;
    dj_map cells; // counts, by the phase and the bins of time distance and reuse distance
    dj_footprint footprint;
    uint64_t pending[DJ_PHASES_PENDING]; // keys of cells that will be counted, 0: none; their entries are on
                                         // the way
    unsigned next;                       // the oldest of them
} dj_phases;

int dj_phases_create(dj_phases *phases, dj_context *context);
void dj_phases_free(dj_phases *phases);

int dj_phases_widen(dj_phases *phases, dj_context *context, uint64_t position);

// The phase of an access; NULL if memory runs out.
static inline dj_phase *dj_phases_at(dj_phases *p, dj_context *context, uint64_t position)
{
    if (position >> p->shift >= DJ_JOINT_PHASES && dj_phases_widen(p, context, position))
        return NULL;
    return &p->phases[position >> p->shift];
}

// Counts a reuse in the phase of an access for which dj_phases_at was called.
int dj_phases_count(dj_phases *phases, dj_context *context, uint64_t position, uint64_t age,
                    uint64_t distance);

// Fills phases, cells and windows of a sharer whose number of accesses is known.
int dj_phases_finish(dj_phases *phases, dj_context *context, dj_joint_sharer *out);

#endif
