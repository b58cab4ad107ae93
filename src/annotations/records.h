// SPDX-License-Identifier: MIT
// The data that a program has recorded: maps base addresses to elements. The elements of every record have
// consecutive numbers that were never used before. If the memory of two records overlaps, both are measured
// by cell: the same memory has the same number, whichever base it is accessed through.
#ifndef DEJA_ANNOTATIONS_RECORDS_H
#define DEJA_ANNOTATIONS_RECORDS_H

#include <deja/error.h>

enum dj_division { DJ_DIVIDE_SHIFT, DJ_DIVIDE_MULTIPLY, DJ_DIVIDE };

typedef struct dj_record {
    uint64_t base, bytes;
    uint64_t first;         // number of element 0, while no other record shares the memory
    uint64_t reciprocal;    // for DJ_DIVIDE_MULTIPLY
    uint32_t serial;        // differs between successive records at the same memory; 0: free
    uint8_t shift;          // for DJ_DIVIDE_SHIFT
    uint8_t division;       // enum dj_division
    struct dj_cells *cells; // shared with other records; NULL: not shared
    uint64_t element_bytes;
    char *name;
    struct dj_record *next_free;
} dj_record;

// A base address: of data, or an entry into it.
typedef struct dj_entry {
    uint64_t base; // 0: free
    dj_record *record;
    uint32_t serial; // of the record; if it differs, the entry is outdated
} dj_entry;

// Numbers are claimed for [first, first + count); lower numbers of the record are no longer used.
typedef struct dj_records_ops {
    int (*claim)(void *user, dj_context *context, uint64_t first, uint64_t count, const dj_record *record);
    // The numbers from `first` on, claimed before, will not be used again.
    int (*release)(void *user, dj_context *context, uint64_t first);
} dj_records_ops;

typedef struct dj_records {
    dj_entry *entries; // a power of two, open addressing
    uint64_t entry_count;
    unsigned entry_bits;
    struct dj_extents *extents; // the memory of live records
    dj_record *free;
    dj_record **chunks;
    size_t chunk_count, chunk_capacity;
    uint32_t serial;
    uint64_t next; // number
    const dj_records_ops *ops;
    void *user;
} dj_records;

int dj_records_create(dj_records *records, dj_context *context, const dj_records_ops *ops, void *user);
void dj_records_destroy(dj_records *records);

// `element_bytes` 0: one element. Replaces data recorded at `base` before, with its entries.
int dj_records_data(dj_records *records, dj_context *context, uint64_t base, uint64_t bytes,
                    uint64_t element_bytes, const char *name);
// *known says whether `base` is recorded and contains `entry`.
int dj_records_partial(dj_records *records, dj_context *context, uint64_t base, uint64_t entry, bool *known);
int dj_records_forget(dj_records *records, dj_context *context, uint64_t base);

// Claims numbers for `count` elements of a record.
int dj_records_claim(dj_records *records, dj_context *context, uint64_t count, const dj_record *record,
                     uint64_t *first);

// The number of an address in memory that several records share.
int dj_cells_number(dj_records *records, dj_context *context, const dj_record *record, uint64_t address,
                    uint64_t *number);

static inline uint64_t dj_records_slot(const dj_records *records, uint64_t base)
{
    return base * UINT64_C(0x9e3779b97f4a7c15) >> (64 - records->entry_bits);
}

// The record that `base` belongs to; NULL: none.
static inline dj_record *dj_records_find(const dj_records *records, uint64_t base)
{
    uint64_t mask = (UINT64_C(1) << records->entry_bits) - 1;
    const dj_entry *entry = &records->entries[dj_records_slot(records, base)];
    while (entry->base != base && entry->base)
        entry = &records->entries[(uint64_t)(entry - records->entries + 1) & mask];
    return base && entry->base && entry->record->serial == entry->serial ? entry->record : NULL;
}

// The index of the element that contains the byte at `offset`.
static inline uint64_t dj_record_index(const dj_record *record, uint64_t offset)
{
    if (record->division == DJ_DIVIDE_SHIFT)
        return offset >> record->shift;
    return record->division == DJ_DIVIDE_MULTIPLY
               ? (uint64_t)((unsigned __int128)offset * record->reciprocal >> 64)
               : offset / record->element_bytes;
}

#endif
