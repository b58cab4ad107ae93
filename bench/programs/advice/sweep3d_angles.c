// SPDX-License-Identifier: MIT
// A transport sweep: one angle after the other goes through the whole grid. A block of angles at each cell
// uses the source and the flux once.
//
// model: sweep3d
// object: source flux
// level: L2
// accept: tile interchange wavefront
// carrier: angles
// native: -DN=128
#include "kernel.h"

#ifndef N
#define N 28
#endif
#define ANGLES 8

static uint32_t source[N][N][N], flux[N][N][N];

#ifndef FIXED
static uint32_t from_j[N], from_k[N][N];
#else
static uint32_t from_i[ANGLES], from_j[N][ANGLES], from_k[N][N][ANGLES];
#endif

int main(void)
{
    for (int k = 0; k < N; k++) {
        for (int j = 0; j < N; j++) {
            for (int i = 0; i < N; i++) {
                source[k][j][i] = (uint32_t)(k * 5 + j * 3 + i);
            }
        }
    }
#ifndef FIXED
    for (uint32_t angle = 1; angle <= ANGLES; angle++) { // [angles]
        for (int j = 0; j < N; j++) {
            for (int i = 0; i < N; i++) {
                from_k[j][i] = 0;
            }
        }
        for (int k = 0; k < N; k++) {
            for (int i = 0; i < N; i++) {
                from_j[i] = 0;
            }
            for (int j = 0; j < N; j++) {
                uint32_t from_i = 0;
                for (int i = 0; i < N; i++) {
                    uint32_t here = source[k][j][i] + from_i * angle + from_j[i] * 3 + from_k[j][i];
                    flux[k][j][i] += here * angle;
                    from_i = from_j[i] = from_k[j][i] = here;
                }
            }
        }
    }
#else
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) {
            for (int m = 0; m < ANGLES; m++) {
                from_j[i][m] = 0;
            }
        }
        for (int j = 0; j < N; j++) {
            for (int m = 0; m < ANGLES; m++) {
                from_i[m] = 0;
            }
            for (int i = 0; i < N; i++) {
                uint32_t sum = flux[k][j][i], cell = source[k][j][i];
                for (uint32_t m = 0; m < ANGLES; m++) {
                    uint32_t here = cell + from_i[m] * (m + 1) + from_j[i][m] * 3 + from_k[j][i][m];
                    sum += here * (m + 1);
                    from_i[m] = from_j[i][m] = from_k[j][i][m] = here;
                }
                flux[k][j][i] = sum;
            }
        }
    }
#endif
    uint32_t sum = 0;
    for (int k = 0; k < N; k++) {
        for (int j = 0; j < N; j++) {
            for (int i = 0; i < N; i++) {
                sum = sum * 31 + flux[k][j][i];
            }
        }
    }
    printf("%u\n", sum);
}
