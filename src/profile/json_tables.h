// SPDX-License-Identifier: MIT
// The tables of an attribution, described once for all that treat them alike:
// saving, loading and checking.
#ifndef DEJA_PROFILE_JSON_TABLES_H
#define DEJA_PROFILE_JSON_TABLES_H

#include <deja/attribution.h>

enum dj_table_id {
    DJ_TABLE_EDGES,
    DJ_TABLE_CUTS,
    DJ_TABLE_FILES,
    DJ_TABLE_MODULES,
    DJ_TABLE_FUNCTIONS,
    DJ_TABLE_LOOPS,
    DJ_TABLE_INLINED,
    DJ_TABLE_SITES,
    DJ_TABLE_THREADS,
    DJ_TABLE_CONTEXTS,
    DJ_TABLE_OBJECTS,
    DJ_TABLE_PLACES,
    DJ_TABLE_PAIRS,
    DJ_TABLE_COUNT,
};

enum dj_cell_type {
    DJ_CELL_U32,
    DJ_CELL_U64,
    DJ_CELL_LATER, // a number that profiles of older versions lack, at the end of a row
    DJ_CELL_BOOL,
    DJ_CELL_TEXT,
    DJ_CELL_INDEX,    // of a row of the table `of`
    DJ_CELL_OPTIONAL, // the same or DJ_NOWHERE
    DJ_CELL_KIND,     // enum dj_object_kind
    DJ_CELL_SKETCH,   // or NULL
    DJ_CELL_TALLY,
};

typedef struct dj_cell {
    const char *name; // NULL ends a row
    size_t offset;    // in the row
    enum dj_cell_type type;
    enum dj_table_id of;
} dj_cell;

typedef struct dj_cells {
    const char *name;
    size_t rows_at, count_at; // in dj_attribution
    size_t row_bytes;
    const dj_cell *cells;
} dj_cells;

extern const dj_cells dj_tables[DJ_TABLE_COUNT];
extern const char *const dj_object_kinds[]; // by enum dj_object_kind; NULL ends them

static inline size_t dj_table_count(const dj_attribution *attribution, enum dj_table_id id)
{
    return *(const size_t *)((const char *)attribution + dj_tables[id].count_at);
}

static inline const char *dj_table_row(const dj_attribution *attribution, enum dj_table_id id, size_t row)
{
    const dj_cells *table = &dj_tables[id];
    return *(const char *const *)((const char *)attribution + table->rows_at) + row * table->row_bytes;
}

#endif
