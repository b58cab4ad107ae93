// SPDX-License-Identifier: MIT
// Columns of a matrix whose rows have 4 KiB: the 32 blocks of a column compete for the same set of the
// cache, which would otherwise hold them all. One more block per row spreads them.
//
// ways: 8
// object: a
// level: L1
// accept: pad interchange
// reject: tile
// native: -DCOLUMNS=1024 -DPASSES=4000
#include "kernel.h"

#ifndef COLUMNS
#define COLUMNS 1024
#define PASSES 24
#endif
#define ROWS 32
#ifdef FIXED
#define PAD 16
#else
#define PAD 0
#endif

static uint32_t a[ROWS][COLUMNS + PAD] __attribute__((aligned(4096)));

int main(void)
{
    uint32_t sum = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            a[i][j] = (uint32_t)(i * 3 + j);
        }
    }
    for (int pass = 0; pass < PASSES; pass++) {
        for (int j = 0; j < COLUMNS; j++) { // [columns]
            for (int i = 0; i < ROWS; i++) {
                sum = sum * 3 + a[i][j];
            }
        }
    }
    printf("%u\n", sum);
}
