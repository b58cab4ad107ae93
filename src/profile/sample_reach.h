// SPDX-License-Identifier: MIT
// How far the miss-ratio curve of a sample may be from the exact one: some standard errors up and down, and
// as much to the left and right as the number of sampled blocks in a cache varies. At a cliff of the curve it
// is the latter that counts.
#ifndef DEJA_PROFILE_SAMPLE_REACH_H
#define DEJA_PROFILE_SAMPLE_REACH_H

#include <deja/sample.h>

// Standard errors from the middle of the band to its ends. They are themselves estimated, from 16 slices:
// with 15 degrees of freedom, Student's t has its 99.73 % within 3.6.
#define DJ_SAMPLE_ERRORS 3.6

typedef struct dj_sample_reach {
    uint64_t smaller, larger; // the exact miss ratio is between those of the sample at these sizes,
    double above, below;      // give or take this much
} dj_sample_reach;

// How far to the left and right a cache of `size` bytes or blocks may be, for elements of this size.
double dj_sample_shift(unsigned weight_log2, uint64_t size, double element);
// How many blocks of the lane are in the sample together.
double dj_sample_together(const dj_profile *profile, const dj_lane_profile *lane);

// The lane must have a sample.
dj_sample_reach dj_sample_reach_at(const dj_profile *profile, const dj_lane_profile *lane, uint64_t size);
// The same for a cache of `size` bytes: for misses by requests, or by requested bytes.
dj_sample_reach dj_sample_reach_bytes(const dj_sample *sample, const dj_byte_profile *bytes, uint64_t size,
                                      bool by_bytes);

#endif
