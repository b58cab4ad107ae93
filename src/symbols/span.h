// SPDX-License-Identifier: MIT
// Ranges of addresses that may lie within each other, made flat, so that a
// binary search finds the innermost one at an address.
#ifndef DEJA_SYMBOLS_SPAN_H
#define DEJA_SYMBOLS_SPAN_H

#include <deja/error.h>

typedef struct dj_span {
    uint64_t lo, hi; // [lo, hi)
    uint32_t item;
} dj_span;

typedef struct dj_spans {
    dj_span *rows;
    size_t count, room;
} dj_spans; // one that is all zero is empty

// An empty range is left out.
int dj_spans_add(dj_spans *spans, dj_context *context, uint64_t lo, uint64_t hi, uint32_t item);
void dj_spans_free(dj_spans *spans);

// Sorts the ranges and cuts them, so that none overlaps another: each address
// goes to the highest item that covered it.
int dj_spans_flatten(dj_spans *spans, dj_context *context);

// The range that holds an address, of flat ones; NULL: none.
const dj_span *dj_spans_find(const dj_spans *spans, uint64_t address);
// The first range that ends after the address; `count` when there is none.
size_t dj_spans_from(const dj_spans *spans, uint64_t address);

#endif
