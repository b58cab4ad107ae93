// SPDX-License-Identifier: MIT
// Moments and bins of a histogram.
#include <deja/histogram.h>

#include <math.h>
#include <stdlib.h>

typedef unsigned __int128 wide;

static uint64_t value_at(const dj_histogram *histogram, uint64_t rank)
{
    uint64_t below = 0;
    for (uint64_t v = 0, n; (n = dj_histogram_next(histogram, &v)) != 0; v++) {
        below += n;
        if (below > rank)
            return v;
    }
    return 0;
}

dj_moments dj_histogram_moments(const dj_histogram *histogram)
{
    dj_moments m = {.min = UINT64_MAX};
    wide sum = 0;
    for (uint64_t v = 0, n; (n = dj_histogram_next(histogram, &v)) != 0; v++) {
        if (m.count == 0)
            m.min = v;
        m.max = v;
        m.count += n;
        sum += (wide)v * n;
    }
    if (m.count == 0)
        return (dj_moments){0};
    long double mean = (long double)sum / (long double)m.count;
    long double squares = 0;
    for (uint64_t v = 0, n; (n = dj_histogram_next(histogram, &v)) != 0; v++) {
        long double off = (long double)v - mean;
        squares += off * off * (long double)n;
    }
    uint64_t low = value_at(histogram, (m.count - 1) / 2), high = value_at(histogram, m.count / 2);
    m.mean = (double)mean;
    m.std = (double)sqrtl(squares / (long double)m.count);
    m.median = (double)(((long double)low + (long double)high) / 2);
    return m;
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
