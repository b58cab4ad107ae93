// SPDX-License-Identifier: MIT
#ifndef DEJA_REPORT_DIFF_H
#define DEJA_REPORT_DIFF_H

#include <deja/report.h>

#include <stdbool.h>
#include <stdio.h>

// The values, as JSON (docs/formats.md). `verdict` is the summary of the document.
void dj_diff_json(const dj_diff_view *view, const char *verdict, FILE *out);

// What changed, in one or two sentences.
const char *dj_diff_verdict(dj_document *document, const dj_diff_view *view);
// Where most of it is, as another sentence; "": nothing has more than half, or it is not known.
const char *dj_diff_cause(dj_document *document, const dj_diff_view *view);
// If only parts differ: two of those that do, as another sentence.
const char *dj_diff_exchange(dj_document *document, const dj_diff *diff);
// "L2 misses", "accesses", "misses in 4,096 blocks": by what rows are sorted, or the totals differ most.
const char *dj_diff_measure(dj_document *document, const dj_diff_view *view);
bool dj_diff_is_scaled(const dj_diff *diff); // counts are per element of work
// A count, or a change of one: "12.3k", per element of work also "0.0873".
const char *dj_diff_number(dj_document *document, const dj_diff *diff, double value);
// "+45%", "new" if there was nothing before, "0".
const char *dj_diff_percent(dj_document *document, const dj_diff *diff, const dj_diff_count *count);

#endif
