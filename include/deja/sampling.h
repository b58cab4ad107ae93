// SPDX-License-Identifier: MIT
/// \file
/// Section `sampling` of a lane: the sample that its estimates come from, and their error.
#ifndef DEJA_SAMPLING_H
#define DEJA_SAMPLING_H

#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The standard error of the miss ratio, at cache sizes from `size` up to the next row.
typedef struct dj_sampling_error {
    uint64_t size; ///< in blocks
    double error;  ///< the largest in this range
} dj_sampling_error;

typedef struct dj_sampling {
    uint32_t weight_log2; ///< each block in the sample stands for 2^weight_log2
    uint64_t blocks;      ///< in the sample
    uint64_t accesses;    ///< to them, that count
    dj_sampling_error *errors; ///< by increasing size; the first is 0
    size_t error_count;
} dj_sampling;

/// NULL: the lane does not come from a sample.
DJ_API const dj_sampling *dj_lane_sampling(const dj_lane_profile *lane);

#ifdef __cplusplus
}
#endif
#endif
