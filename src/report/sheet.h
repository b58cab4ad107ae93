// SPDX-License-Identifier: MIT
// A table of names and figures that fits the width: columns that matter less
// are left out first, then names lose their middle.
#ifndef DEJA_REPORT_SHEET_H
#define DEJA_REPORT_SHEET_H

#include <deja/report.h>

#include "report/figure.h"
#include "report/fit.h"

enum { DJ_SHEET_COLUMNS = 48, DJ_CELL = DJ_FIGURE + 32 };

typedef struct dj_sheet_column {
    char title[16];
    unsigned width;
    unsigned rank; // the highest goes first; 0 stays
    bool left_out;
} dj_sheet_column;

typedef struct dj_sheet {
    const dj_report_style *style;
    FILE *out;
    const char *name_title;
    unsigned name_good; // columns of a name that come before further figures; 0: 24
    unsigned name_width;
    dj_sheet_column columns[DJ_SHEET_COLUMNS];
    unsigned count;
} dj_sheet;

// More than DJ_SHEET_COLUMNS are left out. `width` grows to that of the title.
void dj_sheet_add(dj_sheet *sheet, const char *title, unsigned width, unsigned rank);
// Chooses the columns, given how wide the widest name is.
void dj_sheet_lay_out(dj_sheet *sheet, unsigned name_columns);
void dj_sheet_print_head(const dj_sheet *sheet);
// `cells` has one text for each column that was added.
void dj_sheet_print_row(const dj_sheet *sheet, const char *name, char (*cells)[DJ_CELL]);

#endif
