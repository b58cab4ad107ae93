// SPDX-License-Identifier: MIT
#include "annotations/records.h"

#include <stdlib.h>
#include <string.h>

#include "annotations/cells.h"
#include "annotations/extents.h"
#include "base/grow.h"
#include "base/probe.h"
#include "base/text.h"

enum { ENTRY_BITS_LEAST = 8, CHUNK = 256 };

// The heap map, which finds the record of a number, has a granularity of 16.
#define NUMBERS_ALIGN UINT64_C(16)

// No process has addresses beyond this; sizes that reach it are mistakes.
#define ADDRESSES_END (UINT64_C(1) << 47)

int dj_records_create(dj_records *r, dj_context *context, const dj_records_ops *ops, void *user)
{
    *r = (dj_records){.entry_bits = ENTRY_BITS_LEAST, .next = NUMBERS_ALIGN, .ops = ops, .user = user};
    r->entries = calloc((size_t)1 << r->entry_bits, sizeof *r->entries);
    r->extents = calloc(1, sizeof *r->extents);
    if (r->entries && r->extents)
        return DJ_OK;
    dj_records_destroy(r);
    return dj_fail_memory(context, "the recorded data", 0);
}

void dj_records_destroy(dj_records *r)
{
    for (size_t i = 0; i < r->chunk_count; i++) {
        for (size_t k = 0; k < CHUNK; k++)
            free(r->chunks[i][k].name);
        free(r->chunks[i]);
    }
    for (const dj_extent_node *e; r->extents && (e = r->extents->root);) {
        dj_cells_destroy(e->cells);
        dj_extents_remove(r->extents, e->lo);
    }
    free(r->chunks);
    free(r->extents);
    free(r->entries);
    *r = (dj_records){0};
}

int dj_records_claim(dj_records *r, dj_context *context, uint64_t count, const dj_record *record,
                     uint64_t *first)
{
    *first = r->next;
    r->next = (r->next + count + NUMBERS_ALIGN - 1) & -NUMBERS_ALIGN;
    return count && r->ops ? r->ops->claim(r->user, context, *first, count, record) : DJ_OK;
}

static dj_entry *probe(dj_entry *entries, unsigned bits, uint64_t base)
{
    DJ_PROBE (at, base * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits), (UINT64_C(1) << bits) - 1)
        if (!entries[at].base || entries[at].base == base)
            return &entries[at];
}

// Drops outdated entries.
static int rehash(dj_records *r, dj_context *context)
{
    uint64_t live = 0, old = UINT64_C(1) << r->entry_bits;
    for (uint64_t i = 0; i < old; i++)
        live += r->entries[i].base && r->entries[i].record->serial == r->entries[i].serial;
    unsigned bits = ENTRY_BITS_LEAST;
    while (live * 4 > UINT64_C(1) << bits)
        bits++;
    dj_entry *entries = calloc((size_t)1 << bits, sizeof *entries);
    if (!entries)
        return dj_fail_memory(context, "the recorded data", sizeof *entries << bits);
    for (uint64_t i = 0; i < old; i++) {
        const dj_entry *e = &r->entries[i];
        if (e->base && e->record->serial == e->serial)
            *probe(entries, bits, e->base) = *e;
    }
    free(r->entries);
    r->entries = entries;
    r->entry_bits = bits;
    r->entry_count = live;
    return DJ_OK;
}

static int enter(dj_records *r, dj_context *context, uint64_t base, dj_record *record)
{
    if ((r->entry_count + 1) * 2 > UINT64_C(1) << r->entry_bits) {
        int err = rehash(r, context);
        if (err)
            return err;
    }
    dj_entry *e = probe(r->entries, r->entry_bits, base);
    r->entry_count += e->base == 0;
    *e = (dj_entry){base, record, record->serial};
    return DJ_OK;
}

static int new_record(dj_records *r, dj_context *context, dj_record **out)
{
    if (!r->free) {
        int err = dj_grow(context, "the recorded data", &r->chunks, &r->chunk_capacity, r->chunk_count + 1,
                          sizeof *r->chunks);
        dj_record *chunk = err ? NULL : calloc(CHUNK, sizeof *chunk);
        if (!chunk)
            return err ? err : dj_fail_memory(context, "the recorded data", CHUNK * sizeof *chunk);
        r->chunks[r->chunk_count++] = chunk;
        for (size_t i = 0; i < CHUNK; i++) {
            chunk[i].next_free = r->free;
            r->free = &chunk[i];
        }
    }
    *out = r->free;
    r->free = (*out)->next_free;
    return DJ_OK;
}

static void free_record(dj_records *r, dj_record *record)
{
    free(record->name);
    *record = (dj_record){.next_free = r->free};
    r->free = record;
}

// Chooses how to divide by the element size without a division instruction.
static void choose_division(dj_record *record)
{
    uint64_t bytes = record->element_bytes;
    if ((bytes & (bytes - 1)) == 0) {
        record->division = DJ_DIVIDE_SHIFT;
        record->shift = (uint8_t)__builtin_ctzll(bytes);
    } else if (record->bytes <= UINT64_MAX / bytes) {
        // Exact for offsets below 2^64 / bytes.
        record->division = DJ_DIVIDE_MULTIPLY;
        record->reciprocal = UINT64_MAX / bytes + 1;
    } else {
        record->division = DJ_DIVIDE;
    }
}

// Regroups cells after a member has left: records that still overlap stay together.
static int regroup(dj_records *r, dj_context *context, dj_cells *cells)
{
    int err = DJ_OK;
    dj_cells_order(cells);
    for (size_t from = 0, to; !err && from < cells->member_count; from = to) {
        uint64_t lo = cells->members[from]->base, hi = lo;
        for (to = from; to < cells->member_count && (to == from || cells->members[to]->base < hi); to++) {
            uint64_t end = cells->members[to]->base + cells->members[to]->bytes;
            hi = end > hi ? end : hi;
        }
        dj_cells *part = NULL;
        err = dj_cells_part(cells, context, from, to, lo, hi, &part);
        if (!err)
            err = dj_extents_add(r->extents, context, lo, hi, NULL, part);
    }
    dj_cells_destroy(cells);
    return err;
}

static int drop(dj_records *r, dj_context *context, dj_record *record)
{
    int err = DJ_OK;
    dj_cells *cells = record->cells;
    const dj_extent_node *extent = record->bytes ? dj_extents_above(r->extents, record->base) : NULL;
    if (extent)
        dj_extents_remove(r->extents, extent->lo);
    if (cells) {
        dj_cells_leave(cells, record);
        err = regroup(r, context, cells);
    } else if (record->bytes && r->ops) {
        err = r->ops->release(r->user, context, record->first);
    }
    free_record(r, record);
    return err;
}

// Moves overlapping records from the extents into cells; *out is NULL if there are none.
static int gather(dj_records *r, dj_context *context, const dj_record *record, dj_cells **out)
{
    uint64_t end = record->base + record->bytes;
    int err = DJ_OK;
    *out = NULL;
    for (const dj_extent_node *e; !err && (e = dj_extents_above(r->extents, record->base)) && e->lo < end;) {
        dj_record *single = e->record;
        dj_cells *shared = e->cells;
        dj_extents_remove(r->extents, e->lo);
        if (!*out)
            err = dj_cells_create(context, out);
        if (!err)
            err = single ? dj_cells_take(*out, context, single) : dj_cells_merge(*out, context, shared);
    }
    return err;
}

static int place(dj_records *r, dj_context *context, dj_record *record)
{
    dj_cells *cells;
    if (record->bytes == 0)
        return DJ_OK;
    int err = gather(r, context, record, &cells);
    if (!err && cells) {
        err = dj_cells_join(cells, r, context, record);
        if (err)
            return err;
        uint64_t lo = UINT64_MAX, hi = 0;
        for (size_t i = 0; i < cells->member_count; i++) {
            uint64_t base = cells->members[i]->base, end = base + cells->members[i]->bytes;
            lo = base < lo ? base : lo;
            hi = end > hi ? end : hi;
        }
        return dj_extents_add(r->extents, context, lo, hi, NULL, cells);
    }
    if (!err)
        err = dj_records_claim(r, context, dj_record_index(record, record->bytes - 1) + 1, record,
                               &record->first);
    return err ? err
               : dj_extents_add(r->extents, context, record->base, record->base + record->bytes, record,
                                NULL);
}

int dj_records_data(dj_records *r, dj_context *context, uint64_t base, uint64_t bytes, uint64_t element_bytes,
                    const char *name)
{
    dj_record *record = NULL;
    int err = dj_records_forget(r, context, base);
    if (err || base == 0 || base >= ADDRESSES_END || bytes > ADDRESSES_END - base)
        return err;
    err = new_record(r, context, &record);
    if (err)
        return err;
    if (++r->serial == 0)
        r->serial = 1;
    *record = (dj_record){.base = base,
                          .bytes = bytes,
                          .element_bytes = element_bytes ? element_bytes
                                           : bytes       ? bytes
                                                         : 1,
                          .serial = r->serial};
    choose_division(record);
    err = dj_copy_text(context, name ? name : "", &record->name);
    if (!err)
        err = place(r, context, record);
    return err ? err : enter(r, context, base, record);
}

int dj_records_partial(dj_records *r, dj_context *context, uint64_t base, uint64_t entry, bool *known)
{
    dj_record *record = dj_records_find(r, base), *there = dj_records_find(r, entry);
    *known = record && entry - record->base < record->bytes;
    // Data recorded at the entry itself keeps its base.
    return *known && !(there && there->base == entry) ? enter(r, context, entry, record) : DJ_OK;
}

int dj_records_forget(dj_records *r, dj_context *context, uint64_t base)
{
    dj_record *record = dj_records_find(r, base);
    return record && record->base == base ? drop(r, context, record) : DJ_OK;
}
