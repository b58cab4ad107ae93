// SPDX-License-Identifier: MIT
// The spatial locality of the entities of a breakdown. All functions do nothing without a spatial part.
#ifndef DEJA_REPORT_ENTITY_SPATIAL_H
#define DEJA_REPORT_ENTITY_SPATIAL_H

#include <deja/components.h>
#include <deja/document.h>

#include "base/json/writer.h"

typedef struct dj_entity_spatial {
    const dj_profile *profile;
    const dj_spatial *spatial; // NULL: none
    const dj_ranking_options *ranked;
    bool ranged;   // of an estimate whose entities have ranges
    double *above; // of each pair: the sum of all positive numbers of poor reuses
} dj_entity_spatial;

int dj_entity_spatial_create(dj_context *context, const dj_profile *profile, const dj_breakdown *breakdown,
                             const dj_ranking_options *ranked, dj_entity_spatial *out);
void dj_entity_spatial_free(dj_entity_spatial *e);

// The members "spatial", a list of pairs, and "usage".
void dj_json_entity_spatial(dj_json_writer *json, const dj_entity_spatial *e, const dj_tally *tally);
// The member "ranges".
typedef struct dj_spatial_json_ranges {
    const dj_row_range *accesses; // NULL: written elsewhere
    const dj_spatial_tally_range *all, *far;
    bool weak;
} dj_spatial_json_ranges;
void dj_json_spatial_ranges(dj_json_writer *json, const dj_spatial_json_ranges *ranges);
// A member of two numbers, rounded: where a count probably is.
void dj_json_count_range(dj_json_writer *json, const char *name, double low, double high);

// Columns for csv, and their cells. `inclusive` NULL: there is none.
void dj_add_entity_spatial_columns(dj_sheet *table, const dj_entity_spatial *e);
void dj_put_entity_spatial(dj_sheet *table, dj_sheet_row *row, const dj_entity_spatial *e,
                           const dj_tally *exclusive, const dj_tally *inclusive);

#endif
