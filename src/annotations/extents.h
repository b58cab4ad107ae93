// SPDX-License-Identifier: MIT
// The memory of live records, sorted by address: each extent is a single record, or several that overlap,
// with their cells. Extents do not overlap.
#ifndef DEJA_ANNOTATIONS_EXTENTS_H
#define DEJA_ANNOTATIONS_EXTENTS_H

#include "annotations/records.h"

typedef struct dj_extent_node {
    uint64_t lo, hi;
    dj_record *record;      // a single one, or
    struct dj_cells *cells; // shared
    // Private: a treap.
    struct dj_extent_node *left, *right;
    uint32_t priority;
} dj_extent_node;

typedef struct dj_extents {
    dj_extent_node *root;
    uint64_t random;
} dj_extents;

// `lo` must not be in another extent.
int dj_extents_add(dj_extents *extents, dj_context *context, uint64_t lo, uint64_t hi, dj_record *record,
                   struct dj_cells *cells);
void dj_extents_remove(dj_extents *extents, uint64_t lo);
// The lowest extent that ends above `address`; NULL: none.
const dj_extent_node *dj_extents_above(const dj_extents *extents, uint64_t address);
void dj_extents_free(dj_extents *extents);

#endif
