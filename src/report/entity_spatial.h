// SPDX-License-Identifier: MIT
// What entities of breakdowns have of spatial locality. All of it is nothing for
// a profile without (`spatial` is NULL).
#ifndef DEJA_REPORT_ENTITY_SPATIAL_H
#define DEJA_REPORT_ENTITY_SPATIAL_H

#include <deja/components.h>
#include <deja/document.h>

#include "base/json/writer.h"

// The members "spatial", a list of pairs, and "usage".
void dj_json_entity_spatial(dj_json_writer *json, const dj_spatial *spatial, const dj_tally *tally,
                            const dj_ranking_options *ranked);

// Columns for programs, and their cells. `inclusive` NULL: there is none.
void dj_add_entity_spatial_columns(dj_sheet *table, const dj_spatial *spatial);
void dj_put_entity_spatial(dj_sheet *table, dj_sheet_row *row, const dj_spatial *spatial,
                           const dj_tally *exclusive, const dj_tally *inclusive,
                           const dj_ranking_options *ranked);

#endif
