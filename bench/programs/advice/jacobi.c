// SPDX-License-Identifier: MIT
// Jacobi steps on a grid, each a sweep from one array to the other. A row can go on to the next step as soon
// as its neighbors are done.
//
// object: grid
// level: L2
// accept: tile wavefront
// carrier: steps
// native: -DN=2000
#include "kernel.h"

#ifndef N
#define N 192
#endif
#define STEPS 8

static uint32_t grid[2][N][N];

static inline void update_row(int step, int j)
{
    for (int i = 1; i < N - 1; i++) {
        grid[(step + 1) % 2][j][i] = grid[step % 2][j][i] * 3 + grid[step % 2][j - 1][i] +
                                     grid[step % 2][j + 1][i] + grid[step % 2][j][i - 1] +
                                     grid[step % 2][j][i + 1];
    }
}

int main(void)
{
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            grid[0][j][i] = grid[1][j][i] = (uint32_t)(i * 3 + j);
        }
    }
#ifndef FIXED
    for (int step = 0; step < STEPS; step++) { // [steps]
        for (int j = 1; j < N - 1; j++) {
            update_row(step, j);
        }
    }
#else
    for (int front = 1; front < N - 1 + STEPS; front++) {
        for (int step = 0; step < STEPS; step++) {
            if (front - step >= 1 && front - step < N - 1) {
                update_row(step, front - step);
            }
        }
    }
#endif
    uint32_t sum = 0;
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            sum = sum * 31 + grid[STEPS % 2][j][i];
        }
    }
    printf("%u\n", sum);
}
