// SPDX-License-Identifier: MIT
// Divides the signatures of several inputs at the same places of the program, so that reuses are compared
// with the same reuses at other inputs even if their share changes with the size.
#ifndef DEJA_MODEL_PREDICT_ALIGNMENT_H
#define DEJA_MODEL_PREDICT_ALIGNMENT_H

#include <deja/predict.h>

#include "model/predict/signature.h"

enum { DJ_ALIGNED_MAX = 24 };

typedef struct dj_alignment {
    size_t count;
    // For each input, where each layer begins: a number of shorter reuses. The last is the number of reuses.
    double cuts[DJ_PREDICT_INPUTS][DJ_ALIGNED_MAX + 1];
} dj_alignment;

// At most `most` layers.
int dj_align(dj_context *context, const dj_signature *const *signatures, const double *sizes, size_t count,
             size_t most, dj_alignment *out);

#endif
