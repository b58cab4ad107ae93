// SPDX-License-Identifier: MIT
// Powers of a banded sparse matrix times a vector, as in iterative solvers. A step needs only nearby results
// of the previous one, so a few rows can go through all steps while their part of the matrix is in the
// cache.
//
// model: NPB CG
// object: a col x
// level: L2
// accept: tile wavefront
// carrier: steps
// native: -DROWS=1000000
#include "kernel.h"

#ifndef ROWS
#define ROWS 12000
#endif
#define WIDTH 8
#define REACH 8
#define STEPS 6

static uint32_t a[ROWS * WIDTH], col[ROWS * WIDTH], x[STEPS + 1][ROWS];

static inline void multiply(int step, int row)
{
    uint32_t sum = 0;
    for (int k = 0; k < WIDTH; k++) {
        sum += a[row * WIDTH + k] * x[step][col[row * WIDTH + k]];
    }
    x[step + 1][row] = sum;
}

int main(void)
{
    for (int i = 0; i < ROWS; i++) {
        x[0][i] = i * 7 + 1;
        for (int k = 0; k < WIDTH; k++) {
            int to = i + (k * 2 - REACH);
            col[i * WIDTH + k] = to < 0 ? 0 : to >= ROWS ? ROWS - 1 : to;
            a[i * WIDTH + k] = i + k;
        }
    }
#ifndef FIXED
    for (int step = 0; step < STEPS; step++) { // [steps]
        for (int i = 0; i < ROWS; i++) {
            multiply(step, i);
        }
    }
#else
    int block = 64;
    for (int low = 0; low < ROWS + STEPS * REACH; low += block) {
        for (int step = 0; step < STEPS; step++) {
            int from = low - step * REACH, to = from + block;
            for (int i = from < 0 ? 0 : from; i < to && i < ROWS; i++) {
                multiply(step, i);
            }
        }
    }
#endif
    uint32_t sum = 0;
    for (int i = 0; i < ROWS; i++) {
        sum = sum * 31 + x[STEPS][i];
    }
    printf("%u\n", sum);
}
