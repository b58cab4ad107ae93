// SPDX-License-Identifier: MIT
// A matrix product that is already tiled for this cache.
//
// object:
// level: L2
// accept: none
#include "kernel.h"

#define N 128
#define TILE 64

static double c[N][N];

int main(void)
{
    double(*a)[N] = calloc(N, sizeof *a), (*b)[N] = calloc(N, sizeof *b);
    for (int ii = 0; ii < N; ii += TILE) {
        for (int jj = 0; jj < N; jj += TILE) {
            for (int kk = 0; kk < N; kk += TILE) {
                for (int i = ii; i < ii + TILE; i++) {
                    for (int k = kk; k < kk + TILE; k++) {
                        for (int j = jj; j < jj + TILE; j++) {
                            c[i][j] += a[i][k] * b[k][j];
                        }
                    }
                }
            }
        }
    }
    printf("%.0f\n", c[5][7]);
}
