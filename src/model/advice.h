// SPDX-License-Identifier: MIT
// The words of an advice.
#ifndef DEJA_MODEL_ADVICE_H
#define DEJA_MODEL_ADVICE_H

#include "model/reuse.h"

// Sets reuse->text, which is NULL when memory is out.
int dj_advice_say(dj_context *context, const dj_evidence *evidence, const dj_bond *bond, dj_reuse *reuse);

#endif
