// SPDX-License-Identifier: MIT
// How far the miss-ratio curve of a sample may be from the exact one, at all sizes at once: three standard
// errors up and down, and as much to the left and right as the number of sampled blocks in a cache varies. At
// a cliff of the curve it is the latter that counts.
#include <deja/model.h>
#include <deja/sampling.h>

#include <math.h>

static const double ERRORS = 3;

// The row of the errors for this size.
static double error_at(const dj_sampling *s, uint64_t size)
{
    size_t lo = 0, hi = s->error_count;
    while (hi - lo > 1) {
        size_t middle = lo + (hi - lo) / 2;
        if (s->errors[middle].size <= size)
            lo = middle;
        else
            hi = middle;
    }
    return s->errors[lo].error;
}

// A cache of `size` blocks holds a binomial number of sampled ones: by how many blocks that may be off, and by
// the one sampled block between two sizes that the sample can tell apart.
static double shift_at(const dj_sampling *s, uint64_t size)
{
    double weight = (double)(UINT64_C(1) << s->weight_log2);
    return ERRORS * sqrt((double)size * (weight - 1)) + weight;
}

int dj_sample_band(dj_context *context, const dj_lane_profile *lane, uint64_t size, double *low, double *high)
{
    const dj_sampling *s = dj_lane_sampling(lane);
    if (!s)
        return dj_fail(context, DJ_ERR_USAGE, "the profile does not come from a sample");
    double shift = shift_at(s, size), error = ERRORS * error_at(s, size);
    uint64_t sizes[2] = {(double)size > shift ? size - (uint64_t)shift : 0, size + (uint64_t)shift};
    dj_mrc_point points[2];
    int err = dj_mrc_lru(context, lane, sizes, 2, points);
    *high = err ? 1 : fmin(points[0].ratio + error, 1);
    *low = err ? 0 : fmax(points[1].ratio - error, 0);
    return err;
}
