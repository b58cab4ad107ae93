// SPDX-License-Identifier: MIT
// Fits are least squares of the relative error. Which functions a fit has is decided by cross-validation:
// each value is predicted from the others, and a fit with more terms has to be better by a clear margin.
#include "model/predict/trend.h"

#include <math.h>
#include <string.h>

// Distances are whole numbers, and small ones are off by as much as large ones.
static const double ROUNDING = 0.5;
// A fit that is off by less is as good as any.
static const double GOOD_ENOUGH = 2e-4;
// A second function has to reduce the error by this much; so has any function, against a constant.
static const double CLEARLY = 0.4;

// How much more than others the prediction of the largest input counts: predictions go beyond it.
static const double LAST = 10;

static const double powers[DJ_GROWTHS] = {
    [DJ_GROWTH_CONSTANT] = 0,
    [DJ_GROWTH_CUBE_ROOT] = 1.0 / 3,
    [DJ_GROWTH_SQUARE_ROOT] = 0.5,
    [DJ_GROWTH_TWO_THIRDS] = 2.0 / 3,
    [DJ_GROWTH_LINEAR] = 1,
    [DJ_GROWTH_N_LOG_N] = 1,
    [DJ_GROWTH_FOUR_THIRDS] = 4.0 / 3,
    [DJ_GROWTH_THREE_HALVES] = 1.5,
    [DJ_GROWTH_FIVE_THIRDS] = 5.0 / 3,
    [DJ_GROWTH_SQUARE] = 2,
    [DJ_GROWTH_CUBE] = 3,
    [DJ_GROWTH_SETTLES] = -0.5,
    [DJ_GROWTH_SETTLES_FAST] = -1,
};

double dj_growth_at(enum dj_growth growth, double size)
{
    if (growth == DJ_GROWTH_N_LOG_N)
        return size * log2(size + 1);
    return growth == DJ_GROWTH_CONSTANT ? 0 : pow(size, powers[growth]);
}

double dj_trend_at(const dj_trend *fit, double size)
{
    double value = fit->constant;
    for (size_t i = 0; i < fit->terms; i++)
        value += fit->factor[i] * (fit->growth[i] == DJ_GROWTH_POWER ? pow(size, fit->power)
                                                                     : dj_growth_at(fit->growth[i], size));
    return fmax(value, 0);
}

enum { UNKNOWNS = DJ_TREND_TERMS + 1 };

// Solves linear equations by elimination with pivots. False: they have no unique solution.
static bool solve(double m[UNKNOWNS][UNKNOWNS + 1], size_t n)
{
    static const double SINGULAR = 1e-13;
    for (size_t i = 0; i < n; i++) {
        size_t pivot = i;
        for (size_t r = i + 1; r < n; r++)
            pivot = fabs(m[r][i]) > fabs(m[pivot][i]) ? r : pivot;
        if (!(fabs(m[pivot][i]) > SINGULAR))
            return false;
        for (size_t c = 0; c <= n; c++) {
            const double swapped = m[i][c];
            m[i][c] = m[pivot][c];
            m[pivot][c] = swapped;
        }
        for (size_t r = 0; r < n; r++) {
            const double factor = r == i ? 0 : m[r][i] / m[i][i];
            for (size_t c = i; c <= n; c++)
                m[r][c] -= factor * m[i][c];
        }
    }
    return true;
}

typedef struct series {
    const double *sizes, *values;
    size_t count;
    size_t without; // the index of a value that is left out; `count`: none
    double largest;
} series;

// A straight line between the logarithms. A quantity of 0 has none.
static bool fit_power(const series *s, dj_trend *fit)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (i == s->without)
            continue;
        if (s->values[i] < 1)
            return false;
        const double lx = log(s->sizes[i]), ly = log(s->values[i]);
        n++;
        x += lx;
        y += ly;
        xx += lx * lx;
        xy += lx * ly;
    }
    fit->power = (n * xy - x * y) / (n * xx - x * x);
    fit->factor[0] = exp((y - fit->power * x) / n);
    return fit->power >= 0 && fit->power <= 1.2;
}

static bool settles(enum dj_growth growth)
{
    return growth == DJ_GROWTH_SETTLES || growth == DJ_GROWTH_SETTLES_FAST;
}

// The best factors for the functions of `fit`. False: there are none, or the quantity would shrink.
static bool fit_factors(const series *s, dj_trend *fit)
{
    double m[UNKNOWNS][UNKNOWNS + 1] = {{0}}, unit[UNKNOWNS] = {1};
    const size_t unknowns = fit->terms + 1;
    if (fit->terms == 1 && fit->growth[0] == DJ_GROWTH_POWER)
        return fit_power(s, fit);
    for (size_t k = 0; k < fit->terms; k++)
        unit[k + 1] = dj_growth_at(fit->growth[k], s->sizes[s->count - 1]);
    for (size_t i = 0; i < s->count; i++) {
        double row[UNKNOWNS] = {1}, weight = (s->largest + ROUNDING) / (s->values[i] + ROUNDING);
        if (i == s->without)
            continue;
        for (size_t k = 0; k < fit->terms; k++)
            row[k + 1] = dj_growth_at(fit->growth[k], s->sizes[i]) / unit[k + 1];
        for (size_t r = 0; r < unknowns; r++) {
            for (size_t c = 0; c < unknowns; c++)
                m[r][c] += weight * weight * row[r] * row[c];
            m[r][unknowns] += weight * weight * row[r] * s->values[i] / (s->largest + ROUNDING);
        }
    }
    if (!solve(m, unknowns))
        return false;
    fit->constant = m[0][unknowns] / m[0][0] * (s->largest + ROUNDING);
    for (size_t k = 0; k < fit->terms; k++)
        fit->factor[k] = m[k + 1][unknowns] / m[k + 1][k + 1] * (s->largest + ROUNDING) / unit[k + 1];
    if (fit->terms > 0 && settles(fit->growth[0]))
        return fit->constant >= 0;
    return fit->terms == 0 || fit->factor[0] >= 0;
}

static double off(const series *s, const dj_trend *fit, size_t i)
{
    return fabs(dj_trend_at(fit, s->sizes[i]) - s->values[i]) / (s->values[i] + ROUNDING);
}

// Predicts each value from the others. False: too few values for these functions.
static bool validate(const series *s, dj_trend *fit)
{
    double sum = 0;
    if (s->count <= fit->terms + 1)
        return false;
    for (size_t i = 0; i < s->count; i++) {
        series others = *s;
        dj_trend trial = *fit;
        others.without = i;
        if (!fit_factors(&others, &trial))
            return false;
        const double error = off(s, &trial, i);
        sum += error * error * (i + 1 == s->count ? LAST : 1);
    }
    fit->error = sqrt(sum / ((double)s->count - 1 + LAST));
    return fit_factors(s, fit);
}

typedef struct candidate {
    size_t terms;
    enum dj_growth growth[DJ_TREND_TERMS];
    bool counts_only;
} candidate;

static const candidate candidates[] = {
    {1, {DJ_GROWTH_SETTLES_FAST}, false},
    {1, {DJ_GROWTH_SETTLES}, false},
    {1, {DJ_GROWTH_CUBE_ROOT}, false},
    {1, {DJ_GROWTH_SQUARE_ROOT}, false},
    {1, {DJ_GROWTH_TWO_THIRDS}, false},
    {1, {DJ_GROWTH_LINEAR}, false},
    {1, {DJ_GROWTH_N_LOG_N}, false},
    {1, {DJ_GROWTH_POWER}, false},
    {1, {DJ_GROWTH_FOUR_THIRDS}, true},
    {1, {DJ_GROWTH_THREE_HALVES}, true},
    {1, {DJ_GROWTH_FIVE_THIRDS}, true},
    {1, {DJ_GROWTH_SQUARE}, true},
    {1, {DJ_GROWTH_CUBE}, true},
    {2, {DJ_GROWTH_LINEAR, DJ_GROWTH_SQUARE_ROOT}, false},
    {2, {DJ_GROWTH_TWO_THIRDS, DJ_GROWTH_CUBE_ROOT}, false},
    {2, {DJ_GROWTH_LINEAR, DJ_GROWTH_TWO_THIRDS}, false},
    {2, {DJ_GROWTH_LINEAR, DJ_GROWTH_CUBE_ROOT}, false},
    {2, {DJ_GROWTH_N_LOG_N, DJ_GROWTH_LINEAR}, false},
    {2, {DJ_GROWTH_THREE_HALVES, DJ_GROWTH_LINEAR}, true},
    {2, {DJ_GROWTH_FOUR_THIRDS, DJ_GROWTH_LINEAR}, true},
    {2, {DJ_GROWTH_SQUARE, DJ_GROWTH_LINEAR}, true},
    {2, {DJ_GROWTH_SQUARE, DJ_GROWTH_THREE_HALVES}, true},
    {2, {DJ_GROWTH_CUBE, DJ_GROWTH_SQUARE}, true},
};

dj_trend dj_trend_find(enum dj_trend_kind kind, const double *sizes, const double *values, size_t count)
{
    series s = {.sizes = sizes, .values = values, .count = count, .without = count};
    dj_trend best = {0};
    for (size_t i = 0; i < count; i++)
        s.largest = fmax(s.largest, values[i]);
    if (!validate(&s, &best)) {
        best.constant = values[count - 1];
        best.error = 1;
    }
    dj_trend single = best;
    size_t terms = 0;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        const candidate *c = &candidates[i];
        dj_trend fit = {.terms = c->terms, .growth = {c->growth[0], c->growth[1]}};
        if (c->counts_only && kind != DJ_TREND_COUNT)
            continue;
        if (c->terms > terms) {
            single = best;
            terms = c->terms;
        }
        if (!validate(&s, &fit) || fmax(fit.error, GOOD_ENOUGH) > CLEARLY * fmax(single.error, GOOD_ENOUGH))
            continue;
        if (best.terms < fit.terms || fit.error < best.error)
            best = fit;
    }
    return best;
}

const char *dj_growth_name(enum dj_growth growth)
{
    static const char *const names[DJ_GROWTHS] = {
        [DJ_GROWTH_CONSTANT] = "constant",
        [DJ_GROWTH_CUBE_ROOT] = "cube root",
        [DJ_GROWTH_SQUARE_ROOT] = "square root",
        [DJ_GROWTH_TWO_THIRDS] = "two thirds power",
        [DJ_GROWTH_LINEAR] = "linear",
        [DJ_GROWTH_N_LOG_N] = "n log n",
        [DJ_GROWTH_POWER] = "power",
        [DJ_GROWTH_FOUR_THIRDS] = "four thirds power",
        [DJ_GROWTH_THREE_HALVES] = "three halves power",
        [DJ_GROWTH_FIVE_THIRDS] = "five thirds power",
        [DJ_GROWTH_SQUARE] = "square",
        [DJ_GROWTH_CUBE] = "cube",
        [DJ_GROWTH_SETTLES] = "constant",
        [DJ_GROWTH_SETTLES_FAST] = "constant",
    };
    return (unsigned)growth < DJ_GROWTHS ? names[growth] : "unknown";
}

enum dj_growth dj_trend_growth(const dj_trend *fit)
{
    if (fit->terms == 0 || settles(fit->growth[0]))
        return DJ_GROWTH_CONSTANT;
    if (fit->growth[0] != DJ_GROWTH_POWER)
        return fit->growth[0];
    enum dj_growth nearest = DJ_GROWTH_CONSTANT;
    for (enum dj_growth g = DJ_GROWTH_CONSTANT; g <= DJ_GROWTH_LINEAR; g++)
        if (fabs(powers[g] - fit->power) < fabs(powers[nearest] - fit->power))
            nearest = g;
    return nearest;
}
