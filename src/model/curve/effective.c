// SPDX-License-Identifier: MIT
// "Effective cache sizes" (C. Ding and Y. Zhong, "Reuse distance analysis", 2001, section 3.2): long reuses
// are concentrated in a few ranges [2^k, 2^(k+1) − 1], so the miss ratio falls at a few sizes and is almost
// flat in between.
#include <deja/model.h>

#include <string.h>

static const double COVER_ENOUGH = 0.90, SHARE_LEAST = 0.075;

enum { BINS = 65, FIRST_LONG = 7 };
_Static_assert(1u << (FIRST_LONG - 1) == DJ_LONG_DISTANCE, "the first bin of long distances");

// Chooses the ranges with most of the long reuses, the fullest first.
static size_t choose(const uint64_t *counts, dj_effective *out, bool *chosen)
{
    size_t count = 0;
    while (count < DJ_EFFECTIVE_MAX && out->covered < COVER_ENOUGH) {
        unsigned best = 0;
        for (unsigned i = FIRST_LONG; i < BINS; i++)
            if (!chosen[i] && counts[i] > 0 && (best == 0 || counts[i] > counts[best]))
                best = i;
        if (best == 0)
            break;
        double share = (double)counts[best] / (double)out->long_reuses;
        if (count > 0 && share < SHARE_LEAST)
            break;
        chosen[best] = true;
        out->covered += share;
        count++;
    }
    return count;
}

// The largest recorded distance in this range, which is not empty.
static uint64_t last_within(const dj_histogram *histogram, uint64_t lo, uint64_t hi)
{
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;
        if (dj_histogram_sum(histogram, middle + 1, hi == UINT64_MAX ? hi : hi + 1) > 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static int fill_in(dj_context *context, const dj_lane_profile *lane, const uint64_t *counts,
                   const bool *chosen, dj_effective *out)
{
    uint64_t before = DJ_LONG_DISTANCE;
    size_t at = 0;
    for (unsigned i = FIRST_LONG; i < BINS && at < out->count; i++) {
        if (!chosen[i])
            continue;
        dj_effective_size *size = &out->sizes[at++];
        size->lo = UINT64_C(1) << (i - 1);
        size->hi = size->lo + (size->lo - 1);
        size->share = (double)counts[i] / (double)out->long_reuses;
        size->size = last_within(lane->distance, size->lo, size->hi) + 1;
        uint64_t sizes[3] = {before, size->lo, size->size};
        dj_mrc_point points[3];
        int err = dj_mrc_lru(context, lane, sizes, 3, points);
        if (err != DJ_OK)
            return err;
        size->drop_before = points[0].ratio - points[1].ratio;
        size->ratio = points[2].ratio;
        before = size->size;
    }
    return DJ_OK;
}

int dj_effective_sizes(dj_context *context, const dj_lane_profile *lane, dj_effective *out)
{
    uint64_t counts[BINS] = {0}, all = dj_histogram_moments(lane->distance).count;
    bool chosen[BINS] = {false};
    unsigned last = 0;
    memset(out, 0, sizeof *out);
    for (unsigned bin = FIRST_LONG; bin < BINS; bin++) {
        uint64_t lo = UINT64_C(1) << (bin - 1);
        counts[bin] = dj_histogram_sum(lane->distance, lo, bin + 1 < BINS ? 2 * lo : UINT64_MAX);
        out->long_reuses += counts[bin];
        last = counts[bin] > 0 ? bin : last;
    }
    if (out->long_reuses == 0)
        return DJ_OK;
    out->long_share = (double)out->long_reuses / (double)(lane->cold + all);
    out->range_count = last - FIRST_LONG + 1;
    out->count = choose(counts, out, chosen);
    return fill_in(context, lane, counts, chosen, out);
}
