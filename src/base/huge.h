// SPDX-License-Identifier: MIT
// Zeroed memory for big tables: in huge pages where the system has them, so
// that a random access does not also miss in the TLB, and with a way to give
// the front of a table back while the rest is still being read.
#ifndef DEJA_BASE_HUGE_H
#define DEJA_BASE_HUGE_H

#include "base/footprint.h"

// All zero: nothing held.
typedef struct dj_huge {
    void *memory; // at a 64-byte border at least
    size_t bytes;
    size_t released_bytes; // at the front, given back already
} dj_huge;

// Counted in `footprint`. On failure nothing is held; `what` names the memory
// in the message.
int dj_huge_allocate(dj_huge *huge, dj_footprint *footprint, dj_context *context, const char *what,
                     uint64_t count, size_t element_bytes);

// At least `count` elements. The first `kept` bytes stay; what lies behind them is undefined. On failure
// all is as it was.
int dj_huge_grow(dj_huge *huge, dj_footprint *footprint, dj_context *context, const char *what,
                 uint64_t count, size_t element_bytes, size_t kept);

// The first `bytes` are not needed any more. Gives back whole huge pages, so
// call it often and it costs little.
void dj_huge_release_front(dj_huge *huge, dj_footprint *footprint, size_t bytes);

void dj_huge_free(dj_huge *huge, dj_footprint *footprint);

#endif
