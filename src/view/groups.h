// SPDX-License-Identifier: MIT
// Places grouped by any property, as far as a page has rows for them: who touches which part of the data.
#ifndef DEJA_VIEW_GROUPS_H
#define DEJA_VIEW_GROUPS_H

#include "view/rows.h"

typedef struct dj_view_groups {
    uint32_t *group_of; // of each place
    size_t count;
    uint32_t *row_of; // of each group; DJ_NOWHERE: it is in the rest
    uint32_t *place;  // of each row: its first place
    dj_tally *tallies;
    size_t row_count;
    dj_view_rest rest;
} dj_view_groups;

// By each measure that rows are chosen by, the weights of all places.
typedef struct dj_view_weights {
    uint64_t *list; // place by place within a measure
    size_t measures;
} dj_view_weights;

int dj_view_weights_create(dj_context *context, const dj_view_breakdowns *of, dj_view_weights *out);
void dj_view_weights_free(dj_view_weights *weights);

// Places are of one group if they have the same hash.
typedef uint64_t dj_view_hash(const void *user, uint32_t place);

int dj_view_groups_create(dj_context *context, const dj_attribution *a, const dj_view_weights *weights,
                          dj_view_hash *hash, const void *user, size_t most, dj_view_groups *out);
void dj_view_groups_free(dj_view_groups *groups); // a zeroed structure is allowed

// The sections `fields` and `touches`.
int dj_view_add_fields(dj_view_sections *sections, const dj_view_breakdowns *of);

#endif
