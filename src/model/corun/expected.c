// SPDX-License-Identifier: MIT
#include "model/corun/expected.h"

#include <math.h>
#include <stdlib.h>

#include "base/fine_bins.h"

enum { REACH = 4, STEPS_MOST = 128 }; // of a normal distribution: standard deviations, points

int dj_expected_create(dj_context *context, uint64_t most, dj_expected *out)
{
    const size_t count = (size_t)dj_fine_bin(most, DJ_EXPECTED_BITS) + 1;
    *out = (dj_expected){.most = most,
                         .count = count,
                         .weight = calloc(count, sizeof *out->weight),
                         .spread = calloc(count, sizeof *out->spread)};
    if (out->weight && out->spread)
        return DJ_OK;
    dj_expected_free(out);
    return dj_fail_memory(context, "a prediction", 2 * count * sizeof *out->weight);
}

void dj_expected_free(dj_expected *e)
{
    free(e->weight);
    free(e->spread);
    *e = (dj_expected){0};
}

static inline size_t bin_of(const dj_expected *e, double distance)
{
    const uint64_t at = distance <= 0 ? 0 : distance >= (double)e->most ? e->most : (uint64_t)distance;
    return (size_t)dj_fine_bin(at, DJ_EXPECTED_BITS);
}

void dj_expected_add(dj_expected *e, double weight, double distance)
{
    const double below = floor(distance), part = distance - below;
    e->weight[bin_of(e, below)] += weight * (1 - part);
    if (part > 0)
        e->weight[bin_of(e, below + 1)] += weight * part;
}

void dj_expected_add_below(dj_expected *e, double weight, double distance)
{
    const double below = floor(distance), part = distance - below;
    e->spread[bin_of(e, below)] += weight * (1 - part) / (below + 1);
    if (part > 0)
        e->spread[bin_of(e, below + 1)] += weight * part / (below + 2);
}

static double normal_below(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

// Differences of the distribution function: for narrow distributions, whose density varies between integers.
static void add_narrow(dj_expected *e, double weight, double mean, double deviation, double from, double end)
{
    double below = normal_below((from - 0.5 - mean) / deviation);
    const double all = normal_below((end + 0.5 - mean) / deviation) - below;
    if (all <= 0) {
        dj_expected_add(e, weight, mean);
        return;
    }
    const size_t count = (size_t)(end - from) + 1;
    for (size_t i = 0; i < count; i++) {
        const double k = from + (double)i;
        const double next = normal_below((k + 0.5 - mean) / deviation);
        e->weight[bin_of(e, k)] += weight * (next - below) / all;
        below = next;
    }
}

// The density at each point, from the one before: d(k + s) = d(k) * step(k), step(k + s) = step(k) * change.
static void add_wide(dj_expected *e, double weight, double mean, double variance, double from, double end)
{
    const double stride = floor((end - from) / STEPS_MOST) + 1;
    const double change = exp(-stride * stride / variance);
    const double first = exp(-(from - mean) * (from - mean) / (2 * variance));
    const double first_step = exp(-stride * (2 * (from - mean) + stride) / (2 * variance));
    double all = 0, density = first, step = first_step;
    const size_t count = (size_t)((end - from) / stride) + 1;
    for (size_t i = 0; i < count; i++, density *= step, step *= change)
        all += density;
    density = first;
    step = first_step;
    const bool exact = stride == 1 && end < 2 << DJ_EXPECTED_BITS && end <= (double)e->most;
    for (size_t i = 0; i < count; i++, density *= step, step *= change)
        e->weight[exact ? (size_t)from + i : bin_of(e, from + (double)i * stride)] += weight / all * density;
}

void dj_expected_add_normal(dj_expected *e, double weight, double mean, double variance, double low,
                            double high)
{
    mean = mean < low ? low : mean > high ? high : mean;
    const double part = mean - floor(mean);
    if (variance <= part * (1 - part) + 0.02) { // no integers but the two around it
        dj_expected_add(e, weight, mean);
        return;
    }
    const double deviation = sqrt(variance);
    double from = ceil(mean - REACH * deviation - 0.5), end = floor(mean + REACH * deviation + 0.5);
    from = from < ceil(low) ? ceil(low) : from;
    end = end > floor(high) ? floor(high) : end;
    if (end <= from)
        dj_expected_add(e, weight, mean);
    else if (variance < 1)
        add_narrow(e, weight, mean, sqrt(variance > 1.0 / 11 ? variance - 1.0 / 12 : 1.0 / 132), from, end);
    else
        add_wide(e, weight, mean, variance, from, end);
}

static uint64_t highest_of(const dj_expected *e, size_t bin)
{
    return bin + 1 < e->count ? dj_fine_bin_low(bin + 1, DJ_EXPECTED_BITS) - 1 : e->most;
}

int dj_expected_finish(dj_expected *e, dj_context *context, double cold, dj_prediction *out)
{
    double spread = 0; // per distance
    *out = (dj_prediction){.cold = cold, .broken = e->broken};
    for (size_t i = e->count; i-- > 0;) {
        spread += e->spread[i];
        e->weight[i] += spread * (double)(highest_of(e, i) - dj_fine_bin_low(i, DJ_EXPECTED_BITS) + 1);
        out->bin_count += e->weight[i] > 0;
    }
    out->bins = malloc((out->bin_count + 1) * sizeof *out->bins);
    if (!out->bins)
        return dj_fail_memory(context, "a prediction", out->bin_count * sizeof *out->bins);
    dj_expected_bin *to = out->bins;
    for (size_t i = 0; i < e->count; i++)
        if (e->weight[i] > 0) {
            *to++ = (dj_expected_bin){dj_fine_bin_low(i, DJ_EXPECTED_BITS), highest_of(e, i), e->weight[i]};
            out->reuses += e->weight[i];
        }
    return DJ_OK;
}

void dj_prediction_free(dj_prediction *prediction)
{
    free(prediction->bins);
    free(prediction->model);
    *prediction = (dj_prediction){0};
}
