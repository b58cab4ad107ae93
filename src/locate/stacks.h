// SPDX-License-Identifier: MIT
// Finds the thread whose stack contains an address. A new stack replaces others at its addresses.
#ifndef DEJA_LOCATE_STACKS_H
#define DEJA_LOCATE_STACKS_H

#include <deja/error.h>

typedef struct dj_stack_range {
    uint64_t lo, hi;
    uint32_t thread;
} dj_stack_range;

typedef struct dj_stacks {
    dj_stack_range *list; // by address, not overlapping
    size_t count, capacity;
} dj_stacks;

int dj_stacks_add(dj_stacks *stacks, dj_context *context, uint64_t lo, uint64_t hi, uint32_t thread);
// Removes stacks that overlap [lo, hi), which is in use for something else.
void dj_stacks_remove(dj_stacks *stacks, uint64_t lo, uint64_t hi);
// NULL: none.
const dj_stack_range *dj_stacks_find(const dj_stacks *stacks, uint64_t address);

#endif
