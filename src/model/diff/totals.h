// SPDX-License-Identifier: MIT
// The totals and curves of a comparison, and what changed most.
#ifndef DEJA_MODEL_DIFF_TOTALS_H
#define DEJA_MODEL_DIFF_TOTALS_H

#include <deja/diff.h>

// Caches of the same name and size in both profiles; the others go to `not_compared`.
int dj_diff_find_caches(dj_context *context, const dj_diff_request *request, dj_diff *diff);
int dj_diff_count_totals(dj_context *context, const dj_diff_request *request, dj_diff *diff);
int dj_diff_compare_curves(dj_context *context, const dj_diff_request *request, dj_diff *diff);
void dj_diff_rank(dj_diff *diff);

#endif
