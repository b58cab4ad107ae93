// SPDX-License-Identifier: MIT
// Every row of a table looks up its partner in a hash table larger than the cache. Rows distributed to parts
// by their hash look up in a part that fits.
//
// model: hash table
// object: table
// level: L2
// accept: partition reorder
// carrier: rows
// native: -DROWS=8000000 -DBITS=22
#include "kernel.h"

#ifndef ROWS
#define ROWS 150000
#endif
#ifndef BITS
#define BITS 15
#endif
#define SLOTS (1U << BITS)
#define PARTS 16U

static struct {
    uint32_t key, value;
} table[SLOTS];
static uint32_t row[ROWS];
#ifdef FIXED
static uint32_t divided[ROWS], start[PARTS + 1];
#endif

static inline uint32_t slot_of(uint32_t key)
{
    return key * 2654435761U >> (32 - BITS);
}

static uint32_t partner(uint32_t key)
{
    uint32_t slot = slot_of(key);
    while (table[slot].key != key && table[slot].key != 0) {
        slot = (slot + 1) & (SLOTS - 1);
    }
    return table[slot].value;
}

int main(void)
{
    for (uint32_t key = 1; key < SLOTS / 2; key++) {
        uint32_t slot = slot_of(key);
        while (table[slot].key != 0) {
            slot = (slot + 1) & (SLOTS - 1);
        }
        table[slot].key = key;
        table[slot].value = key * 3;
    }
    uint32_t state = 31, sum = 0;
    for (int i = 0; i < ROWS; i++) {
        row[i] = 1 + next_random(&state) % (SLOTS / 2 - 1);
    }
#ifndef FIXED
    for (int i = 0; i < ROWS; i++) { // [rows]
        sum += partner(row[i]);
    }
#else
    for (int i = 0; i < ROWS; i++) {
        start[slot_of(row[i]) / (SLOTS / PARTS) + 1]++;
    }
    for (uint32_t part = 0; part < PARTS; part++) {
        start[part + 1] += start[part];
    }
    for (int i = 0; i < ROWS; i++) {
        divided[start[slot_of(row[i]) / (SLOTS / PARTS)]++] = row[i];
    }
    for (int i = 0; i < ROWS; i++) {
        sum += partner(divided[i]);
    }
#endif
    printf("%u\n", sum);
}
