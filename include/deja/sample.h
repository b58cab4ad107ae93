// SPDX-License-Identifier: MIT
/// \file
/// Section `sample` of a lane: the sample that its estimates come from, and their error.
#ifndef DEJA_SAMPLE_H
#define DEJA_SAMPLE_H

#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The standard error of the miss ratio, at cache sizes from `size` up to the next row.
typedef struct dj_sample_error {
    uint64_t size; ///< in blocks
    double error;  ///< the largest in this range
} dj_sample_error;

typedef struct dj_sample {
    uint32_t weight_log2;    ///< each block in the sample stands for 2^weight_log2
    uint64_t blocks;         ///< in the sample
    uint64_t accesses;       ///< to them, that count
    dj_sample_error *errors; ///< by increasing size; the first is 0
    size_t error_count;
} dj_sample;

/// NULL: the lane does not come from a sample.
DJ_API const dj_sample *dj_lane_sample(const dj_lane_profile *lane);

#ifdef __cplusplus
}
#endif
#endif
