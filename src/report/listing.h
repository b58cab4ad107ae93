// SPDX-License-Identifier: MIT
// A table of names and figures that fits the width: columns that matter less
// are left out first, then names lose their middle.
#ifndef DEJA_REPORT_LISTING_H
#define DEJA_REPORT_LISTING_H

#include <deja/report.h>

#include "report/figure.h"
#include "report/fit.h"

enum { DJ_LISTING_COLUMNS = 48, DJ_CELL = DJ_FIGURE + 32 };

typedef struct dj_listing_column {
    char title[16];
    unsigned width;
    unsigned rank; // the highest goes first; 0 stays
    bool left_out;
} dj_listing_column;

typedef struct dj_listing {
    const dj_report_style *style;
    FILE *out;
    const char *name_title;
    unsigned name_width;
    dj_listing_column columns[DJ_LISTING_COLUMNS];
    unsigned count;
} dj_listing;

// More than DJ_LISTING_COLUMNS are left out. `width` grows to that of the title.
void dj_listing_add(dj_listing *listing, const char *title, unsigned width, unsigned rank);
// Chooses the columns, given how wide the widest name is.
void dj_listing_lay_out(dj_listing *listing, unsigned name_columns);
void dj_listing_print_head(const dj_listing *listing);
// `cells` has one text for each column that was added.
void dj_listing_print_row(const dj_listing *listing, const char *name, char (*cells)[DJ_CELL]);

#endif
