// SPDX-License-Identifier: MIT
// All models of sharers, for the registry.
#ifndef DEJA_MODEL_CORUN_MODELS_H
#define DEJA_MODEL_CORUN_MODELS_H

#include <deja/corun.h>

extern const dj_corun_model dj_corun_joint;
extern const dj_corun_model dj_corun_jiang;

// A step of a search over many predictions, which ends with DJ_ERR_STOPPED when the context is stopped.
int dj_corun_predict(dj_context *context, const dj_corun_model *model, const dj_corun *corun,
                     dj_prediction *out);

#endif
