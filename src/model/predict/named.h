// SPDX-License-Identifier: MIT
// Parts of a program with names that mean the same in other profiles.
#ifndef DEJA_MODEL_PREDICT_NAMED_H
#define DEJA_MODEL_PREDICT_NAMED_H

#include "model/predict/predict.h"

typedef struct dj_named {
    char *name;
    dj_tally tally; // of all rows of this name
} dj_named;

typedef struct dj_named_list {
    dj_named *list; // by name
    size_t count;
} dj_named_list;

// An empty list without attribution.
int dj_named_entities(dj_context *context, const dj_profile *profile, enum dj_by by, dj_named_list *out);
int dj_named_pairs(dj_context *context, const dj_profile *profile, dj_named_list *out);
const dj_named *dj_named_find(const dj_named_list *list, const char *name); // NULL: none
void dj_named_free(dj_named_list *list); // a zeroed structure is allowed

#endif
