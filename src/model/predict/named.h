// SPDX-License-Identifier: MIT
// Parts of a program with names that mean the same in other profiles.
#ifndef DEJA_MODEL_PREDICT_NAMED_H
#define DEJA_MODEL_PREDICT_NAMED_H

#include "model/predict/predict.h"

typedef struct dj_named_part {
    char *name;
    dj_tally tally; // of all rows of this name
} dj_named_part;

typedef struct dj_named_parts {
    dj_named_part *list; // by name
    size_t count;
} dj_named_parts;

// An empty list without attribution.
int dj_named_entities(dj_context *context, const dj_profile *profile, enum dj_by by, dj_named_parts *out);
int dj_named_pairs(dj_context *context, const dj_profile *profile, dj_named_parts *out);
const dj_named_part *dj_named_find(const dj_named_parts *list, const char *name); // NULL: none
void dj_named_free(dj_named_parts *list); // a zeroed structure is allowed

#endif
