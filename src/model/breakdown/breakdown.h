// SPDX-License-Identifier: MIT
// The steps of creating a breakdown.
#ifndef DEJA_MODEL_BREAKDOWN_BREAKDOWN_H
#define DEJA_MODEL_BREAKDOWN_BREAKDOWN_H

#include <deja/breakdown.h>

#include "model/breakdown/grouping.h"

// Fills in names, files, lines and other properties of the rows.
int dj_breakdown_describe(dj_grouping *groups, dj_context *context);
int dj_breakdown_count_distinct(dj_grouping *groups, dj_context *context);
// dj_attribution_sort_cut, from the misses in total.
size_t dj_breakdown_sort_cut(const dj_breakdown *b, const dj_attribution *a);
// Sorts the entities, whose misses are set, and sets their parents.
int dj_breakdown_order(dj_breakdown *b, dj_context *context, const dj_attribution *a);

#endif
