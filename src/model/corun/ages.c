// SPDX-License-Identifier: MIT
#include "model/corun/ages.h"

#include "base/fine_bins.h"
#include "model/corun/interval.h"
#include "model/corun/overlap.h"

static double bin_low(size_t bin)
{
    return (double)dj_fine_bin_low(bin, DJ_AGE_BITS);
}

static size_t bin_of(const dj_ages *a, double age)
{
    const size_t bin = (size_t)dj_fine_bin((uint64_t)age, DJ_AGE_BITS);
    return bin < a->bin_count ? bin : a->bin_count - 1;
}

void dj_ages_set(dj_ages *a, const dj_company *c)
{
    *a = (dj_ages){.company = c};
    a->bin_count = (size_t)dj_fine_bin((uint64_t)c->distinct[0]->accesses, DJ_AGE_BITS) + 1;
    a->bin_count = a->bin_count < DJ_AGE_BINS ? a->bin_count : DJ_AGE_BINS;
    for (size_t i = 1; i < c->count; i++)
        for (size_t m = 0; m < c->class_count; m++)
            if (c->classes[m].members & 1 && c->classes[m].members >> i & 1)
                a->shared[i] += c->classes[m].blocks / c->distinct[0]->data;
}

// The share of the data of member 0 that some other member accesses.
static double chance_of(const dj_company *c, const double *uncovered)
{
    double chance = 0;
    for (size_t m = 0; m < c->class_count; m++)
        if (c->classes[m].members & 1)
            chance += c->classes[m].blocks / c->distinct[0]->data *
                      (1 - dj_company_missed(c, c->classes[m].members, uncovered));
    return chance < 1 ? chance : 1;
}

// If the others make `accesses`.
static double chance_at(const dj_ages *a, double accesses, double rate)
{
    const dj_company *c = a->company;
    double uncovered[DJ_CORUN_MOST];
    for (size_t i = 1; i < c->count; i++)
        uncovered[i] = a->shared[i] > 0
                           ? 1 - dj_window_data_mean(c->distinct[i], accesses * c->ratio[i] / rate) /
                                     c->distinct[i]->data
                           : 1;
    return chance_of(c, uncovered);
}

double dj_ages_chance(const dj_ages *a, double age)
{
    const dj_company *c = a->company;
    dj_interval_cases cases = {.count = 0};
    double chance = 0;
    if (c->class_count == 0)
        return 0;
    const double rate = dj_company_rate(c);
    if (c->order == DJ_CORUN_RECORDED)
        dj_interval_list_cases(c, age, &cases);
    for (size_t k = 0; k < cases.count; k++)
        chance += cases.cases[k].chance * chance_at(a, cases.cases[k].accesses, rate);
    return cases.count > 0 ? chance : chance_at(a, age * rate, rate);
}

void dj_ages_add(dj_ages *a, double age, double weight)
{
    a->pending[bin_of(a, age)] += weight;
}

static double found_chance(const dj_ages *a, double time)
{
    const dj_company *c = a->company;
    double uncovered[DJ_CORUN_MOST];
    for (size_t i = 1; i < c->count; i++)
        uncovered[i] = a->shared[i] > 0 ? 1 - dj_window_data_seen(c->distinct[i], time * c->ratio[i]) /
                                                  c->distinct[i]->data
                                        : 1;
    return chance_of(c, uncovered);
}

double dj_ages_add_found(dj_ages *a)
{
    const dj_company *c = a->company;
    double all = 0, before = 0;
    for (size_t bin = 0; c->class_count > 0 && bin < a->bin_count; bin++) {
        const double low = bin_low(bin), last = bin_low(bin + 1) - 1;
        const double seen = dj_window_data_seen(c->distinct[0], last), firsts = seen - before;
        before = seen;
        if (firsts <= 0)
            continue;
        const double found = firsts * dj_company_part(c, low - 1, last) * found_chance(a, 0.5 * (low + last));
        a->pending[bin] += found;
        all += found;
    }
    return all;
}

// Expected distance at this age: the others' accesses are between those of member 0, and the one that broke
// the reuse does not count.
static void add_law(const dj_ages *a, double age, double weight, dj_interval_data *data,
                    dj_expected *expected)
{
    const dj_company *c = a->company;
    dj_overlap overlap;
    double sharing = 0;
    for (size_t i = 1; i < c->count; i++)
        sharing += a->shared[i] * c->ratio[i];
    for (size_t i = 1; i < c->count; i++) {
        const double breaks = sharing > 0 ? a->shared[i] * c->ratio[i] / sharing : 0;
        const double length = (age - 0.5) * c->ratio[i], left = c->distinct[i]->data - data->number[i];
        data->number[i] -= dj_window_data_mean(c->distinct[i], length) -
                           dj_window_data_mean(c->distinct[i], length - 0.5 * breaks);
        data->number[i] -= (a->shared[i] < 1 ? a->shared[i] : 1) * data->variance[i] / (left > 1 ? left : 1);
        data->number[i] = data->number[i] > 0 ? data->number[i] : 0;
    }
    dj_overlap_set(&overlap, c, data->number, data->variance);
    const double own = dj_window_data_mean(c->distinct[0], age - 1);
    const dj_overlap_law law = dj_overlap_of(&overlap, own, dj_window_data_variance(c->distinct[0], age - 1));
    dj_expected_add_normal(expected, weight, law.mean, law.variance, 0, c->distinct[0]->data + overlap.most);
}

// In an order that was recorded, the more the others do in this time, the likelier one of them was the
// access.
static void add_age(const dj_ages *a, double age, double weight, dj_expected *expected)
{
    const dj_company *c = a->company;
    dj_interval_data data = {{0}, {0}};
    dj_interval_cases cases = {.count = 0};
    double all = 0;
    if (c->order == DJ_CORUN_RECORDED)
        dj_interval_list_cases(c, age - 0.5, &cases);
    for (size_t k = 0; k < cases.count; k++)
        all += cases.cases[k].chance * cases.cases[k].accesses;
    for (size_t k = 0; all > 0 && k < cases.count; k++) {
        const double part = cases.cases[k].chance * cases.cases[k].accesses / all;
        if (part == 0)
            continue;
        dj_interval_measure_case(c, cases.cases[k].accesses, &data);
        add_law(a, age, weight * part, &data, expected);
    }
    if (all > 0)
        return;
    dj_interval_measure(c, age - 0.5, &data);
    add_law(a, age, weight, &data, expected);
}

// An access with a known bound has each age below it with a probability in proportion to the growth of the
// chance. Those of the bin itself are treated as being at its end.
void dj_ages_spread(const dj_ages *a, dj_expected *expected)
{
    double growth[DJ_AGE_BINS], reached[DJ_AGE_BINS], before = 0, waiting = 0;
    if (a->company->class_count == 0)
        return;
    for (size_t bin = 0; bin < a->bin_count; bin++) {
        reached[bin] = dj_ages_chance(a, bin_low(bin + 1) - 1);
        growth[bin] = reached[bin] - before;
        before = reached[bin];
    }
    for (size_t bin = a->bin_count; bin-- > 0;) {
        waiting += reached[bin] > 0 ? a->pending[bin] / reached[bin] : 0;
        if (bin > 0 && waiting * growth[bin] > 0)
            add_age(a, 0.5 * (bin_low(bin) + bin_low(bin + 1) - 1), waiting * growth[bin], expected);
        else if (bin == 0 && a->pending[0] > 0)
            dj_expected_add(expected, a->pending[0], 0);
    }
}
