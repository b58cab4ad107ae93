// SPDX-License-Identifier: MIT
// The rows of a table of a run that was traced in bursts: in which range each count probably lies, and which
// ranks the row may have.
#ifndef DEJA_REPORT_ROW_RANGES_H
#define DEJA_REPORT_ROW_RANGES_H

#include <deja/breakdown.h>
#include <deja/document.h>
#include <deja/tracing.h>

typedef struct dj_row_rank {
    dj_row_range range; // of the misses or accesses that the table is sorted by
    size_t first, last;
} dj_row_rank;

// One for each entity of a breakdown; NULL if its counts are exact, or their errors are not known. The caller
// frees it.
int dj_row_ranks(dj_context *context, const dj_profile *profile, const dj_breakdown *breakdown,
                 dj_row_rank **out);

// Sets the ranks of rows whose ranges are known.
int dj_rank_rows(dj_context *context, dj_row_rank *ranks, size_t count);

// "1.2M–1.5M"
const char *dj_name_range(dj_document *document, const dj_row_range *range);
// "2", "2–4"
const char *dj_name_rank(dj_document *document, const dj_row_rank *rank);

#endif
