// SPDX-License-Identifier: MIT
// Reading a table row by row.
#ifndef DEJA_RENDER_TABLE_H
#define DEJA_RENDER_TABLE_H

#include <deja/document.h>

// Row `row`; `made` has space for the cells of a table that makes them on demand.
static inline dj_sheet_row dj_sheet_get(const dj_sheet *table, size_t row, dj_datum *made)
{
    if (!table->fill)
        return table->rows[row];
    dj_sheet_row filled = {.cells = made};
    table->fill(table->source, row, made);
    return filled;
}

// Whether people see the column. The first such column carries the title of the table if it has no title
// itself.
static inline bool dj_column_is_shown(const dj_sheet_column *column)
{
    return column->title != NULL;
}

#endif
