// SPDX-License-Identifier: MIT
#include "annotations/cells.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

int dj_cells_create(dj_context *context, dj_cells **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? DJ_OK : dj_fail_memory(context, "the recorded data", sizeof **out);
}

void dj_cells_destroy(dj_cells *cells)
{
    if (!cells)
        return;
    free(cells->pieces);
    free(cells->members);
    free(cells);
}

static int add_piece(dj_cells *cells, dj_context *context, dj_piece piece)
{
    int err = dj_grow(context, "the recorded data", &cells->pieces, &cells->piece_capacity,
                      cells->piece_count + 1, sizeof *cells->pieces);
    if (!err)
        cells->pieces[cells->piece_count++] = piece;
    return err;
}

static int add_member(dj_cells *cells, dj_context *context, dj_record *record)
{
    int err = dj_grow(context, "the recorded data", &cells->members, &cells->member_capacity,
                      cells->member_count + 1, sizeof *cells->members);
    if (!err) {
        cells->members[cells->member_count++] = record;
        record->cells = cells;
    }
    return err;
}

static int compare_pieces(const void *a, const void *b)
{
    uint64_t x = ((const dj_piece *)a)->lo, y = ((const dj_piece *)b)->lo;
    return (x > y) - (x < y);
}

static int compare_members(const void *a, const void *b)
{
    uint64_t x = (*(dj_record *const *)a)->base, y = (*(dj_record *const *)b)->base;
    return (x > y) - (x < y);
}

void dj_cells_order(dj_cells *cells)
{
    qsort(cells->pieces, cells->piece_count, sizeof *cells->pieces, compare_pieces);
    qsort(cells->members, cells->member_count, sizeof(dj_record *), compare_members);
}

int dj_cells_take(dj_cells *cells, dj_context *context, dj_record *record)
{
    int err = add_piece(cells, context,
                        (dj_piece){.lo = record->base,
                                   .hi = record->base + record->bytes,
                                   .base = record->base,
                                   .element_bytes = record->element_bytes,
                                   .first = record->first});
    return err ? err : add_member(cells, context, record);
}

int dj_cells_merge(dj_cells *cells, dj_context *context, dj_cells *other)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < other->piece_count; i++)
        err = add_piece(cells, context, other->pieces[i]);
    for (size_t i = 0; !err && i < other->member_count; i++)
        err = add_member(cells, context, other->members[i]);
    dj_cells_destroy(other);
    return err;
}

// Elements of `record` that begin in [lo, hi) get numbers.
static int number_gap(dj_cells *cells, dj_records *records, dj_context *context, const dj_record *record,
                      uint64_t lo, uint64_t hi)
{
    uint64_t first, bytes = record->element_bytes;
    uint64_t from = (lo - record->base + bytes - 1) / bytes, to = (hi - record->base + bytes - 1) / bytes;
    int err = dj_records_claim(records, context, to > from ? to - from : 0, record, &first);
    return err ? err
               : add_piece(cells, context,
                           (dj_piece){.lo = lo,
                                      .hi = hi,
                                      .base = record->base,
                                      .element_bytes = bytes,
                                      .first = first - from});
}

int dj_cells_join(dj_cells *cells, dj_records *records, dj_context *context, dj_record *record)
{
    uint64_t at = record->base, end = record->base + record->bytes;
    int err = DJ_OK;
    dj_cells_order(cells);
    size_t old = cells->piece_count;
    for (size_t i = 0; !err && i <= old && at < end; i++) {
        uint64_t lo = i < old ? cells->pieces[i].lo : end, hi = i < old ? cells->pieces[i].hi : end;
        uint64_t until = lo < end ? lo : end;
        if (until > at)
            err = number_gap(cells, records, context, record, at, until);
        at = hi > at ? hi : at;
    }
    if (!err)
        err = add_member(cells, context, record);
    dj_cells_order(cells);
    return err;
}

void dj_cells_leave(dj_cells *cells, const dj_record *record)
{
    for (size_t i = 0; i < cells->member_count; i++)
        if (cells->members[i] == record) {
            cells->members[i] = cells->members[--cells->member_count];
            return;
        }
}

int dj_cells_part(const dj_cells *cells, dj_context *context, size_t from, size_t to, uint64_t lo,
                  uint64_t hi, dj_cells **out)
{
    dj_cells *part;
    int err = dj_cells_create(context, &part);
    if (err)
        return err;
    for (size_t i = 0; !err && i < cells->piece_count; i++) {
        dj_piece piece = cells->pieces[i];
        piece.lo = piece.lo > lo ? piece.lo : lo;
        piece.hi = piece.hi < hi ? piece.hi : hi;
        if (piece.lo < piece.hi)
            err = add_piece(part, context, piece);
    }
    for (size_t i = from; !err && i < to; i++)
        err = add_member(part, context, cells->members[i]);
    if (err)
        dj_cells_destroy(part);
    else
        *out = part;
    return err;
}

static dj_piece *find_piece(const dj_cells *cells, uint64_t address)
{
    size_t lo = 0, hi = cells->piece_count;
    while (lo < hi) {
        size_t middle = (lo + hi) / 2;
        if (cells->pieces[middle].hi > address)
            hi = middle;
        else
            lo = middle + 1;
    }
    return &cells->pieces[lo];
}

int dj_cells_number(dj_records *records, dj_context *context, const dj_record *record, uint64_t address,
                    uint64_t *number)
{
    dj_piece *piece = find_piece(record->cells, address);
    uint64_t offset = address - piece->base;
    if (offset % piece->element_bytes == 0) {
        *number = piece->first + offset / piece->element_bytes;
        return DJ_OK;
    }
    if (!piece->has_odd) {
        uint64_t first;
        int err = dj_records_claim(records, context, piece->hi - piece->lo, record, &first);
        if (err)
            return err;
        piece->odd = first - piece->lo;
        piece->has_odd = true;
    }
    *number = piece->odd + address;
    return DJ_OK;
}
