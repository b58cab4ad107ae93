// SPDX-License-Identifier: MIT
// Plots made of characters.
#ifndef DEJA_REPORT_PLOT_H
#define DEJA_REPORT_PLOT_H

#include <deja/report.h>

// A bar of `share` (0 to 1) of `columns`, to an eighth of a column with Unicode.
void dj_plot_bar(FILE *out, const dj_report_style *style, double share, unsigned columns, bool hatched);

// A curve over a logarithmic axis of sizes: ratios from 0 to 1 at two places
// for each column, the first at `first`, the last at `last`.
typedef struct dj_curve {
    uint64_t first, last;
    unsigned columns;
    const double *ratio; // 2 * columns
    const char *unit;    // what sizes count: "blocks", "bytes"
    uint64_t unit_bytes; // > 0: a second axis, in bytes
    const dj_report_mark *marks;
    size_t mark_count;
} dj_curve;

// Columns that are left for the curve itself in a plot `width` wide.
unsigned dj_plot_curve_columns(unsigned width);
// The size at place `at` of 2 * columns.
uint64_t dj_plot_curve_size(const dj_curve *curve, unsigned at);
void dj_plot_curve(FILE *out, const dj_report_style *style, const dj_curve *curve);

#endif
