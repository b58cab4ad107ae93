// SPDX-License-Identifier: MIT
// A matrix times a vector, once. The vector stays in the cache, the matrix is used once.
//
// object:
// level: L2
// accept: none
#include "kernel.h"

#define ROWS 1000
#define COLUMNS 500

static uint32_t x[COLUMNS], y[ROWS];

int main(void)
{
    uint32_t(*a)[COLUMNS] = calloc(ROWS, sizeof *a), sum = 0;
    for (int j = 0; j < COLUMNS; j++) {
        x[j] = (uint32_t)j * 3;
    }
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            y[i] += (a[i][j] + (uint32_t)i) * x[j];
        }
        sum = sum * 31 + y[i];
    }
    printf("%u\n", sum);
}
