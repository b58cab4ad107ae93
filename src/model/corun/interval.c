// SPDX-License-Identifier: MIT
// In an order that was recorded, the accesses of all others between two of member 0 have the distribution
// that was measured. At random, the accesses of all others during t accesses of member 0 have a negative
// binomial distribution with mean t R and variance t R (1 + R), where R is the sum of their relative speeds,
// and each is by member i with probability r_i / R.
#include "model/corun/interval.h"

#include <math.h>

enum { CASES_BELOW = 16, WINDOWS_LEAST = 8 }; // accesses of member 0, windows of a length

// Intervals of about this length in the order that was recorded, scaled to it.
static void list_recorded(const dj_joint_sharer *s, double length, dj_interval_cases *out)
{
    double windows = 0;
    uint64_t chosen = 1;
    for (size_t i = 0; i < s->turn_count; i++) // long ones are rare
        if ((double)s->turns[i].length <= length * 1.42 && s->accesses / s->turns[i].length >= WINDOWS_LEAST)
            chosen = s->turns[i].length;
    for (size_t i = 0; i < s->turn_count; i++) {
        const dj_joint_turn *t = &s->turns[i];
        if (t->length != chosen || out->count == DJ_INTERVAL_CASES)
            continue;
        out->cases[out->count].chance = (double)t->windows;
        out->cases[out->count++].accesses =
            (double)t->others / (double)t->windows * (length / (double)chosen);
        windows += (double)t->windows;
    }
    for (size_t i = 0; i < out->count; i++)
        out->cases[i].chance /= windows;
}

void dj_interval_list_cases(const dj_company *c, double length, dj_interval_cases *out)
{
    out->count = 0;
    if (c->count < 2)
        return;
    if (c->order == DJ_CORUN_RECORDED)
        list_recorded(c->profile, length, out);
    if (c->order != DJ_CORUN_RANDOM || length >= CASES_BELOW)
        return;
    const double rate = dj_company_rate(c), repeat = rate / (1 + rate);
    const double end = length * rate + 7 * sqrt(length * rate * (1 + rate)) + 12;
    const size_t stride = (size_t)(end / DJ_INTERVAL_CASES) + 1;
    double chance = pow(1 - repeat, length), all = 0;
    for (size_t from = 0; out->count < DJ_INTERVAL_CASES; from += stride) {
        double sum = 0, mean = 0;
        for (size_t i = from; i < from + stride; i++) {
            const double d = (double)i;
            sum += chance;
            mean += chance * d;
            chance *= repeat * (d + length) / (d + 1);
        }
        if (sum > 0) {
            out->cases[out->count].chance = sum;
            out->cases[out->count++].accesses = mean / sum;
            all += sum;
        }
        if ((double)from > end)
            break;
    }
    for (size_t i = 0; i < out->count; i++)
        out->cases[i].chance /= all;
}

// For a number of accesses with a mean and a variance. Without a variance it is one of the two integers
// around the mean.
static void measure_one(const dj_window_data *d, double mean, double variance, double *number, double *out)
{
    const double below = floor(mean), part = mean - below;
    *number = dj_window_data_mean(d, mean);
    *out = dj_window_data_variance(d, mean);
    double step = dj_window_data_mean(d, below + 1) - dj_window_data_mean(d, below);
    if (variance > part * (1 - part)) {
        const double reach = variance > 1 ? floor(sqrt(variance)) : 1, low = mean > reach ? mean - reach : 0;
        const double up = dj_window_data_mean(d, mean + reach), down = dj_window_data_mean(d, low);
        step = (up - down) / (mean + reach - low);
        if (low > 0)
            *number += (up - 2 * *number + down) / (2 * reach * reach) * variance;
        *number = *number > 0 ? *number : 0;
    } else {
        variance = part * (1 - part);
    }
    *out += step * step * variance;
}

void dj_interval_measure(const dj_company *c, double length, dj_interval_data *out)
{
    for (size_t i = 1; i < c->count; i++) {
        const double mean = length * c->ratio[i];
        measure_one(c->distinct[i], mean, c->order == DJ_CORUN_RANDOM ? mean * (1 + c->ratio[i]) : 0,
                    &out->number[i], &out->variance[i]);
    }
}

void dj_interval_measure_case(const dj_company *c, double accesses, dj_interval_data *out)
{
    const double rate = dj_company_rate(c);
    for (size_t i = 1; i < c->count; i++) {
        const double chance = c->ratio[i] / rate;
        measure_one(c->distinct[i], accesses * chance,
                    c->order == DJ_CORUN_RANDOM ? accesses * chance * (1 - chance) : 0, &out->number[i],
                    &out->variance[i]);
    }
}
