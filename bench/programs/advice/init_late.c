// SPDX-License-Identifier: MIT
// A large array is cleared long before it is filled. Clearing it where it is filled saves one transfer.
//
// object: total heap
// level: L3
// accept: "initialize late" fuse
// reject: tile
// native: -DN=20000000
#include "kernel.h"

#ifndef N
#define N 500000
#endif

static uint32_t *total;

static inline uint32_t measure(uint32_t i)
{
    return (i * 2654435761U) >> 3;
}

int main(void)
{
    total = malloc(N * sizeof *total);
#ifndef FIXED
    for (uint32_t i = 0; i < N; i++) {
        total[i] = 3;
    }
#endif
    uint32_t sum = 0;
    for (uint32_t i = 0; i < N; i++) {
#ifdef FIXED
        total[i] = 3;
#endif
        total[i] += measure(i);
        sum = sum * 31 + total[i];
    }
    printf("%u\n", sum);
}
