// SPDX-License-Identifier: MIT
// Bands of what follows from a miss-ratio curve that has a band.
#ifndef DEJA_MODEL_CURVE_ESTIMATE_BAND_H
#define DEJA_MODEL_CURVE_ESTIMATE_BAND_H

#include <deja/model.h>

// The miss ratio of a set-associative cache by Smith's formula, from both ends of the band of the lane, which
// must be known. Only the error of the distances is in it, not that of the formula.
int dj_smith_band(dj_context *context, const dj_profile *profile, const dj_lane_profile *lane, uint64_t sets,
                  uint64_t ways, dj_band *out);

// How far an effective size may be from where the exact curve drops, and the miss ratios there.
typedef struct dj_effective_band {
    uint64_t smaller, larger;
    dj_band ratio;
} dj_effective_band;
int dj_effective_bands(dj_context *context, const dj_profile *profile, const dj_lane_profile *lane,
                       const dj_effective *effective, dj_effective_band bands[DJ_EFFECTIVE_MAX]);

#endif
