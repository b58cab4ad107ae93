// SPDX-License-Identifier: MIT
// The error is a jackknife: how much the prediction changes if one input is not known. It grows with the
// distance of the extrapolation as the prediction itself does.
#include "model/predict/extrapolate.h"

#include <math.h>
#include <stdlib.h>

void dj_study_free(dj_study *study)
{
    for (size_t i = 0; i < DJ_PREDICT_INPUTS; i++)
        dj_signature_free(&study->signatures[i]);
}

void dj_extrapolation_free(dj_extrapolation *extrapolation)
{
    dj_forecast_free(&extrapolation->forecast);
    dj_signature_free(&extrapolation->at);
    free(extrapolation->off);
    *extrapolation = (dj_extrapolation){0};
}

typedef struct method {
    size_t layers, groups;
    const dj_forecast *like;
} method;

// What is known without one of the inputs.
static int forecast_without(dj_context *context, const dj_study *study, size_t without, method how,
                            dj_forecast *out, dj_trend *size_of)
{
    const dj_signature *signatures[DJ_PREDICT_INPUTS];
    double inputs[DJ_PREDICT_INPUTS], data[DJ_PREDICT_INPUTS];
    size_t count = 0;
    for (size_t i = 0; i < study->count; i++) {
        if (i == without)
            continue;
        signatures[count] = &study->signatures[i];
        inputs[count] = study->inputs[i];
        data[count++] = study->sizes[i];
    }
    *size_of = dj_trend_find(DJ_TREND_COUNT, inputs, data, count);
    const dj_forecast_request request = {.signatures = signatures,
                                         .sizes = data,
                                         .inputs = inputs,
                                         .count = count,
                                         .layers = how.layers,
                                         .groups = how.groups,
                                         .like = how.like};
    return dj_forecast_create(context, &request, out);
}

static double size_at(const dj_study *study, const dj_trend *size_of, double to)
{
    return study->to_size > 0 ? study->to_size : dj_trend_at(size_of, to);
}

static int compare_without(dj_context *context, const dj_study *study, size_t without, double to, method how,
                           const uint64_t *blocks, size_t block_count, dj_extrapolation *all)
{
    dj_forecast forecast;
    dj_trend size_of;
    dj_signature at = {0};
    int err = forecast_without(context, study, without, how, &forecast, &size_of);
    if (err)
        return err;
    err = dj_forecast_at(context, &forecast, size_at(study, &size_of, to), to, &at);
    if (!err) {
        const double accesses = all->at.reuses + all->at.cold;
        all->count_error =
            fmax(all->count_error, accesses > 0 ? fabs(at.reuses + at.cold - accesses) / accesses : 0);
        all->error = fmax(all->error, dj_signature_difference(&at, &all->at));
        for (size_t i = 0; i < block_count; i++) {
            const double size = (double)blocks[i];
            all->off[i] =
                fmax(all->off[i], fabs(dj_signature_ratio(&at, size) - dj_signature_ratio(&all->at, size)));
        }
    }
    dj_signature_free(&at);
    if (!err && without + 1 == study->count) {
        const double size =
            study->to_size > 0 ? study->sizes[without] : dj_trend_at(&size_of, study->inputs[without]);
        err = dj_forecast_at(context, &forecast, size, study->inputs[without], &at);
        if (!err) {
            all->held_out = dj_signature_difference(&at, &study->signatures[without]);
            all->disagreement = dj_signature_disagreement(&at, &study->signatures[without]);
        }
        dj_signature_free(&at);
    }
    dj_forecast_free(&forecast);
    return err;
}

int dj_extrapolate(dj_context *context, const dj_study *study, double to, size_t layers, size_t groups,
                   const uint64_t *blocks, size_t block_count, dj_extrapolation *out)
{
    method how = {layers, groups, NULL};
    dj_trend size_of;
    *out = (dj_extrapolation){.off = calloc(block_count + 1, sizeof *out->off)};
    int err = out->off ? forecast_without(context, study, study->count, how, &out->forecast, &size_of)
                       : dj_fail_memory(context, "a prediction", block_count * sizeof *out->off);
    if (!err) {
        out->size = size_at(study, &size_of, to);
        err = dj_forecast_at(context, &out->forecast, out->size, to, &out->at);
    }
    // What all predictions have in common does not show in their differences.
    static const double COMMON = 2;
    how.like = &out->forecast;
    for (size_t i = 0; !err && i < study->count; i++)
        err = compare_without(context, study, i, to, how, blocks, block_count, out);
    out->count_error *= COMMON;
    if (err)
        dj_extrapolation_free(out);
    return err;
}
