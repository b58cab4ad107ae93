// SPDX-License-Identifier: MIT
// Memory that several records share. It is cut into pieces, each numbered as
// the record has it that was there first; an address where that one has no
// element begin gets a number for itself.
#ifndef DEJA_ANNOTATIONS_CELLS_H
#define DEJA_ANNOTATIONS_CELLS_H

#include "annotations/records.h"

typedef struct dj_piece {
    uint64_t lo, hi;
    uint64_t base, element_bytes;
    uint64_t first; // number of the element at `base`
    uint64_t odd;   // plus the address: the number of an address within an element
    bool has_odd;
} dj_piece;

typedef struct dj_cells {
    dj_piece *pieces; // by address
    size_t piece_count, piece_capacity;
    dj_record **members;
    size_t member_count, member_capacity;
} dj_cells;

int dj_cells_create(dj_context *context, dj_cells **out);
void dj_cells_destroy(dj_cells *cells);

// A record joins whose elements have numbers already.
int dj_cells_take(dj_cells *cells, dj_context *context, dj_record *record);
// All members and pieces of `other`, which is destroyed.
int dj_cells_merge(dj_cells *cells, dj_context *context, dj_cells *other);
// A record joins; where there was no record it gives the numbers.
int dj_cells_join(dj_cells *cells, dj_records *records, dj_context *context, dj_record *record);
void dj_cells_leave(dj_cells *cells, const dj_record *record);
// Members [from, to), which are by address, and their memory as cells of their own.
int dj_cells_part(const dj_cells *cells, dj_context *context, size_t from, size_t to, uint64_t lo,
                  uint64_t hi, dj_cells **out);
// By address.
void dj_cells_order(dj_cells *cells);

#endif
