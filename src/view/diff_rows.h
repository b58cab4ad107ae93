// SPDX-License-Identifier: MIT
// The rows of a comparison, as a page has them.
#ifndef DEJA_VIEW_DIFF_ROWS_H
#define DEJA_VIEW_DIFF_ROWS_H

#include <deja/diff.h>

#include "base/arena.h"
#include "view/rows.h"

typedef struct dj_view_diff_count {
    uint64_t before, after;
    double error;
} dj_view_diff_count;

typedef struct dj_view_diff_row {
    uint32_t match; // as in the rows of the two profiles
    const char *name, *was, *function;
    bool in_before, in_after;
    dj_view_diff_count accesses;
    dj_view_diff_count *misses;
    size_t miss_count;
    // For other caches. NULL: the rows of the profile with the same `match` have it.
    dj_tally *tallies[DJ_SIDES];
} dj_view_diff_row;

// The sum of what was left out.
typedef struct dj_view_diff_rest {
    uint64_t rows;
    dj_view_diff_count accesses;
    dj_view_diff_count *misses;
    size_t miss_count;
    dj_tally *tallies[DJ_SIDES];
} dj_view_diff_rest;

typedef struct dj_view_diff_breakdown {
    const char *by;
    dj_view_diff_row *rows;
    size_t row_count;
    dj_view_diff_rest *rest; // NULL: nothing
    dj_tally *tallies[DJ_SIDES];
} dj_view_diff_breakdown;

extern const dj_table dj_view_diff_breakdown_table;

dj_view_diff_count dj_view_diff_count_of(const dj_diff_count *from);

// Both sides have an attribution. Free it with dj_view_diff_breakdown_free, also after an error.
int dj_view_diff_breakdown_create(dj_context *context, const dj_diff *diff, const dj_diff_rows *rows,
                                  const dj_view_breakdowns *const sides[DJ_SIDES], dj_arena *arena,
                                  dj_view_diff_breakdown *out);
void dj_view_diff_breakdown_free(dj_view_diff_breakdown *breakdown);

#endif
