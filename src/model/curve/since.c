// SPDX-License-Identifier: MIT
#include "model/curve/since.h"

#include <stdlib.h>

static double clamp(double ratio)
{
    return ratio < 0 ? 0 : ratio > 1 ? 1 : ratio;
}

// Misses are counts, so they are subtracted. Estimates may change their mind about the past; what that would
// make impossible, negative misses or more of them in a larger cache, is left out.
static void subtract(const dj_mrc_point *before, uint64_t accesses, size_t count, dj_mrc_point *points)
{
    uint64_t most = accesses;
    for (size_t i = 0; i < count; i++) {
        uint64_t misses = points[i].misses > before[i].misses ? points[i].misses - before[i].misses : 0;
        misses = misses < most ? misses : most;
        points[i].misses = most = misses;
        points[i].ratio = accesses > 0 ? (double)misses / (double)accesses : 0;
    }
}

static void subtract_bands(const dj_band *before, uint64_t old, uint64_t all, size_t count, dj_band *bands)
{
    const double now = (double)all, then = (double)old, added = (double)(all - old);
    for (size_t i = 0; i < count; i++) {
        const dj_band band = bands[i];
        bands[i] = (dj_band){0, 0};
        if (all == old)
            continue;
        bands[i].low = clamp((now * band.low - then * before[i].high) / added);
        bands[i].high = clamp((now * band.high - then * before[i].low) / added);
    }
}

int dj_mrc_since(dj_context *context, const dj_profile *now, const dj_profile *before, const uint64_t *sizes,
                 size_t count, dj_mrc_point *points, dj_band *bands)
{
    const dj_lane_profile *lane = &now->lanes[0], *old = before ? &before->lanes[0] : NULL;
    const bool banded = bands && dj_lane_band_origin(now, lane).known;
    int err = dj_mrc_lru(context, lane, sizes, count, points);
    if (!err && banded)
        err = dj_mrc_band(context, now, lane, sizes, count, bands);
    if (err || !before)
        return err;
    dj_mrc_point *old_points = calloc(count + 1, sizeof *old_points);
    dj_band *old_bands = calloc(count + 1, sizeof *old_bands);
    if (!old_points || !old_bands)
        err = dj_fail_memory(context, "a miss-ratio curve", count * sizeof *old_points);
    if (!err)
        err = dj_mrc_lru(context, old, sizes, count, old_points);
    if (!err && banded)
        err = dj_mrc_band(context, before, old, sizes, count, old_bands);
    if (!err)
        subtract(old_points, lane->accesses - old->accesses, count, points);
    if (!err && banded)
        subtract_bands(old_bands, old->accesses, lane->accesses, count, bands);
    free(old_points);
    free(old_bands);
    return err;
}
