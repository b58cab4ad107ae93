// SPDX-License-Identifier: MIT
// The rows of a comparison.
#ifndef DEJA_MODEL_DIFF_ROWS_H
#define DEJA_MODEL_DIFF_ROWS_H

#include <deja/diff.h>

// All breakdowns of the request; both profiles have an attribution.
int dj_diff_rows_create(dj_context *context, const dj_diff_request *request, dj_diff *diff);
void dj_diff_rows_free(dj_diff_rows *rows);
// By the change of what the comparison is ranked by.
int dj_diff_rows_sort(dj_context *context, const dj_diff *diff, dj_diff_rows *rows);

#endif
