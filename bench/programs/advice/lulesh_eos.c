// SPDX-License-Identifier: MIT
// An equation of state is evaluated several times for the elements of a region, by a series of short loops
// over temporaries. Elements are independent: some can go through all evaluations before the next ones
// begin.
//
// model: LULESH
// object: e p work
// level: L2
// accept: tile fuse shrink
// carrier: evaluations
// native: -DELEMENTS=2000000
#include "kernel.h"

#ifndef ELEMENTS
#define ELEMENTS 20000
#endif
#define EVALUATIONS 8

static uint32_t e[ELEMENTS], p[ELEMENTS], work[ELEMENTS];

static inline void evaluate(int from, int to, uint32_t evaluation)
{
    for (int i = from; i < to; i++) {
        work[i] = e[i] * 3 + evaluation;
    }
    for (int i = from; i < to; i++) {
        p[i] = p[i] * 5 + work[i];
    }
    for (int i = from; i < to; i++) {
        e[i] += p[i] ^ work[i];
    }
}

int main(void)
{
    for (int i = 0; i < ELEMENTS; i++) {
        e[i] = (uint32_t)i * 3;
    }
#ifndef FIXED
    for (uint32_t evaluation = 0; evaluation < EVALUATIONS; evaluation++) { // [evaluations]
        evaluate(0, ELEMENTS, evaluation);
    }
#else
    for (int from = 0; from < ELEMENTS; from += 500) {
        for (uint32_t evaluation = 0; evaluation < EVALUATIONS; evaluation++) {
            evaluate(from, from + 500, evaluation);
        }
    }
#endif
    uint32_t sum = 0;
    for (int i = 0; i < ELEMENTS; i++) {
        sum = sum * 31 + e[i];
    }
    printf("%u\n", sum);
}
