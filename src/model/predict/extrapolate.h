// SPDX-License-Identifier: MIT
// The signature at another size, and how far it may be off: the same is predicted without each of the inputs.
#ifndef DEJA_MODEL_PREDICT_EXTRAPOLATE_H
#define DEJA_MODEL_PREDICT_EXTRAPOLATE_H

#include "model/predict/forecast.h"

// The same reuses at several inputs.
typedef struct dj_study {
    size_t count;
    double inputs[DJ_PREDICT_INPUTS]; // sizes as given, increasing
    double sizes[DJ_PREDICT_INPUTS];  // those of which everything is a function: usually the distinct data
    double to_size;                   // at the input that is predicted; 0: to be predicted, too
    dj_signature signatures[DJ_PREDICT_INPUTS]; // owned
} dj_study;

void dj_study_free(dj_study *study); // a zeroed structure is allowed

typedef struct dj_extrapolation {
    dj_forecast forecast;
    double size; // of which everything is a function, at the input that is predicted
    dj_signature at;
    double *off;  // at each cache size: the largest difference of a miss ratio predicted without an input
    double error; // likewise, of the histogram
    double count_error;  // of the number of accesses, relative to it: twice the largest difference
    double held_out;     // of the largest input, predicted from the others
    double disagreement; // the same, where the borders of bins do not matter
} dj_extrapolation;

// `groups` are the groups of equal count in all layers, at most `layers`. `blocks`: cache sizes.
int dj_extrapolate(dj_context *context, const dj_study *study, double to, size_t layers, size_t groups,
                   const uint64_t *blocks, size_t block_count, dj_extrapolation *out);
void dj_extrapolation_free(dj_extrapolation *extrapolation); // a zeroed structure is allowed

#endif
