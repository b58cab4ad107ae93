// SPDX-License-Identifier: MIT
// A matrix product whose inner loop walks down a column. With the last two loops interchanged it walks along
// rows.
//
// object: b
// level: L1
// accept: interchange tile
// carrier: j i
// native: -DROWS=400 -DDEPTH=400 -DCOLUMNS=400
#include "kernel.h"

#ifndef ROWS
#define ROWS 56
#define DEPTH 240
#define COLUMNS 64
#endif

static uint32_t a[ROWS][DEPTH], b[DEPTH][COLUMNS], c[ROWS][COLUMNS];

int main(void)
{
    for (int k = 0; k < DEPTH; k++) {
        for (int i = 0; i < ROWS; i++) {
            a[i][k] = (uint32_t)(i + k * 3);
        }
        for (int j = 0; j < COLUMNS; j++) {
            b[k][j] = (uint32_t)(j * 5 + k);
        }
    }
    for (int i = 0; i < ROWS; i++) { // [i]
#ifndef FIXED
        for (int j = 0; j < COLUMNS; j++) { // [j]
            for (int k = 0; k < DEPTH; k++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
#else
        for (int k = 0; k < DEPTH; k++) {
            for (int j = 0; j < COLUMNS; j++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
#endif
    }
    uint32_t sum = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            sum = sum * 31 + c[i][j];
        }
    }
    printf("%u\n", sum);
}
