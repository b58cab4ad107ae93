// SPDX-License-Identifier: MIT
// Steps of a stencil that follow each other a few elements behind, so that each part of the array goes
// through all of them while it is in the cache.
//
// object:
// level: L2
// accept: none
#include "kernel.h"

#define N 120000
#define STEPS 5

static uint32_t v[STEPS + 1][N];

int main(void)
{
    for (int front = 1; front < N - 1 + 2 * STEPS; front++) {
        for (int step = 0; step < STEPS; step++) {
            int i = front - 2 * step;
            if (i >= 1 && i < N - 1) {
                v[step + 1][i] = v[step][i - 1] + v[step][i] * 3 + v[step][i + 1] + (uint32_t)i;
            }
        }
    }
    printf("%u\n", v[STEPS][N / 2]);
}
