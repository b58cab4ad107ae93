// SPDX-License-Identifier: MIT
#include "trace/sharers/speeds.h"

#include <math.h>

#include "base/gcd.h"

typedef struct fraction {
    uint64_t over, under;
} fraction;

// The first convergent of the continued fraction of `value` that is the same double.
static bool find_fraction(double value, fraction *out)
{
    const double most = (double)DJ_SPEED_MOST;
    fraction before = {0, 1}, last = {1, 0};
    for (double rest = value; rest < most;) {
        uint64_t whole = (uint64_t)rest;
        fraction next;
        if (__builtin_mul_overflow(whole, last.over, &next.over) ||
            __builtin_add_overflow(next.over, before.over, &next.over) || next.over > DJ_SPEED_MOST ||
            __builtin_mul_overflow(whole, last.under, &next.under) ||
            __builtin_add_overflow(next.under, before.under, &next.under) || next.under > DJ_SPEED_MOST)
            return false;
        *out = next;
        if (next.over > 0 && (double)next.over / (double)next.under == value)
            return true;
        if (rest == (double)whole)
            return false;
        rest = 1 / (rest - (double)whole);
        before = last;
        last = next;
    }
    return false;
}

// Brings all to a common denominator.
static bool scale_exactly(const double *speeds, size_t count, uint64_t *out)
{
    uint64_t common = 1, divisor = 0;
    fraction f;
    for (size_t i = 0; i < count; i++)
        if (!find_fraction(speeds[i], &f) ||
            __builtin_mul_overflow(common / dj_gcd(common, f.under), f.under, &common))
            return false;
    for (size_t i = 0; i < count; i++) {
        find_fraction(speeds[i], &f);
        if (__builtin_mul_overflow(f.over, common / f.under, &out[i]))
            return false;
        divisor = dj_gcd(out[i], divisor);
    }
    for (size_t i = 0; i < count; i++) {
        out[i] /= divisor;
        if (out[i] > DJ_SPEED_MOST)
            return false;
    }
    return true;
}

static int scale(dj_context *context, const double *speeds, size_t count, uint64_t *out)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = speeds[i] > largest ? speeds[i] : largest;
    if (scale_exactly(speeds, count, out))
        return DJ_OK;
    for (size_t i = 0; i < count; i++) {
        out[i] = (uint64_t)(speeds[i] / largest * (double)DJ_SPEED_MOST + 0.5);
        if (out[i] == 0)
            return dj_fail(
                context, DJ_ERR_USAGE,
                "speed %g is more than 2^40 times lower than speed %g; the slower sharer would not "
                "run at all",
                speeds[i], largest);
    }
    return DJ_OK;
}

int dj_speeds_choose(dj_context *context, const dj_interleave_options *options, dj_sharer *sharers,
                     size_t count, uint64_t *out)
{
    for (size_t i = 0; i < count; i++) {
        sharers[i].speed = options->speeds && i < options->speed_count ? options->speeds[i] : 1;
        out[i] = 1;
    }
    if (!options->speeds)
        return DJ_OK;
    if (options->speed_count != count)
        return dj_fail(context, DJ_ERR_USAGE, "%zu speed%s for %zu sharer%s; name one speed for each",
                       options->speed_count, options->speed_count == 1 ? "" : "s", count,
                       count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++)
        if (!isfinite(options->speeds[i]) || options->speeds[i] <= 0)
            return dj_fail(context, DJ_ERR_USAGE,
                           "the speed of sharer %zu (%s) is %g; speeds are positive numbers", i + 1,
                           sharers[i].name, options->speeds[i]);
    return scale(context, options->speeds, count, out);
}
