// SPDX-License-Identifier: MIT
// The column "own" of lines: what a line of the user's code causes, with library and header code that it
// calls.
#ifndef DEJA_REPORT_ENTITY_OWN_H
#define DEJA_REPORT_ENTITY_OWN_H

#include "model/breakdown/own.h"
#include "report/attribution.h"

// Misses in the cache that sorts the table, or accesses; 0 if the line is not an own one.
uint64_t dj_entity_own_weight(const dj_attribution_page *page, const dj_own_lines *own,
                              const dj_entity *entity);
void dj_put_entity_own(const dj_attribution_page *page, dj_sheet *table, dj_sheet_row *row,
                       const dj_own_lines *own, const dj_entity *entity);
// " (12% are in no known context of such a line)"; "" if all are.
const char *dj_name_unowned(const dj_attribution_page *page, const dj_own_lines *own);

#endif
