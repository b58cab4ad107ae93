// SPDX-License-Identifier: MIT
// With p(d) the probability that an access at distance d misses in a set-associative cache, and M(c) the
// share of the accesses at distances of c or more, the expected miss ratio is the sum of M(d) · (p(d) − p(d −
// 1)) over all d: M between its bounds puts it between the sums of these. The sums are taken over ranges of
// distances, in which M is at most that of the smallest and at least that of the next range.
#include "model/curve/estimate_band.h"

#include <deja/sample.h>

#include <math.h>
#include <stdlib.h>

#include "profile/sample_reach.h"

enum { PER_DOUBLING = 32, SIZES = 64 * PER_DOUBLING };

// Sizes from 0 up to one beyond the longest distance, and then one beyond all.
static size_t list_sizes(const dj_lane_profile *lane, uint64_t *sizes)
{
    const uint64_t longest = dj_lane_moments(lane).max;
    size_t count = 1;
    sizes[0] = 0;
    for (unsigned step = 0; sizes[count - 1] <= longest && step < SIZES - PER_DOUBLING; step++) {
        const uint64_t size = (uint64_t)exp2((double)step / PER_DOUBLING);
        if (size > sizes[count - 1])
            sizes[count++] = size;
    }
    sizes[count++] = UINT64_MAX;
    return count;
}

static double miss_below(uint64_t size, uint64_t sets, uint64_t ways)
{
    return size == 0 ? 0 : 1 - dj_smith_hit(size - 1, sets, ways);
}

int dj_smith_band(dj_context *context, const dj_profile *profile, const dj_lane_profile *lane, uint64_t sets,
                  uint64_t ways, dj_band *out)
{
    uint64_t *sizes = calloc(SIZES, sizeof *sizes);
    dj_band *bands = calloc(SIZES, sizeof *bands);
    int err = sizes && bands ? DJ_OK : dj_fail_memory(context, "a miss-ratio curve", SIZES * sizeof *bands);
    const size_t count = err ? 0 : list_sizes(lane, sizes);
    if (!err)
        err = dj_mrc_band(context, profile, lane, sizes, count, bands);
    *out = (dj_band){0, 0};
    double before = 0;
    for (size_t i = 0; !err && i + 2 < count; i++) {
        const double after = miss_below(sizes[i + 1], sets, ways);
        out->low += (after - before) * bands[i + 1].low;
        out->high += (after - before) * bands[i].high;
        before = after;
    }
    if (!err) {
        out->low = fmin(out->low + (1 - before) * bands[count - 1].low, 1);
        out->high = fmin(out->high + (1 - before) * bands[count - 2].high, 1);
    }
    free(bands);
    free(sizes);
    return err;
}

int dj_effective_bands(dj_context *context, const dj_profile *profile, const dj_lane_profile *lane,
                       const dj_effective *effective, dj_effective_band bands[DJ_EFFECTIVE_MAX])
{
    const dj_sample *sample = dj_lane_sample(lane);
    const double error = sample ? 0 : profile->provenance.distance_error;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < effective->count; i++) {
        const uint64_t size = effective->sizes[i].size;
        // An approximate distance is too short by this share at most.
        bands[i] = (dj_effective_band){.smaller = size, .larger = (uint64_t)ceil((double)size / (1 - error))};
        if (sample) {
            const dj_sample_reach reach = dj_sample_reach_at(profile, lane, size);
            bands[i].smaller = reach.smaller;
            bands[i].larger = reach.larger;
        }
        err = dj_mrc_band(context, profile, lane, &size, 1, &bands[i].ratio);
    }
    return err;
}
