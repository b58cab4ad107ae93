// SPDX-License-Identifier: MIT
#include "model/predict/forecast.h"

#include <math.h>
#include <stdlib.h>

void dj_forecast_free(dj_forecast *forecast)
{
    free(forecast->counts);
    free(forecast->groups);
    *forecast = (dj_forecast){0};
}

// Each layer has groups in proportion to its reuses at the largest input.
static size_t groups_of(const dj_alignment *layers, size_t last, size_t layer, size_t groups)
{
    enum { LEAST = 4 };
    const double *cuts = layers->cuts[last];
    const double share = cuts[layers->count] > 0 ? (cuts[layer + 1] - cuts[layer]) / cuts[layers->count] : 1;
    const size_t count = (size_t)ceil(share * (double)groups);
    return count < LEAST ? LEAST : count;
}

static void fit_layer(const dj_signature *const *signatures, const double *sizes, size_t count,
                      const dj_alignment *layers, size_t layer, size_t groups, dj_forecast *out)
{
    double values[DJ_PREDICT_INPUTS];
    for (size_t i = 0; i < count; i++)
        values[i] = layers->cuts[i][layer + 1] - layers->cuts[i][layer];
    out->counts[layer] = dj_trend_find(DJ_TREND_COUNT, sizes, values, count);
    for (size_t g = 0; g < groups; g++) {
        dj_forecast_group *group = &out->groups[out->group_count++];
        for (size_t i = 0; i < count; i++) {
            const double begin = layers->cuts[i][layer],
                         width = (layers->cuts[i][layer + 1] - begin) / (double)groups;
            values[i] =
                dj_signature_mean(signatures[i], begin + (double)g * width, begin + (double)(g + 1) * width);
        }
        *group = (dj_forecast_group){layer, 1 / (double)groups,
                                     dj_trend_find(DJ_TREND_DISTANCE, sizes, values, count)};
    }
}

// Data that do not grow, such as those of the C library, make counts a complicated function of the data,
// though they are a simple one of the input.
static dj_forecast_count fit_count(const dj_forecast_request *r, const double *values,
                                   const dj_forecast_count *like)
{
    static const double CLEARLY = 0.5;
    const dj_trend of_data = dj_trend_find(DJ_TREND_COUNT, r->sizes, values, r->count);
    const dj_trend of_input = dj_trend_find(DJ_TREND_COUNT, r->inputs, values, r->count);
    const bool by_input = like ? like->by_input : of_input.error < CLEARLY * of_data.error;
    return (dj_forecast_count){by_input ? of_input : of_data, by_input};
}

static double total_at(const dj_forecast_count *total, double size, double input)
{
    return dj_trend_at(&total->trend, total->by_input ? input : size);
}

int dj_forecast_create(dj_context *context, const dj_forecast_request *request, dj_forecast *out)
{
    const dj_forecast_request *r = request;
    double totals[DJ_PREDICT_INPUTS];
    size_t total = 0;
    *out = (dj_forecast){0};
    dj_alignment *layers = malloc(sizeof *layers);
    int err = layers ? dj_align(context, r->signatures, r->sizes, r->count, r->layers, layers)
                     : dj_fail_memory(context, "a prediction", sizeof *layers);
    for (size_t h = 0; !err && h < layers->count; h++)
        total += groups_of(layers, r->count - 1, h, r->groups);
    if (!err) {
        out->layer_count = layers->count;
        out->counts = calloc(layers->count + 1, sizeof *out->counts);
        out->groups = calloc(total + 1, sizeof *out->groups);
        if (!out->counts || !out->groups)
            err = dj_fail_memory(context, "a prediction", total * sizeof *out->groups);
    }
    for (size_t h = 0; !err && h < layers->count; h++)
        fit_layer(r->signatures, r->sizes, r->count, layers, h, groups_of(layers, r->count - 1, h, r->groups),
                  out);
    for (size_t i = 0; i < r->count; i++)
        totals[i] = r->signatures[i]->cold;
    out->cold = fit_count(r, totals, r->like ? &r->like->cold : NULL);
    for (size_t i = 0; i < r->count; i++)
        totals[i] = r->signatures[i]->reuses;
    out->reuses = fit_count(r, totals, r->like ? &r->like->reuses : NULL);
    free(layers);
    if (err)
        dj_forecast_free(out);
    return err;
}

// The counts of the layers are fitted one by one, and their sum as well.
static double scale_at(const dj_forecast *forecast, double size, double input)
{
    double sum = 0;
    for (size_t i = 0; i < forecast->layer_count; i++)
        sum += dj_trend_at(&forecast->counts[i], size);
    return sum > 0 ? total_at(&forecast->reuses, size, input) / sum : 0;
}

static double count_at(const dj_forecast *forecast, const dj_forecast_group *group, double size)
{
    return group->share * dj_trend_at(&forecast->counts[group->layer], size);
}

int dj_forecast_at(dj_context *context, const dj_forecast *forecast, double size, double input,
                   dj_signature *out)
{
    const double scale = scale_at(forecast, size, input);
    int err = dj_signature_create(context, forecast->group_count, out);
    if (err)
        return err;
    for (size_t i = 0; i < forecast->group_count; i++) {
        const dj_forecast_group *group = &forecast->groups[i];
        const double distance = round(dj_trend_at(&group->distance, size));
        out->rows[i] = (dj_signature_row){distance, distance, scale * count_at(forecast, group, size)};
    }
    out->cold = total_at(&forecast->cold, size, input);
    dj_signature_sort(out);
    return DJ_OK;
}

// Whether the distance grows enough for any cache to become too small. Where it hardly does, the fit may be
// one of noise.
static bool is_evadable(const dj_trend *distance, double largest)
{
    static const double NOTICEABLE = 1.05;
    const double now = dj_trend_at(distance, largest), doubled = dj_trend_at(distance, 2 * largest);
    return doubled >= NOTICEABLE * now && doubled >= now + 1;
}

static void widen(dj_predict_group *group, double now, double then)
{
    const bool first = group->share <= 0;
    group->first = first ? now : fmin(group->first, now);
    group->last = first ? now : fmax(group->last, now);
    group->to_first = first ? then : fmin(group->to_first, then);
    group->to_last = first ? then : fmax(group->to_last, then);
}

double dj_forecast_classes(const dj_forecast *forecast, double largest, double size,
                           dj_predict_group out[DJ_GROWTHS])
{
    double all = 0, evadable = 0;
    for (size_t i = 0; i < DJ_GROWTHS; i++)
        out[i] = (dj_predict_group){.growth = (enum dj_growth)i, .evadable = i > DJ_GROWTH_CONSTANT};
    for (size_t i = 0; i < forecast->group_count; i++) {
        const dj_forecast_group *group = &forecast->groups[i];
        const double count = count_at(forecast, group, size);
        const bool grows = is_evadable(&group->distance, largest);
        enum dj_growth growth = grows ? dj_trend_growth(&group->distance) : DJ_GROWTH_CONSTANT;
        if (grows && growth == DJ_GROWTH_CONSTANT)
            growth = DJ_GROWTH_CUBE_ROOT; // the slowest that there is a name for
        if (count <= 0)
            continue;
        widen(&out[growth], dj_trend_at(&group->distance, largest), dj_trend_at(&group->distance, size));
        out[growth].share += count;
        all += count;
        evadable += grows ? count : 0;
    }
    for (size_t i = 0; i < DJ_GROWTHS; i++)
        out[i].share = all > 0 ? out[i].share / all : 0;
    return all > 0 ? evadable / all : 0;
}
