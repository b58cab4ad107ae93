// SPDX-License-Identifier: MIT
// Gaussian elimination: each step updates the rest of the matrix. Eight steps at a time go through it once.
//
// object: a
// level: L1
// accept: tile
// carrier: k
// native: -DN=800
#include "kernel.h"

#ifndef N
#define N 128
#endif
#define BLOCK 8

static uint32_t a[N][N];

static inline void eliminate(int k, int i)
{
    for (int j = k + 1; j < N; j++) {
        a[i][j] -= a[i][k] * a[k][j];
    }
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[i][j] = (uint32_t)(i * 3 + j + 1);
        }
    }
#ifndef FIXED
    for (int k = 0; k < N; k++) { // [k]
        for (int i = k + 1; i < N; i++) {
            eliminate(k, i);
        }
    }
#else
    for (int first = 0; first < N; first += BLOCK) {
        for (int i = first + 1; i < N; i++) {
            for (int k = first; k < first + BLOCK && k < i; k++) {
                eliminate(k, i);
            }
        }
    }
#endif
    uint32_t sum = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            sum = sum * 31 + a[i][j];
        }
    }
    printf("%u\n", sum);
}
