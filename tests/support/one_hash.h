// SPDX-License-Identifier: MIT
// Keys that are bad for the table of engine fast.
#ifndef DEJA_TESTS_ONE_HASH_H
#define DEJA_TESTS_ONE_HASH_H

#include "engine/fast/table.h"

// The inverse of an odd number modulo 2^64 (Newton).
static inline uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

// Different keys with the same hash, and so with the same mark and line.
static inline uint64_t key_of_hash(uint32_t hash, uint32_t n)
{
    uint64_t x = ((uint64_t)hash << 32 | n) * inverse(DJ_FAST_SECOND_FACTOR);
    x ^= x >> 32;
    return x * inverse(DJ_FAST_FIRST_FACTOR);
}

#endif
