// SPDX-License-Identifier: MIT
// The band of an estimated miss-ratio curve: the range in which the exact miss ratio lies at each size.
//
// If each distance d is recorded as d' with d · (1 − e) ≤ d' ≤ d, then at a size of c blocks
//   d' ≥ c implies d ≥ c, so all recorded misses at size c are misses: the low end;
//   d ≥ c implies d' ≥ c · (1 − e) and, since d' is an integer, d' ≥ c − floor(c · e): all misses are
//   recorded misses at that smaller size: the high end.
// Both ends are the same as long as c · e < 1. A sample adds an error of its own (sample_reach.h). The band
// of a run that was traced in bursts is in its profile.
#include <deja/model.h>
#include <deja/sample.h>
#include <deja/tracing.h>

#include <math.h>
#include <stdlib.h>

#include "profile/sample_reach.h"

// Errors are counted in billionths, rounded up unless that is only the error of a decimal fraction in binary.
#define WHOLE UINT64_C(1000000000)

static uint64_t billionths(double error)
{
    return (uint64_t)ceil(error * (double)WHOLE - 1e-6);
}

static uint64_t high_size(uint64_t size, uint64_t error)
{
    return size - (size / WHOLE * error + size % WHOLE * error / WHOLE);
}

// In a binned lane, a distance is recorded as the longest of its bin, and longer than all of the bin before.
// So a bin that begins below the size may have all its distances below it.
static uint64_t low_size(const dj_lane_profile *lane, uint64_t size)
{
    uint64_t longest = size;
    if (!lane->binned || size == 0 || dj_histogram_sum(lane->distance, size - 1, size) > 0 ||
        dj_histogram_next(lane->distance, &longest) == 0)
        return size;
    return longest == UINT64_MAX ? longest : longest + 1;
}

dj_band_origin dj_lane_band_origin(const dj_profile *profile, const dj_lane_profile *lane)
{
    const dj_provenance *from = &profile->provenance;
    const dj_sample *sample = dj_lane_sample(lane);
    const dj_tracing *tracing = dj_lane_tracing(lane);
    const bool all = lane->id.sampling <= 0 || lane->id.sampling >= 1;
    const bool certified = !from->exact && from->distance_error > 0 && all && !tracing;
    return (dj_band_origin){.known = certified || sample || tracing,
                            .certified = certified,
                            .rate = tracing ? tracing->share
                                    : all   ? 1
                                            : lane->id.sampling,
                            .keys = sample ? sample->blocks : lane->distinct};
}

static void find_ends(const dj_profile *profile, const dj_lane_profile *lane, const uint64_t *sizes,
                      size_t count, uint64_t *low, uint64_t *high)
{
    const uint64_t error = billionths(profile->provenance.distance_error);
    const dj_sample *sample = dj_lane_sample(lane);
    for (size_t i = 0; i < count; i++) {
        const dj_sample_reach reach = sample ? dj_sample_reach_at(profile, lane, sizes[i])
                                             : (dj_sample_reach){sizes[i], sizes[i], 0, 0};
        low[i] = low_size(lane, reach.larger);
        high[i] = high_size(reach.smaller, error);
    }
}

// Widens the bands by the standard errors of a sample.
static void add_errors(const dj_profile *profile, const dj_lane_profile *lane, const uint64_t *sizes,
                       size_t count, dj_band *bands)
{
    const dj_sample *sample = dj_lane_sample(lane);
    for (size_t i = 0; sample && i < count; i++) {
        const dj_sample_reach reach = dj_sample_reach_at(profile, lane, sizes[i]);
        bands[i].low = fmax(bands[i].low - reach.below, 0);
        bands[i].high = fmin(bands[i].high + reach.above, 1);
    }
}

static dj_band band_of_bursts(const dj_tracing *tracing, uint64_t size)
{
    size_t lo = 0, hi = tracing->band_count;
    while (hi - lo > 1) {
        const size_t middle = lo + (hi - lo) / 2;
        if (tracing->bands[middle].size <= size)
            lo = middle;
        else
            hi = middle;
    }
    return (dj_band){tracing->bands[lo].low, tracing->bands[lo].high};
}

int dj_mrc_band(dj_context *context, const dj_profile *profile, const dj_lane_profile *lane,
                const uint64_t *sizes, size_t count, dj_band *out)
{
    if (!dj_lane_band_origin(profile, lane).known)
        return dj_fail(context, DJ_ERR_USAGE, "the error of these miss ratios is 0 or unknown");
    const dj_tracing *tracing = dj_lane_tracing(lane);
    for (size_t i = 0; tracing && i < count; i++)
        out[i] = band_of_bursts(tracing, sizes[i]);
    if (tracing)
        return DJ_OK;
    uint64_t *low = malloc((2 * count + 1) * sizeof *low), *high = low + count;
    dj_mrc_point *points = malloc((2 * count + 1) * sizeof *points);
    int err = low && points ? DJ_OK : dj_fail_memory(context, "a miss-ratio curve", count * sizeof *points);
    if (!err)
        find_ends(profile, lane, sizes, count, low, high);
    if (!err)
        err = dj_mrc_lru(context, lane, low, count, points);
    if (!err)
        err = dj_mrc_lru(context, lane, high, count, points + count);
    for (size_t i = 0; !err && i < count; i++)
        out[i] = (dj_band){points[i].ratio, points[count + i].ratio};
    if (!err)
        add_errors(profile, lane, sizes, count, out);
    free(points);
    free(low);
    return err;
}

double dj_band_widest(const dj_band *bands, size_t count)
{
    double widest = 0;
    for (size_t i = 0; i < count; i++)
        widest = fmax(widest, bands[i].high - bands[i].low);
    return widest;
}

int dj_mrc_band_widest(dj_context *context, const dj_profile *profile, const dj_lane_profile *lane,
                       double *out)
{
    dj_mrc_point *steps = NULL;
    size_t count = 0;
    int err = dj_mrc_steps(context, lane, &steps, &count);
    uint64_t *sizes = err ? NULL : malloc((2 * count + 1) * sizeof *sizes);
    dj_band *bands = err ? NULL : malloc((2 * count + 1) * sizeof *bands);
    if (!err && (!sizes || !bands))
        err = dj_fail_memory(context, "a miss-ratio curve", count * sizeof *bands);
    // Without a sample the high end never rises, so the band is widest where the low end has just fallen: at
    // a step, or with bins just beyond it. With a sample, steps are denser than its errors vary.
    for (size_t i = 0; !err && i < count; i++) {
        sizes[2 * i] = steps[i].size;
        sizes[2 * i + 1] = steps[i].size == UINT64_MAX ? UINT64_MAX : steps[i].size + 1;
    }
    if (!err)
        err = dj_mrc_band(context, profile, lane, sizes, 2 * count, bands);
    if (!err)
        *out = dj_band_widest(bands, 2 * count);
    free(bands);
    free(sizes);
    free(steps);
    return err;
}
