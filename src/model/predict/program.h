// SPDX-License-Identifier: MIT
// Whether profiles are of the same program: whether their accesses are in functions of the same names.
#ifndef DEJA_MODEL_PREDICT_PROGRAM_H
#define DEJA_MODEL_PREDICT_PROGRAM_H

#include "model/predict/predict.h"

// DJ_ERR_USAGE if they are not. Traces have no functions; nothing is checked.
int dj_predict_check_program(dj_context *context, const dj_predict_inputs *inputs);

#endif
