// SPDX-License-Identifier: MIT
// The breakdowns of a page: objects, functions, loops, lines, contexts and threads.
#ifndef DEJA_VIEW_ROWS_H
#define DEJA_VIEW_ROWS_H

#include <deja/breakdown.h>
#include <deja/predict.h>
#include <deja/reuse.h>

#include "base/map.h"
#include "view/cut.h"
#include "view/files.h"
#include "view/measures.h"
#include "view/sections.h"

// A row of a table of code or data. Texts belong to the attribution, the breakdown or an arena.
typedef struct dj_view_row {
    const char *name, *function, *module, *kind, *type;
    uint32_t file; // index, or DJ_NOWHERE
    uint32_t line, last_line;
    uint64_t bytes, blocks, shared_blocks;
    uint32_t parent; // index of a row, or DJ_NOWHERE
    uint32_t depth;
    uint64_t iterations, calls;
    dj_tally tally;
    dj_tally *inclusive; // NULL: none
    dj_view_stall *inclusive_stall;
    dj_distinct distinct;
    dj_view_measures measures;
    uint32_t object;     // of a field: index of a row of the objects, or DJ_NOWHERE
    uint32_t match;      // in a comparison, the number of its counterpart; DJ_NOWHERE: none
    const char *element; // of a field
} dj_view_row;

// What a cut left out.
typedef struct dj_view_rest {
    uint64_t rows;
    dj_tally tally; // owned
    dj_view_measures measures;
} dj_view_rest;

typedef struct dj_view_rows {
    dj_view_row *list;
    size_t count;
    const dj_view_rest *rest; // NULL: nothing was left out
    dj_tally total;
} dj_view_rows;

extern const dj_field dj_view_rows_fields[], dj_view_fields_fields[];
extern const dj_table dj_view_rest_table;
// Fills in the measures of what was left out; NULL if there is nothing.
const dj_view_rest *dj_view_rest_finish(const dj_view_measured *measured, dj_view_rest *rest,
                                        dj_arena *arena);

typedef struct dj_view_parts dj_view_parts;

// All breakdowns of a profile with an attribution, which of their entities are rows, its long reuses, and the
// sources.
typedef struct dj_view_breakdowns {
    dj_view_measured measured;
    const dj_attribution *a;
    dj_breakdown *by[DJ_BY_COUNT];
    dj_reuses *reuses;
    dj_hills *hills;
    dj_view_parts *parts; // of objects, and who accesses them
    dj_view_files files;
    uint32_t *row_of[DJ_BY_COUNT]; // of each entity; DJ_NOWHERE: it is in the rest
    uint32_t *object_row;          // of each object of the attribution
    dj_map line_rows;              // by the key of a line: its row + 1
    dj_footprint footprint;
} dj_view_breakdowns;

int dj_view_parts_create(dj_context *context, const dj_view_breakdowns *of, dj_view_parts **out);
void dj_view_parts_destroy(dj_view_parts *parts); // NULL is allowed

// The structure must not move until it is destroyed.
int dj_view_breakdowns_create(dj_context *context, const dj_view_request *request, unsigned profile,
                              dj_view_breakdowns *out);
void dj_view_breakdowns_destroy(dj_view_breakdowns *breakdowns);
int dj_view_add_breakdowns(dj_view_sections *sections, const dj_view_breakdowns *of);
// What identifies an entity of a breakdown: dj_key_of of its accesses.
uint64_t dj_view_entity_key(const dj_attribution *a, enum dj_by by, const dj_entity *entity);
// The row of the line of a site, or DJ_NOWHERE.
uint32_t dj_view_line_row(const dj_view_breakdowns *of, uint32_t site);

#endif
