// SPDX-License-Identifier: MIT
// What entities of breakdowns have of spatial locality. All of it is nothing for
// a profile without (`spatial` is NULL).
#ifndef DEJA_REPORT_ENTITY_SPATIAL_H
#define DEJA_REPORT_ENTITY_SPATIAL_H

#include <deja/components.h>

#include "base/json_writer.h"

// The members "spatial", a list of pairs, and "usage".
void dj_json_entity_spatial(dj_json_writer *json, const dj_spatial *spatial, const dj_tally *tally,
                            const dj_ranking_options *ranked);

// Columns of a table, each after a comma. `inclusive` NULL: there is none.
void dj_csv_entity_spatial_names(const dj_spatial *spatial, FILE *out);
void dj_csv_entity_spatial(const dj_spatial *spatial, const dj_tally *exclusive, const dj_tally *inclusive,
                           const dj_ranking_options *ranked, FILE *out);

#endif
