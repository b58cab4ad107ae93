// SPDX-License-Identifier: MIT
#include "model/corun/window_data.h"

#include <deja/corun.h>

#include <math.h>
#include <stdlib.h>

#include "base/fine_bins.h"

enum { WINDOWS_LEAST = 4 }; // for a variance

static size_t values_in(const dj_histogram *h)
{
    size_t count = 0;
    for (uint64_t v = 0; dj_histogram_next(h, &v) != 0; v++)
        count++;
    return count;
}

// Merges three sorted histograms.
static size_t merge_gaps(const dj_joint_sharer *s, uint64_t *gaps, double *counts)
{
    const dj_histogram *from[] = {s->time, s->first, s->last};
    uint64_t next[3] = {0}, left[3];
    size_t n = 0;
    for (int i = 0; i < 3; i++)
        left[i] = dj_histogram_next(from[i], &next[i]);
    for (;;) {
        uint64_t lowest = UINT64_MAX;
        for (int i = 0; i < 3; i++)
            lowest = left[i] && next[i] < lowest ? next[i] : lowest;
        if (lowest == UINT64_MAX)
            return n;
        gaps[n] = lowest;
        counts[n] = 0;
        for (int i = 0; i < 3; i++)
            if (left[i] && next[i] == lowest) {
                counts[n] += (double)left[i];
                next[i]++;
                left[i] = dj_histogram_next(from[i], &next[i]);
            }
        n++;
    }
}

static void list_firsts(const dj_joint_sharer *s, dj_window_data *out)
{
    double data = 0;
    for (uint64_t v = 0, n; (n = dj_histogram_next(s->first, &v)) != 0; v++) {
        data += (double)n;
        out->firsts[out->first_count] = v;
        out->first_data[out->first_count++] = data;
    }
}

static void average_times(const dj_joint_sharer *s, dj_window_data *out)
{
    uint64_t v = 0, n = dj_histogram_next(s->time, &v);
    while (n > 0) {
        const uint64_t bin = dj_fine_bin(v, DJ_JOINT_TIME_BITS);
        double sum = 0, all = 0;
        for (; n > 0 && dj_fine_bin(v, DJ_JOINT_TIME_BITS) == bin; v++, n = dj_histogram_next(s->time, &v)) {
            sum += (double)n * (double)v;
            all += (double)n;
        }
        out->bin_time[bin] = sum / all;
    }
}

static void list_gaps(const dj_joint_sharer *s, dj_window_data *out)
{
    const size_t n = out->gap_count = merge_gaps(s, out->gaps, out->gaps_from);
    out->gaps_from[n] = out->lengths_from[n] = 0;
    for (size_t i = n; i-- > 0;) {
        out->lengths_from[i] = out->lengths_from[i + 1] + out->gaps_from[i] * (double)out->gaps[i];
        out->gaps_from[i] += out->gaps_from[i + 1];
    }
}

// The first of `count` increasing values that is greater, or `count`.
static size_t first_above(const uint64_t *values, size_t count, double value)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((double)values[middle] > value)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// M(Δ) = N - Σ max(0, x - Δ) / (T - Δ + 1) over all gaps x.
static double mean_at(const dj_window_data *d, double length)
{
    if (length >= d->accesses)
        return d->data;
    const size_t low = first_above(d->gaps, d->gap_count, length);
    return d->data - (d->lengths_from[low] - length * d->gaps_from[low]) / (d->accesses - length + 1);
}

int dj_window_data_create(dj_context *context, const dj_joint_sharer *s, dj_window_data *out)
{
    const size_t firsts = values_in(s->first), most = values_in(s->time) + firsts + values_in(s->last);
    const size_t bins = (size_t)dj_fine_bin(s->accesses, DJ_JOINT_TIME_BITS) + 1;
    *out = (dj_window_data){.accesses = (double)s->accesses,
                            .data = (double)s->distinct,
                            .gaps = malloc((most + 1) * sizeof *out->gaps),
                            .gaps_from = malloc((most + 1) * sizeof *out->gaps_from),
                            .lengths_from = malloc((most + 1) * sizeof *out->lengths_from),
                            .firsts = malloc((firsts + 1) * sizeof *out->firsts),
                            .first_data = malloc((firsts + 1) * sizeof *out->first_data),
                            .short_mean = malloc(DJ_WINDOW_SHORT * sizeof *out->short_mean),
                            .bin_time = calloc(bins, sizeof *out->bin_time),
                            .windows = s->windows};
    if (!out->gaps || !out->gaps_from || !out->lengths_from || !out->firsts || !out->first_data ||
        !out->short_mean || !out->bin_time) {
        dj_window_data_free(out);
        return dj_fail_memory(context, "distinct data in windows", 3 * most * sizeof *out->gaps);
    }
    list_gaps(s, out);
    for (unsigned length = 0; length < DJ_WINDOW_SHORT; length++)
        out->short_mean[length] = mean_at(out, length);
    list_firsts(s, out);
    average_times(s, out);
    while (out->window_count < s->window_count && s->windows[out->window_count].windows >= WINDOWS_LEAST)
        out->window_count++;
    return DJ_OK;
}

void dj_window_data_free(dj_window_data *d)
{
    free(d->gaps);
    free(d->gaps_from);
    free(d->lengths_from);
    free(d->firsts);
    free(d->first_data);
    free(d->short_mean);
    free(d->bin_time);
    *d = (dj_window_data){0};
}

double dj_window_data_seen(const dj_window_data *d, double time)
{
    const size_t above = first_above(d->firsts, d->first_count, time);
    return above > 0 ? d->first_data[above - 1] : 0;
}

static double whole_mean(const dj_window_data *d, double length)
{
    return length < DJ_WINDOW_SHORT ? d->short_mean[(size_t)length] : mean_at(d, length);
}

static double in_phases(const dj_window_data *d, const double *values, double length)
{
    const size_t bin = (size_t)dj_fine_bin((uint64_t)length, DJ_WINDOW_BITS);
    if (bin + 1 >= d->phase_bins)
        return values[d->phase_bins - 1];
    const double low = (double)dj_fine_bin_low(bin, DJ_WINDOW_BITS);
    const double next = (double)dj_fine_bin_low(bin + 1, DJ_WINDOW_BITS);
    return values[bin] + (length - low) / (next - low) * (values[bin + 1] - values[bin]);
}

double dj_window_data_mean(const dj_window_data *d, double length)
{
    if (length <= 0)
        return 0;
    if (d->phase_mean)
        return in_phases(d, d->phase_mean, length);
    const double below = floor(length), part = length - below, mean = whole_mean(d, below);
    return part > 0 ? mean + part * (whole_mean(d, below + 1) - mean) : mean;
}

// The standard deviation is interpolated between powers of two. Windows that are almost as long as the trace
// overlap, so their counts hardly differ.
double dj_window_data_variance(const dj_window_data *d, double length)
{
    if (length <= 1 || length >= d->accesses)
        return 0;
    const double position = d->phase_mean ? in_phases(d, d->phase_variance, length) : 0;
    if (d->window_count == 0)
        return position;
    const double level = log2(length), whole = floor(level), part = level - whole;
    const size_t at = (size_t)whole; // windows[at - 1] has length 2^at
    if (at >= d->window_count)
        return position + d->windows[d->window_count - 1].variance * (1 - length / d->accesses);
    const double from = at > 0 ? sqrt(d->windows[at - 1].variance) : 0, to = sqrt(d->windows[at].variance);
    const double deviation = from + part * (to - from);
    return position + deviation * deviation;
}

int dj_corun_distinct(dj_context *context, const dj_joint_sharer *sharer, const double *lengths, size_t count,
                      double *out)
{
    dj_window_data distinct;
    int err = dj_window_data_create(context, sharer, &distinct);
    for (size_t i = 0; !err && i < count; i++)
        out[i] = dj_window_data_mean(&distinct, lengths[i]);
    if (!err)
        dj_window_data_free(&distinct);
    return err;
}
