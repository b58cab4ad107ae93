// SPDX-License-Identifier: MIT
// An LRU stack from which elements are taken by depth, in O(log elements): elements are in slots in
// last-access order, and a Fenwick tree counts the occupied slots.
#ifndef DEJA_TRACE_GENERATE_LRU_STACK_H
#define DEJA_TRACE_GENERATE_LRU_STACK_H

#include <deja/error.h>

// Counts of bins, with running sums in O(log bins).
typedef struct dj_fenwick {
    uint64_t *sum; // 1-based
    uint64_t size; // a power of two
} dj_fenwick;

int dj_fenwick_create(dj_context *context, uint64_t least, dj_fenwick *out);
void dj_fenwick_add(dj_fenwick *f, uint64_t index, uint64_t amount);
// The index whose range of the running sums contains `target`.
uint64_t dj_fenwick_find(const dj_fenwick *f, uint64_t target);

typedef struct dj_lru_stack {
    uint64_t *slot; // elements in order of last access, with holes
    uint64_t top;   // first slot never used
    uint64_t count; // elements
    dj_fenwick occupied;
} dj_lru_stack;

// An empty stack for up to `most` elements.
int dj_lru_stack_create(dj_context *context, uint64_t most, dj_lru_stack *out);
void dj_lru_stack_destroy(dj_lru_stack *stack);
// A first access.
void dj_lru_stack_push(dj_lru_stack *stack, uint64_t element);
// Accesses the element below `depth` others, and returns it.
uint64_t dj_lru_stack_access(dj_lru_stack *stack, uint64_t depth);

#endif
