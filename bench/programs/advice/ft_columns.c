// SPDX-License-Identifier: MIT
// A transform along columns, one column at a time: every stage returns to one element in each of 256 rows.
// Eight columns at a time share the blocks.
//
// model: NPB FT
// object: grid
// level: L1
// accept: tile interchange wavefront
// carrier: stages columns
// native: -DROWS=1024 -DCOLUMNS=1024
#include "kernel.h"

#ifndef ROWS
#define ROWS 256
#define COLUMNS 192
#endif

static struct {
    uint32_t re, im;
} grid[ROWS][COLUMNS];

static inline void butterfly(int i, int j, int c)
{
    uint32_t re = grid[j][c].re * 3, im = grid[j][c].im * 5;
    grid[j][c].re = grid[i][c].re - re;
    grid[j][c].im = grid[i][c].im - im;
    grid[i][c].re += re;
    grid[i][c].im += im;
}

int main(void)
{
    for (int i = 0; i < ROWS; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            grid[i][c].re = (uint32_t)(i * c);
            grid[i][c].im = (uint32_t)(i + c);
        }
    }
#ifndef FIXED
    for (int c = 0; c < COLUMNS; c++) {              // [columns]
        for (int half = 1; half < ROWS; half *= 2) { // [stages]
            for (int from = 0; from < ROWS; from += 2 * half) {
                for (int i = from; i < from + half; i++) {
                    butterfly(i, i + half, c);
                }
            }
        }
    }
#else
    for (int first = 0; first < COLUMNS; first += 8) {
        for (int half = 1; half < ROWS; half *= 2) {
            for (int from = 0; from < ROWS; from += 2 * half) {
                for (int i = from; i < from + half; i++) {
                    for (int c = first; c < first + 8; c++) {
                        butterfly(i, i + half, c);
                    }
                }
            }
        }
    }
#endif
    uint32_t sum = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            sum = sum * 31 + grid[i][c].re + grid[i][c].im;
        }
    }
    printf("%u\n", sum);
}
