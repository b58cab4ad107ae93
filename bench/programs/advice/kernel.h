// SPDX-License-Identifier: MIT
// What the kernels of ./dev bench advice share. Their arithmetic is exact, so both versions print the same.
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ALONE static __attribute__((noinline))

// The next number of a sequence without a pattern; the state must not be 0.
static inline uint32_t next_random(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

// A permutation of 0 … 2^(2 * half) - 1 without locality, and its inverse.
static inline uint32_t shuffled(uint32_t value, unsigned half)
{
    uint32_t mask = (1U << half) - 1, left = value >> half, right = value & mask;
    for (uint32_t round = 1; round <= 4; round++) {
        uint32_t mixed = left ^ (((right + round) * 2654435761U >> 11) & mask);
        left = right;
        right = mixed;
    }
    return left << half | right;
}

static inline uint32_t unshuffled(uint32_t value, unsigned half)
{
    uint32_t mask = (1U << half) - 1, left = value >> half, right = value & mask;
    for (uint32_t round = 4; round >= 1; round--) {
        uint32_t mixed = right ^ (((left + round) * 2654435761U >> 11) & mask);
        right = left;
        left = mixed;
    }
    return left << half | right;
}

#endif
