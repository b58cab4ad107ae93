// SPDX-License-Identifier: MIT
// The steps of making a breakdown.
#ifndef DEJA_MODEL_BREAKDOWN_BREAKDOWN_H
#define DEJA_MODEL_BREAKDOWN_BREAKDOWN_H

#include <deja/breakdown.h>

#include "model/breakdown/grouping.h"

// Names, files, lines and what else the rows say.
int dj_breakdown_describe(dj_grouping *groups, dj_context *context);
int dj_breakdown_count_distinct(dj_grouping *groups, dj_context *context);
// Sorts the entities, which have their misses, and sets their parents.
int dj_breakdown_order(dj_breakdown *b, dj_context *context, const dj_attribution *a);

#endif
