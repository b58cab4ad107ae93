// SPDX-License-Identifier: MIT
// How far the miss-ratio curve of a sample may be from the exact one: three standard errors up and down, and
// as much to the left and right as the number of sampled blocks in a cache varies. At a cliff of the curve it
// is the latter that counts.
#ifndef DEJA_MODEL_CURVE_SAMPLE_REACH_H
#define DEJA_MODEL_CURVE_SAMPLE_REACH_H

#include <deja/sample.h>

typedef struct dj_sample_reach {
    uint64_t smaller, larger; // the exact miss ratio is between those of the sample at these sizes,
    double error;             // give or take this
} dj_sample_reach;

dj_sample_reach dj_sample_reach_at(const dj_sample *sample, uint64_t size);

#endif
