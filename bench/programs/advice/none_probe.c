// SPDX-License-Identifier: MIT
// Lookups in a compact hash table, one block each. Which key is next depends on what was found.
//
// object:
// level: L2
// accept: none
// also: huge@table prefetch@table
#include "kernel.h"

#define BITS 15
#define SLOTS (1U << BITS)
#define LOOKUPS 300000

static struct {
    uint32_t key, value;
} table[SLOTS];

int main(void)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        table[slot].key = slot;
        table[slot].value = (slot + 1) * 2654435761U;
    }
    uint32_t found = 1;
    for (uint32_t i = 0; i < LOOKUPS; i++) {
        uint32_t slot = (found * 2246822519U + i) >> (32 - BITS);
        found ^= table[slot].key + table[slot].value;
    }
    printf("%u\n", found);
}
