// SPDX-License-Identifier: MIT
// Pieces of advice, made from long reuses and from what simulated caches show.
#ifndef DEJA_MODEL_ADVICE_LIST_H
#define DEJA_MODEL_ADVICE_LIST_H

#include <deja/reuse.h>

#include "model/names.h"

// An item without texts. The kind must outlive it.
int dj_advice_item_create(dj_context *context, const dj_attribution *a, const char *kind,
                          dj_advice_item *out);
// Padding, where conflicts dominate. The caller frees the item in any case.
int dj_advise_padding(dj_context *context, const dj_profile *profile, const dj_names *names,
                      dj_advice_item *item, bool *given);

#endif
