// SPDX-License-Identifier: MIT
/// \file
/// Section `sample` of a lane: the sample that its estimates come from, and their error.
#ifndef DEJA_SAMPLE_H
#define DEJA_SAMPLE_H

#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dj_sample {
    uint32_t weight_log2;    ///< each block in the sample stands for 2^weight_log2
    uint32_t first_log2;     ///< the same at the beginning; less if the rate fell, because memory was full
    uint64_t memory;         ///< the bytes that limited the sample; 0: its rate was fixed
    uint64_t blocks;         ///< in the sample
    uint64_t accesses;       ///< to them, that count
    dj_sample_error *errors; ///< by increasing size; the first is 0
    size_t error_count;
    uint64_t head;           ///< caches below this size, in blocks, are known from bursts; 0: none
    uint64_t bursts;         ///< stretches of the trace of which all accesses were analyzed
    uint64_t burst_accesses; ///< in them, that count
} dj_sample;

/// NULL: the lane does not come from a sample.
DJ_API const dj_sample *dj_lane_sample(const dj_lane_profile *lane);

#ifdef __cplusplus
}
#endif
#endif
