// SPDX-License-Identifier: MIT
// A chain through a table in random order: each address is known only when the previous access is done, and
// nothing says which parts are used together.
//
// object:
// level: L2
// accept: none
// also: huge@next prefetch@next
#include "kernel.h"

#define HALF 8
#define SIZE (1U << (2 * HALF))
#define STEPS 600000

static uint32_t next[SIZE];

int main(void)
{
    for (uint32_t i = 0; i < SIZE; i++) {
        next[i] = shuffled(i, HALF);
    }
    uint32_t at = 1;
    for (uint32_t step = 0; step < STEPS; step++) {
        at = (next[at] * 2654435761U + step) >> 16;
    }
    printf("%u\n", at);
}
