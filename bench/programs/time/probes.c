// SPDX-License-Identifier: MIT
// ROUNDS thousand lookups in a hash table of SIZE slots with linear probing. SIZE is a power of two.
#include "kernel.h"

typedef struct slot {
    uint64_t key, value;
} slot;

static slot *slots;

static size_t home(uint64_t key)
{
    return key * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (size - 1);
}

static void prepare(void)
{
    slots = need(size * sizeof *slots);
    for (uint64_t key = 1; key < size / 2; key++) {
        size_t at = home(key);
        while (slots[at].key)
            at = (at + 1) & (size - 1);
        slots[at] = (slot){key, 1};
    }
}

static double work(void)
{
    uint64_t state = 9, sum = 0;
    for (long i = 0; i < 1000 * rounds; i++) {
        const uint64_t key = 1 + next_random(&state) % (size / 2 - 1);
        size_t at = home(key);
        while (slots[at].key && slots[at].key != key)
            at = (at + 1) & (size - 1);
        sum += slots[at].value;
    }
    return (double)sum;
}
