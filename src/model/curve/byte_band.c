// SPDX-License-Identifier: MIT
// The bands of the curves of a cache of elements of different sizes, estimated from a sample.
#include <deja/model.h>
#include <deja/sample.h>

#include <math.h>
#include <stdlib.h>

#include "profile/sample_reach.h"

bool dj_lane_has_byte_bands(const dj_lane_profile *lane)
{
    const dj_byte_profile *bytes = dj_lane_bytes(lane);
    return dj_lane_sample(lane) && bytes && bytes->weight && bytes->error_count > 0;
}

// The number of requested bytes is known, and so is how far the sample is off. Two estimates are reasonable:
// the error is in accesses that hit, as if hot keys caused it; or it is in hits and misses alike, as if large
// keys did. The band contains both. Accesses are less uneven than bytes, and need no such factor.
static double other_estimate(const dj_lane_profile *lane, bool by_bytes)
{
    const dj_byte_profile *b = dj_lane_bytes(lane);
    const double known = (double)b->cold_bytes + (double)dj_histogram_sum(b->weight, 0, UINT64_MAX);
    return by_bytes && b->sampled_bytes > 0 ? known / (double)b->sampled_bytes : 1;
}

static int find_bands(dj_context *context, const dj_lane_profile *lane, const uint64_t *sizes, size_t count,
                      bool by_bytes, dj_band *out)
{
    const double factor = other_estimate(lane, by_bytes), less = fmin(factor, 1), more = fmax(factor, 1);
    uint64_t *ends = malloc((2 * count + 1) * sizeof *ends);
    dj_byte_point *points = malloc((2 * count + 1) * sizeof *points);
    int err = ends && points ? DJ_OK : dj_fail_memory(context, "a miss-ratio curve", count * sizeof *points);
    for (size_t i = 0; !err && i < count; i++) {
        const dj_sample_reach reach =
            dj_sample_reach_bytes(dj_lane_sample(lane), dj_lane_bytes(lane), sizes[i], by_bytes);
        // Reach grows with the size, but not evenly where larger elements begin.
        ends[i] = i > 0 && ends[i - 1] > reach.larger ? ends[i - 1] : reach.larger;
        ends[count + i] = reach.smaller;
        out[i] = (dj_band){reach.below, reach.above};
    }
    for (size_t i = count; !err && i > 1; i--)
        if (ends[count + i - 2] > ends[count + i - 1])
            ends[count + i - 2] = ends[count + i - 1];
    if (!err)
        err = dj_mrc_bytes(context, lane, ends, count, points);
    if (!err)
        err = dj_mrc_bytes(context, lane, ends + count, count, points + count);
    for (size_t i = 0; !err && i < count; i++) {
        const dj_byte_point *low = &points[i], *high = &points[count + i];
        out[i].low = fmax(less * (by_bytes ? low->byte_ratio : low->ratio) - out[i].low, 0);
        out[i].high = fmin(more * (by_bytes ? high->byte_ratio : high->ratio) + out[i].high, 1);
    }
    free(points);
    free(ends);
    return err;
}

int dj_mrc_byte_bands(dj_context *context, const dj_lane_profile *lane, const uint64_t *sizes, size_t count,
                      dj_band *requests, dj_band *bytes)
{
    if (!dj_lane_has_byte_bands(lane))
        return dj_fail(context, DJ_ERR_USAGE, "the error of these miss ratios is 0 or unknown");
    int err = find_bands(context, lane, sizes, count, false, requests);
    return err ? err : find_bands(context, lane, sizes, count, true, bytes);
}
