// SPDX-License-Identifier: MIT
/// \file
/// Models: pure functions of a profile.
#ifndef DEJA_MODEL_H
#define DEJA_MODEL_H

#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dj_mrc_point {
    uint64_t size; ///< blocks (bytes for a byte curve)
    uint64_t misses;
    double ratio;
} dj_mrc_point;

/// Misses of a fully associative LRU cache at each of `sizes` (increasing).
/// An access hits when its distance is below the size; cold ones miss.
DJ_API int dj_mrc_lru(dj_context *context, const dj_lane_profile *lane, const uint64_t *sizes, size_t count,
                      dj_mrc_point *out);

#ifdef __cplusplus
}
#endif
#endif
