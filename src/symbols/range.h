// SPDX-License-Identifier: MIT
// Nested ranges of addresses, flattened so that a binary search finds the innermost one at an address.
#ifndef DEJA_SYMBOLS_RANGE_H
#define DEJA_SYMBOLS_RANGE_H

#include <deja/error.h>

typedef struct dj_range {
    uint64_t lo, hi; // [lo, hi)
    uint32_t item;
} dj_range;

typedef struct dj_ranges {
    dj_range *rows;
    size_t count, capacity;
} dj_ranges; // a zeroed structure is empty

// Empty ranges are ignored.
int dj_ranges_add(dj_ranges *spans, dj_context *context, uint64_t lo, uint64_t hi, uint32_t item);
void dj_ranges_free(dj_ranges *spans);

// Sorts and cuts the ranges so that none overlaps another: each address goes to the highest item that
// covered it.
int dj_ranges_flatten(dj_ranges *spans, dj_context *context);

// Adds a range to flattened ones, up to the first of them that overlaps it.
int dj_ranges_insert(dj_ranges *spans, dj_context *context, uint64_t lo, uint64_t hi, uint32_t item);

// The range that contains an address, of flattened ones; NULL: none.
const dj_range *dj_ranges_find(const dj_ranges *spans, uint64_t address);
// The first range that ends after the address; `count` if there is none.
size_t dj_ranges_from(const dj_ranges *spans, uint64_t address);

#endif
