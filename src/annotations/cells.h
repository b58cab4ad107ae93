// SPDX-License-Identifier: MIT
// Memory shared by several records. It is divided into ranges, each numbered like the record that was there
// first; an address at which that record has no element start gets a separate number.
#ifndef DEJA_ANNOTATIONS_CELLS_H
#define DEJA_ANNOTATIONS_CELLS_H

#include "annotations/records.h"

typedef struct dj_cell_range {
    uint64_t lo, hi;
    uint64_t base, element_bytes;
    uint64_t first;      // number of the element at `base`
    uint64_t inner_base; // added to an address inside an element, gives its number
    bool has_inner_base;
} dj_cell_range;

typedef struct dj_cells {
    dj_cell_range *ranges; // sorted by address
    size_t range_count, range_capacity;
    dj_record **members;
    size_t member_count, member_capacity;
} dj_cells;

int dj_cells_create(dj_context *context, dj_cells **out);
void dj_cells_destroy(dj_cells *cells);

// Adds a record whose elements are already numbered.
int dj_cells_take(dj_cells *cells, dj_context *context, dj_record *record);
// Adds all members and ranges of `other` and destroys it.
int dj_cells_merge(dj_cells *cells, dj_context *context, dj_cells *other);
// Adds a record; memory that no record covered gets new numbers.
int dj_cells_join(dj_cells *cells, dj_records *records, dj_context *context, dj_record *record);
void dj_cells_leave(dj_cells *cells, const dj_record *record);
// Separates members [from, to), which must be sorted by address, and their memory.
int dj_cells_part(const dj_cells *cells, dj_context *context, size_t from, size_t to, uint64_t lo,
                  uint64_t hi, dj_cells **out);
// Sorts by address.
void dj_cells_order(dj_cells *cells);

#endif
