// SPDX-License-Identifier: MIT
// Sizes at which to show a miss-ratio curve: evenly spaced on a logarithmic axis, since caches are compared
// by factors.
#include <deja/model.h>

#include <math.h>
#include <stdlib.h>

// From `first` to `last`, `per_doubling` sizes for each doubling; always ends with `last`.
static int spread(dj_context *context, uint64_t first, uint64_t last, unsigned per_doubling, uint64_t **out,
                  size_t *count)
{
    if (per_doubling == 0 || per_doubling > 64)
        return dj_fail(context, DJ_ERR_USAGE, "sizes per doubling must be 1 to 64, not %u", per_doubling);
    size_t capacity = 64 * (size_t)per_doubling + 2, used = 0;
    uint64_t *sizes = calloc(capacity, sizeof *sizes);
    if (!sizes)
        return dj_fail_memory(context, "cache sizes", capacity * sizeof *sizes);
    for (unsigned step = 0; used < capacity - 1; step++) {
        double exact = (double)first * exp2((double)step / per_doubling);
        if (exact >= (double)last)
            break;
        uint64_t size = (uint64_t)llround(fmin(exact, 0x1p62));
        if (size < last && (used == 0 || size > sizes[used - 1]))
            sizes[used++] = size;
    }
    sizes[used++] = last;
    *out = sizes;
    *count = used;
    return DJ_OK;
}

int dj_mrc_sizes(dj_context *context, const dj_lane_profile *lane, unsigned per_doubling, uint64_t **out,
                 size_t *count)
{
    dj_moments moments = dj_histogram_moments(lane->distance);
    return spread(context, 1, moments.count == 0 ? 1 : moments.max + 1, per_doubling, out, count);
}

int dj_mrc_byte_sizes(dj_context *context, const dj_lane_profile *lane, unsigned per_doubling, uint64_t **out,
                      size_t *count)
{
    if (!dj_lane_byte_distance(lane))
        return dj_fail(context, DJ_ERR_USAGE,
                       "the profile has no byte distances: they need a trace whose requests have sizes");
    uint64_t first = 0;
    (void)dj_histogram_next(dj_lane_byte_distance(lane), &first);
    dj_moments moments = dj_histogram_moments(dj_lane_byte_distance(lane));
    uint64_t last = moments.max < 1 ? 1 : moments.max;
    unsigned bin = dj_log2_bin(first);
    return spread(context, bin < 1 ? 1 : UINT64_C(1) << (bin - 1), last, per_doubling, out, count);
}
