// SPDX-License-Identifier: MIT
// Reading a table row by row.
#ifndef DEJA_RENDER_TABLE_H
#define DEJA_RENDER_TABLE_H

#include <deja/document.h>

// Row `row`; `made` has room for the cells of tables that make them.
static inline dj_table_row dj_table_get(const dj_table *table, size_t row, dj_datum *made)
{
    if (!table->fill)
        return table->rows[row];
    dj_table_row filled = {.cells = made};
    table->fill(table->source, row, made);
    return filled;
}

// Whether people see the column; the first of them bears the title of the table where it has none.
static inline bool dj_column_is_shown(const dj_table_column *column)
{
    return column->title != NULL;
}

#endif
