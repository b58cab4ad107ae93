// SPDX-License-Identifier: MIT
// Which block of the heap holds an address, in constant time: a radix tree of
// pages, and in each page that blocks begin in, where they begin.
#ifndef DEJA_LOCATE_HEAP_H
#define DEJA_LOCATE_HEAP_H

#include <deja/error.h>

typedef struct dj_heap_block {
    uint64_t lo, hi;
    uint64_t fresh;  // address of lo among data that was never seen before
    uint32_t object; // id of the object that it belongs to
    uint32_t serial; // differs between the blocks that share this record in turn; 0: free
    uint32_t next_free;
} dj_heap_block;

typedef struct dj_heap dj_heap;

int dj_heap_create(dj_context *context, dj_heap **out);
void dj_heap_destroy(dj_heap *heap);

// Blocks that begin within the new one are forgotten. `bytes` may be 0.
int dj_heap_add(dj_heap *heap, dj_context *context, uint64_t address, uint64_t bytes, uint32_t object);
// Forgets the block that begins at `address`, if there is one.
void dj_heap_remove(dj_heap *heap, uint64_t address);

// The block that holds `address`, or NULL. The record stays where it is as long
// as the heap; its serial tells whether it is still the same block.
const dj_heap_block *dj_heap_find(const dj_heap *heap, uint64_t address);

// What it points at grows with every change.
const uint32_t *dj_heap_changes_at(const dj_heap *heap);

#endif
