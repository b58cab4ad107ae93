// SPDX-License-Identifier: MIT
// Divides the time of a sharer into periods in which the same sharers run, each in phases of the same kind.
#ifndef DEJA_MODEL_CORUN_PERIODS_H
#define DEJA_MODEL_CORUN_PERIODS_H

#include <deja/corun.h>

enum { DJ_PERIODS_MOST = 64, DJ_PERIOD_ENDED = 255 };

typedef struct dj_period {
    uint8_t kinds[DJ_CORUN_MOST]; // of the phase of each sharer, or DJ_PERIOD_ENDED
    double accesses;              // that the sharer makes in it
} dj_period;

typedef struct dj_slice {
    double from, end; // accesses of the sharer
    size_t period;
} dj_slice;

typedef struct dj_periods {
    dj_period list[DJ_PERIODS_MOST + DJ_JOINT_KINDS];
    size_t count;
    dj_slice *slices; // increasing; none if sharers start again, since their times are then independent
    size_t slice_count;
} dj_periods;

// Without `phases`, all phases are of kind 0.
int dj_periods_find(dj_context *context, const dj_corun *corun, size_t sharer, bool phases, dj_periods *out);
void dj_periods_free(dj_periods *periods);

#endif
