// SPDX-License-Identifier: MIT
#include "profile/sample_reach.h"

#include <math.h>

#include "base/sample.h"

// The number of sampled blocks in a cache is nearly normal, with a known deviation.
static const double DEVIATIONS = 3;

// Fewer than four blocks in a slice do not show how much slices differ.
enum { BLOCKS_LEAST = 4 * DJ_SAMPLE_SLICES };

// The row of the errors for this size.
static size_t row_of(const dj_sample_error *errors, size_t count, uint64_t size)
{
    size_t lo = 0, hi = count;
    while (hi - lo > 1) {
        size_t middle = lo + (hi - lo) / 2;
        if (errors[middle].size <= size)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

// The half width of the band, for the largest error at these sizes.
static double error_within(const dj_sample_error *errors, size_t count, uint64_t smaller, uint64_t larger)
{
    double largest = count ? 0 : 1;
    for (size_t i = row_of(errors, count, smaller); i < count && errors[i].size <= larger; i++)
        largest = fmax(largest, errors[i].error);
    return DJ_SAMPLE_ERRORS * largest;
}

double dj_sample_shift(unsigned weight_log2, uint64_t size, double element)
{
    const double weight = (double)(UINT64_C(1) << weight_log2);
    return DEVIATIONS * sqrt((double)size * element * (weight - 1)) + weight * element;
}

// A cache of `size` bytes or blocks, whose elements are in the sample independently of each other. `element`
// is their mean size, weighted by size: the sampled bytes in the cache have the variance size × element × (1
// − R) × R, and the sample can tell sizes apart only by whole elements of its own. With fixed memory,
// distances are rounded.
static dj_sample_reach find_reach(const dj_sample *sample, uint64_t size, double element)
{
    const double rounding = sample->memory ? ldexp((double)size, -DJ_SAMPLE_DIGITS) : 0;
    const double shift = dj_sample_shift(sample->weight_log2, size, element) + rounding;
    const uint64_t most = UINT64_MAX - size, by = shift < (double)most ? (uint64_t)shift : most;
    return (dj_sample_reach){.smaller = size > by ? size - by : 0, .larger = size + by};
}

static double tail_error(const dj_sample *sample, const dj_sample_error *errors, size_t count,
                         uint64_t smaller, uint64_t larger)
{
    return sample->blocks < BLOCKS_LEAST ? 1 : error_within(errors, count, smaller, larger);
}

// A sample is taken of blocks of the largest size, with all smaller blocks in them.
double dj_sample_together(const dj_profile *profile, const dj_lane_profile *lane)
{
    uint64_t largest = lane->id.block_bytes;
    for (size_t i = 0; i < profile->lane_count; i++)
        largest = profile->lanes[i].id.block_bytes > largest ? profile->lanes[i].id.block_bytes : largest;
    return (double)largest / (double)lane->id.block_bytes;
}

// Bursts see all blocks. A cache that is larger than the head misses no more often than the largest one in
// it, give or take the error there.
dj_sample_reach dj_sample_reach_at(const dj_profile *profile, const dj_lane_profile *lane, uint64_t size)
{
    const dj_sample *s = dj_lane_sample(lane);
    dj_sample_reach reach = find_reach(s, size, dj_sample_together(profile, lane));
    if (size == 0) // everything misses
        return (dj_sample_reach){0, 0, 0, 0};
    if (size < s->head) {
        const double error = error_within(s->errors, s->error_count, size, size);
        return (dj_sample_reach){size, size, error, error};
    }
    const bool beside = reach.smaller < s->head;
    reach.below = tail_error(s, s->errors, s->error_count, beside ? s->head : reach.smaller, reach.larger);
    reach.above = reach.below;
    if (beside) {
        reach.smaller = s->head - 1;
        reach.above = error_within(s->errors, s->error_count, reach.smaller, reach.smaller);
    }
    return reach;
}

// Of the keys that fit.
static double mean_element(const dj_byte_profile *bytes, uint64_t size)
{
    double mean = 1;
    for (size_t i = 0; i < bytes->mean_count && bytes->means[i].size <= size; i++)
        mean = bytes->means[i].mean;
    return mean;
}

dj_sample_reach dj_sample_reach_bytes(const dj_sample *s, const dj_byte_profile *bytes, uint64_t size,
                                      bool by_bytes)
{
    const dj_sample_error *errors = by_bytes ? bytes->byte_errors : bytes->errors;
    const size_t count = by_bytes ? bytes->byte_error_count : bytes->error_count;
    dj_sample_reach reach = find_reach(s, size, mean_element(bytes, size));
    if (size == 0)
        return (dj_sample_reach){0, 0, 0, 0};
    reach.above = reach.below = tail_error(s, errors, count, reach.smaller, reach.larger);
    return reach;
}
