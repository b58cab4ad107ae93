// SPDX-License-Identifier: MIT
// For each plane, coefficients of every point are computed into a temporary array and used once. Computed
// where they are used, those of one point are enough.
//
// model: NPB LU
// object: d
// level: L2
// accept: shrink fuse
// reject: tile
// carrier: planes
// native: -DN=400
#include "kernel.h"

#ifndef N
#define N 56
#endif
#define TERMS 8
#define PLANES 20

static uint32_t u[N][N], v[N][N];
#ifndef FIXED
static uint32_t d[N][N][TERMS];
#endif

int main(void)
{
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            u[j][i] = (uint32_t)(i * 3 + j);
        }
    }
    for (uint32_t plane = 1; plane <= PLANES; plane++) { // [planes]
#ifndef FIXED
        for (int j = 0; j < N; j++) {
            for (int i = 0; i < N; i++) {
                uint32_t term = u[j][i] + plane;
                for (int t = 0; t < TERMS; t++) {
                    d[j][i][t] = term *= 3;
                }
            }
        }
        for (int j = 1; j < N; j++) {
            for (int i = 1; i < N; i++) {
                uint32_t sum = v[j - 1][i] + v[j][i - 1];
                for (int t = 0; t < TERMS; t++) {
                    sum = sum * 5 + d[j][i][t];
                }
                v[j][i] += sum;
            }
        }
#else
        for (int j = 1; j < N; j++) {
            for (int i = 1; i < N; i++) {
                uint32_t term = u[j][i] + plane, sum = v[j - 1][i] + v[j][i - 1];
                for (int t = 0; t < TERMS; t++) {
                    sum = sum * 5 + (term *= 3);
                }
                v[j][i] += sum;
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
