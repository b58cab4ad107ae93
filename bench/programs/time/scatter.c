// SPDX-License-Identifier: MIT
// Sorts SIZE keys by their low 12 bits: a pass of a radix sort, which writes 4096 sequences.
#include "kernel.h"

enum { BUCKETS = 4096 };

static uint32_t *keys, *sorted;
static size_t begins[BUCKETS];

static void prepare(void)
{
    uint64_t state = 13;
    keys = need(size * sizeof *keys);
    sorted = need(size * sizeof *sorted);
    for (size_t i = 0; i < size; i++)
        keys[i] = (uint32_t)next_random(&state);
}

static double work(void)
{
    for (long r = 0; r < rounds; r++) {
        size_t next = 0;
        for (size_t b = 0; b < BUCKETS; b++)
            begins[b] = 0;
        for (size_t i = 0; i < size; i++)
            begins[keys[i] % BUCKETS]++;
        for (size_t b = 0; b < BUCKETS; b++) {
            const size_t count = begins[b];
            begins[b] = next;
            next += count;
        }
        for (size_t i = 0; i < size; i++)
            sorted[begins[keys[i] % BUCKETS]++] = keys[i];
    }
    return sorted[size / 2];
}
