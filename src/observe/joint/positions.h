// SPDX-License-Identifier: MIT
// A set of positions in a trace whose length is unknown, in bounded memory: bins of equal width, which
// doubles when the trace outgrows them. Each has the number and the sum of its positions.
#ifndef DEJA_OBSERVE_JOINT_POSITIONS_H
#define DEJA_OBSERVE_JOINT_POSITIONS_H

#include <deja/histogram.h>

enum { DJ_POSITION_BINS = 1 << 14 };

typedef struct dj_positions {
    unsigned shift; // a bin has 2^shift positions
    struct dj_position_bin {
        uint64_t count, sum;
    } * bins;
} dj_positions;

int dj_positions_create(dj_positions *positions, dj_context *context);
void dj_positions_free(dj_positions *positions);

void dj_positions_widen(dj_positions *positions, uint64_t position);

static inline struct dj_position_bin *dj_positions_bin(dj_positions *p, uint64_t position)
{
    if (position >> p->shift >= DJ_POSITION_BINS)
        dj_positions_widen(p, position);
    return &p->bins[position >> p->shift];
}

static inline void dj_positions_add(dj_positions *p, uint64_t position)
{
    struct dj_position_bin *bin = dj_positions_bin(p, position);
    bin->count++;
    bin->sum += position;
}

static inline void dj_positions_remove(dj_positions *p, uint64_t position)
{
    struct dj_position_bin *bin = dj_positions_bin(p, position);
    bin->count--;
    bin->sum -= position;
}

// Their distances from the beginning, counted from 1; with `end`, from that length of the trace back to them.
// Those of one bin become its mean, rounded up or down such that their sum is exact.
int dj_positions_histogram(const dj_positions *positions, dj_context *context, uint64_t end,
                           dj_histogram **out);

#endif
