// SPDX-License-Identifier: MIT
#include "model/predict/signature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int dj_signature_create(dj_context *context, size_t count, dj_signature *out)
{
    *out = (dj_signature){.count = count};
    out->rows = calloc(count + 1, sizeof *out->rows);
    out->below = calloc(count + 1, sizeof *out->below);
    out->sum = calloc(count + 1, sizeof *out->sum);
    if (out->rows && out->below && out->sum)
        return DJ_OK;
    dj_signature_free(out);
    return dj_fail_memory(context, "a reuse signature", count * sizeof *out->rows);
}

void dj_signature_free(dj_signature *signature)
{
    free(signature->rows);
    free(signature->below);
    free(signature->sum);
    *signature = (dj_signature){0};
}

void dj_signature_finish(dj_signature *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const dj_signature_row *row = &s->rows[i];
        s->below[i + 1] = s->below[i] + row->count;
        s->sum[i + 1] = s->sum[i] + row->count * (row->lo + row->hi) / 2;
    }
    s->reuses = s->below[s->count];
}

int dj_signature_of_lane(dj_context *context, const dj_lane_profile *lane, enum dj_within_bin within,
                         dj_signature *out)
{
    size_t count = 0;
    for (uint64_t value = 0; dj_histogram_next(lane->distance, &value) != 0; value++)
        count++;
    int err = dj_signature_create(context, count, out);
    if (err)
        return err;
    size_t at = 0;
    for (uint64_t value = 0, n; (n = dj_histogram_next(lane->distance, &value)) != 0; value++) {
        double lo = (double)value;
        if (lane->binned && within == DJ_SPREAD_OUT && value > 1)
            lo = (double)(UINT64_C(1) << (dj_log2_bin(value) - 1));
        out->rows[at++] = (dj_signature_row){lo, (double)value, (double)n};
    }
    out->cold = (double)lane->cold;
    dj_signature_finish(out);
    return DJ_OK;
}

// If one bin has most of the reuses, the exact sums of the tally say where in the bin they are.
static void narrow(const dj_tally *tally, dj_signature_row *rows, size_t count)
{
    double reuses = 0, sum = (double)tally->sum,
           squares = ldexp((double)tally->square_high, 64) + (double)tally->square_low;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        reuses += rows[i].count;
        most = rows[i].count > rows[most].count ? i : most;
    }
    if (count == 0 || rows[most].count < reuses / 2)
        return;
    for (size_t i = 0; i < count; i++) {
        const double middle = (rows[i].lo + rows[i].hi) / 2, width = rows[i].hi - rows[i].lo;
        if (i == most)
            continue;
        sum -= rows[i].count * middle;
        squares -= rows[i].count * (middle * middle + width * width / 12);
    }
    dj_signature_row *row = &rows[most];
    const double mean = fmin(fmax(sum / row->count, row->lo), row->hi);
    const double variance = fmax(squares / row->count - mean * mean, 0);
    const double width = fmin(fmin(mean - row->lo, row->hi - mean), sqrt(3 * variance));
    row->lo = mean - width;
    row->hi = mean + width;
}

// Appends the bins of a tally to rows that have room for them.
static void add_bins(const dj_tally *tally, const dj_attribution *a, dj_signature *out)
{
    const size_t first = out->count;
    for (uint32_t i = 0; i < tally->bin_count; i++) {
        const size_t bin = tally->bin_first + i;
        if (tally->bins[i] == 0)
            continue;
        uint64_t lo = a->edges[bin], hi = tally->max;
        if (bin + 1 < a->edge_count && a->edges[bin + 1] - 1 < hi)
            hi = a->edges[bin + 1] - 1;
        if (lo < tally->min)
            lo = tally->min;
        if (hi < lo)
            hi = lo;
        out->rows[out->count++] = (dj_signature_row){(double)lo, (double)hi, (double)tally->bins[i]};
    }
    narrow(tally, &out->rows[first], out->count - first);
}

int dj_signature_of_tally(dj_context *context, const dj_tally *tally, const dj_attribution *a,
                          dj_signature *out)
{
    int err = dj_signature_create(context, tally->bin_count, out);
    if (err)
        return err;
    out->count = 0;
    add_bins(tally, a, out);
    out->cold = (double)tally->cold;
    dj_signature_finish(out);
    return DJ_OK;
}

static int by_distance(const void *left, const void *right)
{
    const dj_signature_row *a = left, *b = right;
    return (a->lo > b->lo) - (a->lo < b->lo);
}

void dj_signature_sort(dj_signature *signature)
{
    qsort(signature->rows, signature->count, sizeof *signature->rows, by_distance);
    dj_signature_finish(signature);
}

// Rows of different places overlap. Each becomes a few single distances, which can be sorted.
enum { POINTS = 8 };

static void split_rows(const dj_signature *places, dj_signature *out)
{
    out->count = 0;
    for (size_t i = 0; i < places->count; i++) {
        const dj_signature_row *row = &places->rows[i];
        const int points = row->hi > row->lo ? POINTS : 1;
        for (int k = 0; k < points; k++) {
            const double at = row->lo + (row->hi - row->lo) * (k + 0.5) / points;
            out->rows[out->count++] = (dj_signature_row){at, at, row->count / points};
        }
    }
}

int dj_signature_of_places(dj_context *context, const dj_attribution *a, dj_signature *out)
{
    size_t count = 0;
    dj_signature places = {0};
    for (size_t i = 0; i < a->place_count; i++)
        count += a->places[i].tally.bin_count;
    int err = dj_signature_create(context, count, &places);
    if (!err)
        err = dj_signature_create(context, POINTS * count, out);
    if (!err) {
        places.count = 0;
        for (size_t i = 0; i < a->place_count; i++) {
            add_bins(&a->places[i].tally, a, &places);
            out->cold += (double)a->places[i].tally.cold;
        }
        split_rows(&places, out);
        dj_signature_sort(out);
    }
    dj_signature_free(&places);
    return err;
}

// The row that contains a position.
static size_t row_at(const dj_signature *s, double position)
{
    size_t low = 0, high = s->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->below[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// The distances of all reuses before a position, added up.
static double sum_before(const dj_signature *s, double position)
{
    size_t i = row_at(s, position);
    const dj_signature_row *row = &s->rows[i];
    double part = position - s->below[i];
    if (part <= 0 || row->count <= 0)
        return s->sum[i];
    if (part >= row->count)
        return s->sum[i + 1];
    return s->sum[i] + part * (row->lo + (row->hi - row->lo) * part / row->count / 2);
}

double dj_signature_mean(const dj_signature *s, double from, double to)
{
    if (s->count == 0 || to <= from)
        return 0;
    size_t first = row_at(s, from);
    // Without this, rounding would make a constant distance vary.
    if (to <= s->below[first + 1] && s->rows[first].lo >= s->rows[first].hi)
        return s->rows[first].lo;
    double mean = (sum_before(s, to) - sum_before(s, from)) / (to - from);
    return fmax(mean, 0);
}

double dj_signature_below(const dj_signature *s, double distance)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->rows[middle].hi < distance)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == s->count || s->rows[low].lo >= distance)
        return s->below[low];
    const dj_signature_row *row = &s->rows[low];
    return s->below[low] + row->count * (distance - row->lo) / (row->hi - row->lo + 1);
}

double dj_signature_ratio(const dj_signature *s, double blocks)
{
    double all = s->reuses + s->cold;
    return all > 0 ? (all - dj_signature_below(s, blocks)) / all : 0;
}

// Shares by bins that begin at `scale` times a power of two.
static void fill_bins(const dj_signature *s, double scale, double *out)
{
    double all = s->reuses + s->cold, before = 0;
    memset(out, 0, DJ_SIGNATURE_BINS * sizeof *out);
    if (all <= 0)
        return;
    for (int bin = 0; bin < DJ_SIGNATURE_BINS - 1; bin++) {
        double here = dj_signature_below(s, scale * ldexp(1, bin));
        out[bin] = (here - before) / all;
        before = here;
    }
    out[DJ_SIGNATURE_BINS - 1] = s->cold / all;
}

void dj_signature_bins(const dj_signature *signature, double *out)
{
    fill_bins(signature, 1, out);
}

static double difference(const dj_signature *a, const dj_signature *b, double scale)
{
    double mine[DJ_SIGNATURE_BINS], other[DJ_SIGNATURE_BINS], sum = 0;
    fill_bins(a, scale, mine);
    fill_bins(b, scale, other);
    for (int bin = 0; bin < DJ_SIGNATURE_BINS; bin++)
        sum += fabs(mine[bin] - other[bin]);
    return sum / 2;
}

double dj_signature_difference(const dj_signature *a, const dj_signature *b)
{
    return difference(a, b, 1);
}

double dj_signature_disagreement(const dj_signature *a, const dj_signature *b)
{
    return fmin(difference(a, b, 1), difference(a, b, sqrt(2)));
}
