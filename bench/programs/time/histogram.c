// SPDX-License-Identifier: MIT
// Counts SIZE random keys in as many counters.
#include "kernel.h"

static uint32_t *counts, *keys;

static void prepare(void)
{
    uint64_t state = 3;
    counts = need(size * sizeof *counts);
    keys = need(size * sizeof *keys);
    for (size_t i = 0; i < size; i++)
        keys[i] = (uint32_t)(next_random(&state) % size);
}

static double work(void)
{
    for (long r = 0; r < rounds; r++)
        for (size_t i = 0; i < size; i++)
            counts[keys[i]]++;
    return counts[size / 2];
}
