// SPDX-License-Identifier: MIT
// Random numbers are generated into a buffer, a large batch at a time, and used once. A batch that fits in
// the cache does the same.
//
// model: NPB EP
// object: batch
// level: L2
// accept: shrink fuse
// reject: tile
// carrier: batches
// native: -DTOTAL=64000000 -DBATCH=8000000
#include "kernel.h"

#ifndef TOTAL
#define TOTAL (640 * 1024)
#endif
#ifdef FIXED
#undef BATCH
#define BATCH 1024
#elif !defined BATCH
#define BATCH (64 * 1024)
#endif

static uint32_t batch[BATCH], count[16];

int main(void)
{
    uint32_t state = 99;
    for (int first = 0; first + BATCH <= TOTAL; first += BATCH) { // [batches]
        for (int i = 0; i < BATCH; i++) {
            batch[i] = next_random(&state);
        }
        for (int i = 0; i < BATCH; i++) {
            count[batch[i] >> 28]++;
        }
    }
    uint32_t sum = 0;
    for (int i = 0; i < 16; i++) {
        sum = sum * 31 + count[i];
    }
    printf("%u\n", (TOTAL % (64 * 1024)) == 0 ? sum : 0);
}
