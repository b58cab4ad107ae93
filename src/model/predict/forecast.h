// SPDX-License-Identifier: MIT
// A forecast: from the reuse signatures of one program at several inputs to its signature at any size.
#ifndef DEJA_MODEL_PREDICT_FORECAST_H
#define DEJA_MODEL_PREDICT_FORECAST_H

#include "model/predict/alignment.h"
#include "model/predict/trend.h"

typedef struct dj_forecast_group {
    size_t layer;
    double share; // of the reuses of its layer
    dj_trend distance;
} dj_forecast_group;

// A number for the whole program.
typedef struct dj_forecast_count {
    dj_trend trend;
    bool by_input; // a function of the input as given, not of the size
} dj_forecast_count;

typedef struct dj_forecast {
    dj_trend *counts; // of reuses, for each layer
    size_t layer_count;
    dj_forecast_group *groups; // of all layers, by distance
    size_t group_count;
    dj_forecast_count reuses, cold;
} dj_forecast;

// The same program at several inputs.
typedef struct dj_forecast_request {
    const dj_signature *const *signatures;
    const double *sizes; // increase; distances are functions of these
    const double
        *inputs; // as given, increase; the numbers of accesses are functions of these or of the sizes
    size_t count;
    size_t layers, groups;   // at most so many layers; groups of equal count in all of them
    const dj_forecast *like; // decides of what the numbers of accesses are functions; NULL: what fits better
} dj_forecast_request;

int dj_forecast_create(dj_context *context, const dj_forecast_request *request, dj_forecast *out);
void dj_forecast_free(dj_forecast *forecast); // a zeroed structure is allowed
int dj_forecast_at(dj_context *context, const dj_forecast *forecast, double size, double input,
                   dj_signature *out);
// The reuses by growth of their distance, with their shares at a size, and the share that is evadable.
// Distances are compared with those at the largest input.
double dj_forecast_classes(const dj_forecast *forecast, double largest, double size,
                           dj_predict_group out[DJ_GROWTHS]);

#endif
