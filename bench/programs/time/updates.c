// SPDX-License-Identifier: MIT
// ROUNDS thousand random updates of a table of SIZE words, as in HPCC RandomAccess. SIZE is a power of two.
#include "kernel.h"

static uint64_t *table;

static void prepare(void)
{
    table = need(size * sizeof *table);
}

static double work(void)
{
    uint64_t value = 1;
    for (long i = 0; i < 1000 * rounds; i++) {
        value = value << 1 ^ ((int64_t)value < 0 ? 7 : 0);
        table[value * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (size - 1)] ^= value;
    }
    return (double)table[1];
}
