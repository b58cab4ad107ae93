// SPDX-License-Identifier: MIT
// Zeroed memory for large tables: in huge pages if available, to avoid TLB misses on random accesses, and
// with a function that frees the front of a table while the rest is still in use.
#ifndef DEJA_BASE_HUGE_H
#define DEJA_BASE_HUGE_H

#include "base/footprint.h"

// Zero-initialized: no memory.
typedef struct dj_huge {
    void *memory; // aligned to at least 64 bytes
    size_t bytes;
    size_t released_bytes; // already freed at the front
} dj_huge;

// Memory is counted in `footprint`. On failure nothing is allocated; `what` names the memory in the message.
int dj_huge_allocate(dj_huge *huge, dj_footprint *footprint, dj_context *context, const char *what,
                     uint64_t count, size_t element_bytes);

// Grows to at least `count` elements. Preserves the first `kept` bytes; the rest is undefined. On failure
// nothing changes.
int dj_huge_grow(dj_huge *huge, dj_footprint *footprint, dj_context *context, const char *what,
                 uint64_t count, size_t element_bytes, size_t kept);

// The first `bytes` are no longer needed. Frees only complete huge pages, so frequent calls are cheap.
void dj_huge_release_front(dj_huge *huge, dj_footprint *footprint, size_t bytes);

void dj_huge_free(dj_huge *huge, dj_footprint *footprint);

#endif
