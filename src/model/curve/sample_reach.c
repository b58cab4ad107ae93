// SPDX-License-Identifier: MIT
#include "model/curve/sample_reach.h"

#include <math.h>

static const double ERRORS = 3;

// The row of the errors for this size.
static double error_at(const dj_sample *s, uint64_t size)
{
    size_t lo = 0, hi = s->error_count;
    while (hi - lo > 1) {
        size_t middle = lo + (hi - lo) / 2;
        if (s->errors[middle].size <= size)
            lo = middle;
        else
            hi = middle;
    }
    return s->error_count ? s->errors[lo].error : 1;
}

// The number of sampled blocks in a cache is binomial, and the sample can tell sizes apart only by whole
// blocks of its own.
dj_sample_reach dj_sample_reach_at(const dj_sample *s, uint64_t size)
{
    const double weight = (double)(UINT64_C(1) << s->weight_log2);
    const double shift = ERRORS * sqrt((double)size * (weight - 1)) + weight;
    const uint64_t blocks = (uint64_t)shift;
    if (size == 0) // everything misses
        return (dj_sample_reach){0, 0, 0};
    return (dj_sample_reach){.smaller = size > blocks ? size - blocks : 0,
                             .larger = size < UINT64_MAX - blocks ? size + blocks : UINT64_MAX,
                             .error = ERRORS * error_at(s, size)};
}
