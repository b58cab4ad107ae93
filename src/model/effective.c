// SPDX-License-Identifier: MIT
// "Effective cache sizes" (C. Ding and Y. Zhong, "Reuse distance analysis",
// 2001, section 3.2): long reuses crowd in a few ranges [2^k, 2^(k+1) − 1], so
// the miss ratio falls at a few sizes and is almost flat between them.
#include <deja/model.h>

#include <string.h>

static const double COVER_ENOUGH = 0.90, SHARE_LEAST = 0.075;

enum { BINS = 65, FIRST_LONG = 7 };
_Static_assert(1u << (FIRST_LONG - 1) == DJ_LONG_DISTANCE, "the first bin of long distances");

typedef struct range {
    uint64_t count, max;
} range;

// Marks the ranges in which the long reuses crowd, the largest first.
static size_t choose(const range *ranges, dj_effective *out, bool *chosen)
{
    size_t count = 0;
    while (count < DJ_EFFECTIVE_MAX && out->covered < COVER_ENOUGH) {
        unsigned best = 0;
        for (unsigned i = FIRST_LONG; i < BINS; i++)
            if (!chosen[i] && ranges[i].count > 0 && (best == 0 || ranges[i].count > ranges[best].count))
                best = i;
        if (best == 0)
            break;
        double share = (double)ranges[best].count / (double)out->long_reuses;
        if (count > 0 && share < SHARE_LEAST)
            break;
        chosen[best] = true;
        out->covered += share;
        count++;
    }
    return count;
}

static int fill_in(dj_context *context, const dj_lane_profile *lane, const range *ranges, const bool *chosen,
                   dj_effective *out)
{
    uint64_t before = DJ_LONG_DISTANCE;
    size_t at = 0;
    for (unsigned i = FIRST_LONG; i < BINS && at < out->count; i++) {
        if (!chosen[i])
            continue;
        dj_effective_size *size = &out->sizes[at++];
        size->lo = UINT64_C(1) << (i - 1);
        size->hi = size->lo + (size->lo - 1);
        size->share = (double)ranges[i].count / (double)out->long_reuses;
        size->size = ranges[i].max + 1;
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
    range ranges[BINS] = {{0, 0}};
    bool chosen[BINS] = {false};
    uint64_t accesses = lane->cold;
    unsigned last = 0;
    memset(out, 0, sizeof *out);
    for (uint64_t value = 0, n; (n = dj_histogram_next(lane->distance, &value)) != 0; value++) {
        unsigned bin = dj_log2_bin(value);
        accesses += n;
        ranges[bin].count += n;
        ranges[bin].max = value;
        if (bin >= FIRST_LONG) {
            out->long_reuses += n;
            last = bin;
        }
    }
    if (out->long_reuses == 0)
        return DJ_OK;
    out->long_share = (double)out->long_reuses / (double)accesses;
    out->range_count = last - FIRST_LONG + 1;
    out->count = choose(ranges, out, chosen);
    return fill_in(context, lane, ranges, chosen, out);
}
