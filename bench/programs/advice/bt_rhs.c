// SPDX-License-Identifier: MIT
// Three loops of one function over the same arrays, the way a right-hand side is assembled term by term.
// They can be one loop, and the right-hand side of one point is enough.
//
// model: NPB BT
// object: u rhs
// level: L2
// accept: fuse shrink
// also: tile@u tile@rhs tile@forcing wavefront@u
// carrier: steps
// native: -DN=2000000
#include "kernel.h"

#ifndef N
#define N 48000
#endif
#define STEPS 5

static uint32_t u[N + 1], forcing[N];
#ifndef FIXED
static uint32_t rhs[N];
#endif

int main(void)
{
    for (int i = 0; i < N; i++) {
        u[i] = (uint32_t)i * 3;
        forcing[i] = (uint32_t)i * 5 + 1;
    }
    for (int step = 0; step < STEPS; step++) { // [steps]
#ifndef FIXED
        for (int i = 0; i < N; i++) {
            rhs[i] = u[i + 1] - u[i] * 2;
        }
        for (int i = 0; i < N; i++) {
            rhs[i] = rhs[i] * 3 + forcing[i];
        }
        for (int i = 0; i < N; i++) {
            u[i] += rhs[i] * 7;
        }
#else
        for (int i = 0; i < N; i++) {
            uint32_t right = (u[i + 1] - u[i] * 2) * 3 + forcing[i];
            u[i] += right * 7;
        }
#endif
    }
    uint32_t sum = 0;
    for (int i = 0; i < N; i++) {
        sum = sum * 31 + u[i];
    }
    printf("%u\n", sum);
}
