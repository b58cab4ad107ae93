// SPDX-License-Identifier: MIT
#include "locate/stacks.h"

#include "base/grow.h"

#include <string.h>

// The first stack that ends above an address.
static size_t first_above(const dj_stacks *stacks, uint64_t address)
{
    size_t lo = 0, hi = stacks->count;
    while (lo < hi) {
        size_t middle = (lo + hi) / 2;
        if (stacks->list[middle].hi <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

void dj_stacks_remove(dj_stacks *stacks, uint64_t lo, uint64_t hi)
{
    size_t from = first_above(stacks, lo), to = from;
    while (to < stacks->count && stacks->list[to].lo < hi)
        to++;
    if (to == from)
        return;
    memmove(&stacks->list[from], &stacks->list[to], (stacks->count - to) * sizeof *stacks->list);
    stacks->count -= to - from;
}

int dj_stacks_add(dj_stacks *stacks, dj_context *context, uint64_t lo, uint64_t hi, uint32_t thread)
{
    const dj_stack_range *same = dj_stacks_find(stacks, lo);
    if (same && same->lo == lo && same->hi == hi && same->thread == thread)
        return DJ_OK; // threads report their stack at every switch
    dj_stacks_remove(stacks, lo, hi);
    int err = dj_grow(context, "the stacks", &stacks->list, &stacks->capacity, stacks->count + 1,
                      sizeof *stacks->list);
    if (err)
        return err;
    size_t at = first_above(stacks, lo);
    memmove(&stacks->list[at + 1], &stacks->list[at], (stacks->count - at) * sizeof *stacks->list);
    stacks->list[at] = (dj_stack_range){lo, hi, thread};
    stacks->count++;
    return DJ_OK;
}

const dj_stack_range *dj_stacks_find(const dj_stacks *stacks, uint64_t address)
{
    size_t at = first_above(stacks, address);
    return at < stacks->count && stacks->list[at].lo <= address ? &stacks->list[at] : NULL;
}
