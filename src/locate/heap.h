// SPDX-License-Identifier: MIT
// Finds the heap block that contains an address in constant time: a radix tree of pages, and for each page
// the starts of blocks in it.
#ifndef DEJA_LOCATE_HEAP_H
#define DEJA_LOCATE_HEAP_H

#include <deja/error.h>

#include <stdbool.h>

typedef struct dj_heap_block {
    uint64_t lo, hi;
    uint64_t fresh;  // where lo is mapped to if reallocated memory counts as new data (generations.h)
    uint32_t object; // id of the object that it belongs to
    uint32_t serial; // changes when the record is reused for another block; 0: free
    uint32_t next_free;
    uint32_t generation;
} dj_heap_block;

typedef struct dj_heap dj_heap;

// `fresh`: memory that is allocated again is new data.
int dj_heap_create(dj_context *context, bool fresh, dj_heap **out);
void dj_heap_destroy(dj_heap *heap);

// Blocks that start within the new one are removed. `bytes` may be 0.
int dj_heap_add(dj_heap *heap, dj_context *context, uint64_t address, uint64_t bytes, uint32_t object);
// Removes the block that starts at `address`, if there is one.
int dj_heap_remove(dj_heap *heap, dj_context *context, uint64_t address);

// The block that contains `address`, or NULL. The record lives as long as the heap; its serial shows
// whether it is still the same block.
const dj_heap_block *dj_heap_find(const dj_heap *heap, uint64_t address);

// A counter that increases with every change.
const uint32_t *dj_heap_changes_at(const dj_heap *heap);

#endif
