// SPDX-License-Identifier: MIT
// The spatial locality of the entities of a breakdown. All functions do nothing if `spatial` is NULL.
#ifndef DEJA_REPORT_ENTITY_SPATIAL_H
#define DEJA_REPORT_ENTITY_SPATIAL_H

#include <deja/components.h>
#include <deja/document.h>

#include "base/json/writer.h"

// The members "spatial", a list of pairs, and "usage".
void dj_json_entity_spatial(dj_json_writer *json, const dj_spatial *spatial, const dj_tally *tally,
                            const dj_ranking_options *ranked);

// Columns for csv, and their cells. `inclusive` NULL: there is none.
void dj_add_entity_spatial_columns(dj_sheet *table, const dj_spatial *spatial);
void dj_put_entity_spatial(dj_sheet *table, dj_sheet_row *row, const dj_spatial *spatial,
                           const dj_tally *exclusive, const dj_tally *inclusive,
                           const dj_ranking_options *ranked);

#endif
