// SPDX-License-Identifier: MIT
// A transposition: one of the arrays is always crossed, so interchanging the loops gains nothing. Tiles do.
//
// object: b
// level: L1
// accept: tile
// reject: interchange
// carrier: i
// native: -DN=4000
#include "kernel.h"

#ifndef N
#define N 512
#endif
#define TILE 32

static uint32_t a[N][N], b[N][N];

int main(void)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[i][j] = (uint32_t)(i * 3 + j);
        }
    }
#ifndef FIXED
    for (int i = 0; i < N; i++) { // [i]
        for (int j = 0; j < N; j++) {
            b[j][i] = a[i][j];
        }
    }
#else
    for (int ii = 0; ii < N; ii += TILE) {
        for (int jj = 0; jj < N; jj += TILE) {
            for (int i = ii; i < ii + TILE && i < N; i++) {
                for (int j = jj; j < jj + TILE && j < N; j++) {
                    b[j][i] = a[i][j];
                }
            }
        }
    }
#endif
    uint32_t sum = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            sum = sum * 31 + b[i][j];
        }
    }
    printf("%u\n", sum);
}
