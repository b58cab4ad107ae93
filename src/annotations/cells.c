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
    free(cells->ranges);
    free(cells->members);
    free(cells);
}

static int add_range(dj_cells *cells, dj_context *context, dj_cell_range range)
{
    int err = dj_grow(context, "the recorded data", &cells->ranges, &cells->range_capacity,
                      cells->range_count + 1, sizeof *cells->ranges);
    if (!err)
        cells->ranges[cells->range_count++] = range;
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

static int compare_ranges(const void *a, const void *b)
{
    uint64_t x = ((const dj_cell_range *)a)->lo, y = ((const dj_cell_range *)b)->lo;
    return (x > y) - (x < y);
}

static int compare_members(const void *a, const void *b)
{
    uint64_t x = (*(dj_record *const *)a)->base, y = (*(dj_record *const *)b)->base;
    return (x > y) - (x < y);
}

void dj_cells_order(dj_cells *cells)
{
    qsort(cells->ranges, cells->range_count, sizeof *cells->ranges, compare_ranges);
    qsort(cells->members, cells->member_count, sizeof(dj_record *), compare_members);
}

int dj_cells_take(dj_cells *cells, dj_context *context, dj_record *record)
{
    int err = add_range(cells, context,
                        (dj_cell_range){.lo = record->base,
                                        .hi = record->base + record->bytes,
                                        .base = record->base,
                                        .element_bytes = record->element_bytes,
                                        .first = record->first});
    return err ? err : add_member(cells, context, record);
}

int dj_cells_merge(dj_cells *cells, dj_context *context, dj_cells *other)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < other->range_count; i++)
        err = add_range(cells, context, other->ranges[i]);
    for (size_t i = 0; !err && i < other->member_count; i++)
        err = add_member(cells, context, other->members[i]);
    dj_cells_destroy(other);
    return err;
}

// Numbers the elements of `record` that begin in [lo, hi).
static int number_gap(dj_cells *cells, dj_records *records, dj_context *context, const dj_record *record,
                      uint64_t lo, uint64_t hi)
{
    uint64_t first, bytes = record->element_bytes;
    uint64_t from = (lo - record->base + bytes - 1) / bytes, to = (hi - record->base + bytes - 1) / bytes;
    int err = dj_records_claim(records, context, to > from ? to - from : 0, record, &first);
    return err ? err
               : add_range(cells, context,
                           (dj_cell_range){.lo = lo,
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
    size_t old = cells->range_count;
    for (size_t i = 0; !err && i <= old && at < end; i++) {
        uint64_t lo = i < old ? cells->ranges[i].lo : end, hi = i < old ? cells->ranges[i].hi : end;
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
    for (size_t i = 0; !err && i < cells->range_count; i++) {
        dj_cell_range range = cells->ranges[i];
        range.lo = range.lo > lo ? range.lo : lo;
        range.hi = range.hi < hi ? range.hi : hi;
        if (range.lo < range.hi)
            err = add_range(part, context, range);
    }
    for (size_t i = from; !err && i < to; i++)
        err = add_member(part, context, cells->members[i]);
    if (err)
        dj_cells_destroy(part);
    else
        *out = part;
    return err;
}

static dj_cell_range *find_range(const dj_cells *cells, uint64_t address)
{
    size_t lo = 0, hi = cells->range_count;
    while (lo < hi) {
        size_t middle = (lo + hi) / 2;
        if (cells->ranges[middle].hi > address)
            hi = middle;
        else
            lo = middle + 1;
    }
    return &cells->ranges[lo];
}

int dj_cells_number(dj_records *records, dj_context *context, const dj_record *record, uint64_t address,
                    uint64_t *number)
{
    dj_cell_range *range = find_range(record->cells, address);
    uint64_t offset = address - range->base;
    if (offset % range->element_bytes == 0) {
        *number = range->first + offset / range->element_bytes;
        return DJ_OK;
    }
    if (!range->has_inner_base) {
        uint64_t first;
        int err = dj_records_claim(records, context, range->hi - range->lo, record, &first);
        if (err)
            return err;
        range->inner_base = first - range->lo;
        range->has_inner_base = true;
    }
    *number = range->inner_base + address;
    return DJ_OK;
}
