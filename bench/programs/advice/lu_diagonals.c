// SPDX-License-Identifier: MIT
// A recurrence in both directions, computed diagonal by diagonal, which crosses a row at each step. Rows in
// order, or blocks along the diagonal, respect the same dependences.
//
// model: NPB LU (hyperplanes)
// object: v
// level: L1
// accept: wavefront tile interchange reorder
// carrier: diagonals
// native: -DN=4000
#include "kernel.h"

#ifndef N
#define N 448
#endif
#define SWEEPS 2

static uint32_t v[N][N];

int main(void)
{
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            v[j][i] = (uint32_t)(i * 3 + j);
        }
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
#ifndef FIXED
        for (int diagonal = 2; diagonal <= 2 * (N - 1); diagonal++) { // [diagonals]
            int first = diagonal < N ? 1 : diagonal - N + 1;
            int last = diagonal - 1 < N - 1 ? diagonal - 1 : N - 1;
            for (int j = first; j <= last; j++) {
                v[j][diagonal - j] += v[j - 1][diagonal - j] * 3 + v[j][diagonal - j - 1];
            }
        }
#else
        for (int j = 1; j < N; j++) {
            for (int i = 1; i < N; i++) {
                v[j][i] += v[j - 1][i] * 3 + v[j][i - 1];
            }
        }
#endif
    }
    uint32_t sum = 0;
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            sum = sum * 31 + v[j][i];
        }
    }
    printf("%u\n", sum);
}
