// SPDX-License-Identifier: MIT
// The steps of a prediction.
#ifndef DEJA_MODEL_PREDICT_PREDICT_H
#define DEJA_MODEL_PREDICT_PREDICT_H

#include "model/predict/extrapolate.h"

// A request with its profiles in order of size.
typedef struct dj_predict_inputs {
    size_t count;
    const dj_profile *profiles[DJ_PREDICT_INPUTS];
    const char *names[DJ_PREDICT_INPUTS];
    double inputs[DJ_PREDICT_INPUTS], sizes[DJ_PREDICT_INPUTS];
    size_t shrinks; // a profile with less data than the one before; 0: none
    bool in_data;   // sizes are the numbers of distinct data; otherwise, the inputs
} dj_predict_inputs;

// Refuses profiles that cannot be compared, with the reason.
int dj_predict_check(dj_context *context, const dj_predict_request *request, dj_predict_inputs *out);

// Matches objects, lines and pairs by name, and predicts each. `size` is that of which everything is a
// function.
int dj_predict_rows_create(dj_context *context, const dj_predict_inputs *inputs,
                           const dj_predict_request *request, double size, enum dj_predict_by by,
                           dj_predict_rows *out);
void dj_predict_rows_free(dj_predict_rows *rows);

#endif
