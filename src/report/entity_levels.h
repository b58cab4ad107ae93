// SPDX-License-Identifier: MIT
// Simulated caches in the tables of breakdowns. All functions do nothing if none was simulated.
#ifndef DEJA_REPORT_ENTITY_LEVELS_H
#define DEJA_REPORT_ENTITY_LEVELS_H

#include "report/attribution.h"

typedef struct dj_entity_levels {
    const dj_hierarchy *hierarchy; // NULL: nothing was simulated
    uint64_t block_bytes;
    size_t sort_level;
    bool for_people, conflicts; // people see numbers, and the share of conflicts
} dj_entity_levels;

void dj_entity_levels_create(const dj_attribution_page *page, const dj_breakdown *b, dj_entity_levels *out);

// Columns for csv and, unless the table is a tree, for people; and their cells.
typedef struct dj_levels_ranks {
    unsigned conflict, memory;
} dj_levels_ranks;
void dj_add_entity_levels_columns(dj_sheet *table, const dj_entity_levels *e, dj_levels_ranks ranks);
void dj_put_entity_levels(dj_sheet *table, dj_sheet_row *row, const dj_entity_levels *e,
                          const dj_tally *tally);

#endif
