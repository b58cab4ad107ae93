// SPDX-License-Identifier: MIT
#include "render/chart.h"

#include <math.h>
#include <string.h>

#include "base/human.h"

double dj_chart_span(const dj_chart *chart)
{
    double span = log2(chart->last) - log2(chart->first);
    return span > 0 && isfinite(span) ? span : 1;
}

double dj_chart_place(const dj_chart *chart, double x)
{
    if (chart->linear)
        return chart->last > chart->first ? (x - chart->first) / (chart->last - chart->first) : 0;
    return log2(x / chart->first) / dj_chart_span(chart);
}

double dj_chart_at(const dj_chart *chart, double place)
{
    return chart->linear ? chart->first + (chart->last - chart->first) * place
                         : chart->first * exp2(dj_chart_span(chart) * place);
}

// The last point not beyond x; count: none.
static size_t find(const dj_series *series, double x)
{
    size_t low = 0, high = series->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (series->x[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : series->count;
}

double dj_series_at(const dj_series *series, double x)
{
    size_t at = find(series, x);
    if (at == series->count || series->kind == DJ_SERIES_DOTS)
        return NAN;
    if (series->kind == DJ_SERIES_STEPS || series->x[at] >= x)
        return series->y[at];
    if (at + 1 == series->count)
        return NAN;
    double whole = log2(series->x[at + 1] / series->x[at]), part = log2(x / series->x[at]);
    return series->y[at] + (series->y[at + 1] - series->y[at]) * (whole > 0 ? part / whole : 0);
}

double dj_chart_top(const dj_chart *chart)
{
    static const double tops[] = {0.001, 0.002, 0.004, 0.01, 0.02, 0.04, 0.08, 0.12, 0.2, 0.4, 0.6, 0.8, 1};
    double most = 0;
    size_t at = 0;
    for (size_t i = 0; i < chart->series_count; i++) {
        const dj_series *series = &chart->series[i];
        double first = dj_series_at(series, chart->first);
        most = first > most ? first : most;
        for (size_t k = 0; k < series->count; k++)
            if (series->x[k] >= chart->first && series->x[k] <= chart->last && series->y[k] > most)
                most = series->y[k];
    }
    while (most > tops[at] && tops[at] < 1)
        at++;
    return tops[at];
}

// 1, 2 or 5 times a power of ten, such that `labels` fit.
static double linear_step(const dj_chart *chart, double labels)
{
    const double least = (chart->last - chart->first) / fmax(labels, 1);
    const double power = least > 0 && isfinite(least) ? pow(10, floor(log10(least))) : 1;
    return power * (least <= power ? 1 : least <= 2 * power ? 2 : least <= 5 * power ? 5 : 10);
}

double dj_chart_tick(const dj_chart *chart, double labels, unsigned k)
{
    static const unsigned steps[] = {1, 2, 3, 4, 5, 10, 20};
    unsigned i = 0;
    if (chart->linear)
        return k * linear_step(chart, labels);
    while (i < 6 && dj_chart_span(chart) / steps[i] > labels)
        i++;
    return k % steps[i] == 0 ? exp2(k) : NAN;
}

const char *dj_chart_label(const dj_chart *chart, double x, char *to)
{
    if (chart->linear)
        return dj_human_short(to, x);
    return strcmp(chart->x_unit, "bytes") == 0 ? dj_human_bytes(to, (uint64_t)x)
                                               : dj_human_size(to, (uint64_t)x);
}
