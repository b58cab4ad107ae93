// SPDX-License-Identifier: MIT
// Moments and bins of a histogram.
#include "base/histogram.h"

#include <math.h>
#include <stdlib.h>

typedef unsigned __int128 wide;

typedef struct sums {
    uint64_t count, min, max;
    wide sum;
} sums;

static sums add_up(const dj_histogram *histogram)
{
    sums s = {0};
    for (uint64_t v = 0, n; (n = dj_histogram_next(histogram, &v)) != 0; v++) {
        if (s.count == 0)
            s.min = v;
        s.max = v;
        s.count += n;
        s.sum += (wide)v * n;
    }
    return s;
}

// Squares of the distances from a whole number near the mean add up exactly;
// what that number is off by is mended at the end.
static dj_moments look_around(const dj_histogram *histogram, const sums *s)
{
    uint64_t centre = (uint64_t)(s->sum / s->count), below = 0, low = 0, high = 0;
    bool exact = s->max - s->min < UINT64_C(1) << 40 && s->count < UINT64_C(1) << 47;
    wide squares = 0;
    long double rounded = 0;
    for (uint64_t v = 0, n; (n = dj_histogram_next(histogram, &v)) != 0; v++) {
        uint64_t off = v > centre ? v - centre : centre - v;
        if (exact)
            squares += (wide)off * off * n;
        else
            rounded += (long double)off * (long double)off * (long double)n;
        low = below <= (s->count - 1) / 2 ? v : low;
        high = below <= s->count / 2 ? v : high;
        below += n;
    }
    long double count = (long double)s->count;
    long double mean_off = (long double)(s->sum % s->count) / count;
    long double variance = (exact ? (long double)squares : rounded) / count - mean_off * mean_off;
    return (dj_moments){.count = s->count,
                        .min = s->min,
                        .max = s->max,
                        .mean = (double)((long double)centre + mean_off),
                        .median = (double)(((long double)low + (long double)high) / 2),
                        .std = variance > 0 ? (double)sqrtl(variance) : 0};
}

dj_moments dj_histogram_measure(const dj_histogram *histogram)
{
    sums s = add_up(histogram);
    return s.count ? look_around(histogram, &s) : (dj_moments){0};
}

static dj_bin bin_of(uint64_t value, enum dj_binning binning, uint64_t width)
{
    switch (binning) {
    case DJ_BINS_LOG2: {
        unsigned k = dj_log2_bin(value);
        uint64_t lo = k == 0 ? 0 : UINT64_C(1) << (k - 1);
        return (dj_bin){.lo = lo, .hi = k == 0 ? 0 : lo + (lo - 1)};
    }
    case DJ_BINS_LINEAR: {
        uint64_t lo = value - value % width;
        return (dj_bin){.lo = lo, .hi = lo > UINT64_MAX - width ? UINT64_MAX : lo + (width - 1)};
    }
    case DJ_BINS_EXACT:
    default:
        return (dj_bin){.lo = value, .hi = value};
    }
}

typedef struct bins {
    dj_bin *items;
    size_t count, capacity;
} bins;

static int append(bins *b, dj_context *context, dj_bin bin)
{
    if (b->count == b->capacity) {
        size_t capacity = b->capacity ? 2 * b->capacity : 64;
        dj_bin *items = realloc(b->items, capacity * sizeof *items);
        if (!items)
            return dj_fail_memory(context, "the bins of a histogram", capacity * sizeof *items);
        b->items = items;
        b->capacity = capacity;
    }
    b->items[b->count++] = bin;
    return DJ_OK;
}

static int append_empty_log2(bins *b, dj_context *context, uint64_t below)
{
    while (b->count > 0 && b->items[b->count - 1].hi + 1 < below) {
        int err = append(b, context, bin_of(b->items[b->count - 1].hi + 1, DJ_BINS_LOG2, 0));
        if (err)
            return err;
    }
    return DJ_OK;
}

int dj_histogram_bins(const dj_histogram *histogram, dj_context *context, enum dj_binning binning,
                      uint64_t width, dj_bin **out, size_t *count)
{
    if (binning == DJ_BINS_LINEAR && width == 0)
        return dj_fail(context, DJ_ERR_USAGE, "linear bins need a width of at least 1");
    bins b = {0};
    int err = DJ_OK;
    for (uint64_t v = 0, n; !err && (n = dj_histogram_next(histogram, &v)) != 0; v++) {
        if (b.count > 0 && v <= b.items[b.count - 1].hi) {
            b.items[b.count - 1].count += n;
            continue;
        }
        dj_bin bin = bin_of(v, binning, width);
        bin.count = n;
        if (binning == DJ_BINS_LOG2)
            err = append_empty_log2(&b, context, bin.lo);
        if (!err)
            err = append(&b, context, bin);
    }
    if (err) {
        free(b.items);
        return err;
    }
    *out = b.items;
    *count = b.count;
    return DJ_OK;
}
