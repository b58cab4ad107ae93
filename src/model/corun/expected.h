// SPDX-License-Identifier: MIT
// Expected numbers of reuses by distance, while a model adds to them.
#ifndef DEJA_MODEL_CORUN_EXPECTED_H
#define DEJA_MODEL_CORUN_EXPECTED_H

#include <deja/corun.h>

enum { DJ_EXPECTED_BITS = 12 }; // distances are exact below 2^13, then 2^12 bins per doubling

typedef struct dj_expected {
    uint64_t most;  // the longest distance possible
    size_t count;   // of bins
    double *weight; // of each bin
    double broken;  // reuses that another sharer breaks
    double *spread; // reuses that are equally likely at all distances up to this bin
} dj_expected;

int dj_expected_create(dj_context *context, uint64_t most, dj_expected *out);
void dj_expected_free(dj_expected *expected);

// Around a distance between two integers, such that the mean is exact.
void dj_expected_add(dj_expected *expected, double weight, double distance);
// At all distances from 0 to this one.
void dj_expected_add_below(dj_expected *expected, double weight, double distance);
// A normal distribution on the integers from `low` to `high`.
void dj_expected_add_normal(dj_expected *expected, double weight, double mean, double variance, double low,
                            double high);

int dj_expected_finish(dj_expected *expected, dj_context *context, double cold, dj_prediction *out);

#endif
