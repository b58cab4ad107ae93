// SPDX-License-Identifier: MIT
// Elimination along the slowest dimension, with that loop innermost: each step is a plane away. With the
// fastest dimension innermost, it walks along memory.
//
// model: NPB SP
// object: rhs
// level: L1
// accept: interchange tile
// carrier: i j
// native: -DNZ=400 -DNY=100 -DNX=200
#include "kernel.h"

#ifndef NZ
#define NZ 200
#define NY 20
#define NX 64
#endif
#define SWEEPS 2

static uint32_t rhs[NZ][NY][NX];

int main(void)
{
    for (int k = 0; k < NZ; k++) {
        for (int j = 0; j < NY; j++) {
            for (int i = 0; i < NX; i++) {
                rhs[k][j][i] = (uint32_t)(k + j * 3 + i * 5);
            }
        }
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
#ifndef FIXED
        for (int j = 0; j < NY; j++) {     // [j]
            for (int i = 0; i < NX; i++) { // [i]
                for (int k = 1; k < NZ; k++) {
                    rhs[k][j][i] -= 3 * rhs[k - 1][j][i];
                }
            }
        }
#else
        for (int k = 1; k < NZ; k++) {
            for (int j = 0; j < NY; j++) {
                for (int i = 0; i < NX; i++) {
                    rhs[k][j][i] -= 3 * rhs[k - 1][j][i];
                }
            }
        }
#endif
    }
    uint32_t sum = 0;
    for (int i = 0; i < NX; i++) {
        for (int j = 0; j < NY; j++) {
            sum = sum * 31 + rhs[NZ - 1][j][i];
        }
    }
    printf("%u\n", sum);
}
