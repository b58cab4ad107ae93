// SPDX-License-Identifier: MIT
// Moments and bins of a histogram.
#include "base/histogram/histogram.h"

#include <math.h>
#include <stdlib.h>

typedef unsigned __int128 wide;

enum { RUN = DJ_HISTOGRAM_RUN };

// Sums over everything that was counted, modulo 2^128.
typedef struct sums {
    uint64_t count, min, max;
    wide sum, squares;
} sums;

static void add_run(sums *s, const uint32_t *counts, uint64_t first)
{
    // Backwards, without multiplication: the count at i is added i times to `places` and i (i + 1) / 2 times
    // to `triangles`, as if the first value were 0.
    uint64_t count = 0, places = 0, triangles = 0;
    for (uint32_t i = RUN - 1; i > 0; i--) {
        count += counts[i];
        places += count;
        triangles += places;
    }
    count += counts[0];
    s->count += count;
    s->sum += (wide)first * count + places;
    s->squares += (wide)first * first * count + 2 * (wide)first * places + 2 * triangles - places;
}

static void add_value(sums *s, uint64_t value, uint64_t count)
{
    s->count += count;
    s->sum += (wide)value * count;
    s->squares += (wide)value * value * count;
}

// Spilled counts come in the order of a hash map.
static void add_spilled(const dj_histogram *h, uint64_t *below)
{
    for (uint64_t i = 0; h->spilled.count > 0 && i <= h->spilled.mask; i++)
        if (h->spilled.entries[i].value != 0)
            for (uint64_t run = h->spilled.entries[i].key / RUN + 1; run <= h->flat_size / RUN; run++)
                below[run] += h->spilled.entries[i].value;
}

static sums add_up(const dj_histogram *h, uint64_t *below)
{
    sums s = {0};
    for (uint64_t v = 0; v < h->flat_size; v += RUN) {
        if (below)
            below[v / RUN] = s.count;
        add_run(&s, h->flat + v, v);
    }
    if (below) {
        below[h->flat_size / RUN] = s.count;
        add_spilled(h, below);
    }
    for (uint64_t i = 0; h->spilled.count > 0 && i <= h->spilled.mask; i++)
        add_value(&s, h->spilled.entries[i].key, h->spilled.entries[i].value);
    dj_histogram_next(h, &s.min);
    for (uint64_t v = h->flat_size; s.max == 0 && v > 0; v--)
        s.max = h->flat[v - 1] > 0 ? v - 1 : 0;
    for (uint64_t v = h->flat_size, n; (n = dj_histogram_next(h, &v)) != 0; v++) {
        add_value(&s, v, n);
        s.max = v;
    }
    return s;
}

// The value at position `rank` among all counted values, in increasing order.
static uint64_t value_of_rank(const dj_histogram *h, const uint64_t *below, uint64_t rank)
{
    uint64_t v = 0, n;
    for (; v < h->flat_size; v += RUN) {
        n = below ? below[v / RUN + 1] - below[v / RUN] : dj_histogram_sum(h, v, v + RUN);
        if (n > rank)
            break;
        rank -= n;
    }
    for (; (n = dj_histogram_next(h, &v)) != 0 && n <= rank; v++)
        rank -= n;
    return v;
}

// For sums of squares that overflow.
static long double square_roughly(const dj_histogram *h, uint64_t centre)
{
    long double sum = 0;
    for (uint64_t v = 0, n; (n = dj_histogram_next(h, &v)) != 0; v++) {
        long double off = (long double)(v > centre ? v - centre : centre - v);
        sum += off * off * (long double)n;
    }
    return sum;
}

// Adds squared distances from an integer near the mean, which is exact, and corrects for the difference from
// the mean at the end.
dj_moments dj_histogram_measure(const dj_histogram *histogram, uint64_t *below)
{
    sums s = add_up(histogram, below);
    if (s.count == 0)
        return (dj_moments){0};
    const uint64_t centre = (uint64_t)(s.sum / s.count);
    const bool exact = s.max - s.min < UINT64_C(1) << 40 && s.count < UINT64_C(1) << 47;
    const wide around = s.squares - 2 * (wide)centre * s.sum + (wide)centre * centre * s.count;
    long double count = (long double)s.count, squares = (long double)around;
    if (!exact)
        squares = square_roughly(histogram, centre);
    long double low = (long double)value_of_rank(histogram, below, (s.count - 1) / 2);
    long double high = s.count % 2 ? low : (long double)value_of_rank(histogram, below, s.count / 2);
    long double mean_off = (long double)(s.sum % s.count) / count;
    long double variance = squares / count - mean_off * mean_off;
    return (dj_moments){.count = s.count,
                        .min = s.min,
                        .max = s.max,
                        .mean = (double)((long double)centre + mean_off),
                        .median = (double)((low + high) / 2),
                        .std = variance > 0 ? (double)sqrtl(variance) : 0};
}

dj_mode dj_histogram_mode(const dj_histogram *histogram)
{
    dj_mode mode = {0};
    for (uint64_t v = 0, n; (n = dj_histogram_next(histogram, &v)) != 0; v++)
        if (n > mode.count)
            mode = (dj_mode){v, n};
    return mode;
}

// 2^64 - 1 means infinite, and is in no bin.
static uint64_t at_most(uint64_t hi)
{
    return hi < UINT64_MAX ? hi : UINT64_MAX - 1;
}

static dj_bin bin_of(uint64_t value, enum dj_binning binning, uint64_t width)
{
    switch (binning) {
    case DJ_BINS_LOG2: {
        unsigned k = dj_log2_bin(value);
        uint64_t lo = k == 0 ? 0 : UINT64_C(1) << (k - 1);
        return (dj_bin){.lo = lo, .hi = k == 0 ? 0 : at_most(lo + (lo - 1))};
    }
    case DJ_BINS_LINEAR: {
        uint64_t lo = value - value % width;
        return (dj_bin){.lo = lo, .hi = at_most(lo > UINT64_MAX - width ? UINT64_MAX : lo + (width - 1))};
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
        dj_bin bin = bin_of(v, binning, width);
        uint64_t last = bin.hi == UINT64_MAX ? UINT64_MAX - 1 : bin.hi; // UINT64_MAX itself is no value
        bin.count = last > v ? dj_histogram_sum(histogram, v, last + 1) : n;
        v = last;
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
