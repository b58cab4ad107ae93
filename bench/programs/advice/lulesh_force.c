// SPDX-License-Identifier: MIT
// Stress and determinants of all elements are computed into temporary arrays by one function and used once
// by the next, in every time step. A few hundred elements at a time need only small temporaries.
//
// model: LULESH
// object: stress determ
// level: L2
// accept: shrink fuse "call together"
// reject: tile recompute
// also: tile@force tile@pressure tile@volume
// carrier: steps
// native: -DELEMENTS=2000000
#include "kernel.h"

#ifndef ELEMENTS
#define ELEMENTS 16384
#endif
#define STEPS 6
#ifdef FIXED
#define CHUNK 256
#else
#define CHUNK ELEMENTS
#endif

static uint32_t pressure[ELEMENTS], volume[ELEMENTS], force[ELEMENTS];
static uint32_t stress[CHUNK * 3], determ[CHUNK];

ALONE void init_stress(int from, int to, uint32_t step)
{
    for (int i = from; i < to; i++) {
        uint32_t p = pressure[i] + step;
        stress[(i - from) * 3] = p;
        stress[(i - from) * 3 + 1] = p * 3;
        stress[(i - from) * 3 + 2] = p * 5;
    }
}

ALONE void find_determinants(int from, int to)
{
    for (int i = from; i < to; i++) {
        determ[i - from] = volume[i] * stress[(i - from) * 3] + stress[(i - from) * 3 + 2];
    }
}

ALONE void integrate(int from, int to)
{
    for (int i = from; i < to; i++) {
        force[i] += stress[(i - from) * 3 + 1] * determ[i - from];
    }
}

int main(void)
{
    for (int i = 0; i < ELEMENTS; i++) {
        pressure[i] = (uint32_t)i * 3;
        volume[i] = (uint32_t)i + 7;
    }
    for (uint32_t step = 0; step < STEPS; step++) { // [steps]
        for (int from = 0; from < ELEMENTS; from += CHUNK) {
            int to = from + CHUNK < ELEMENTS ? from + CHUNK : ELEMENTS;
            init_stress(from, to, step);
            find_determinants(from, to);
            integrate(from, to);
        }
    }
    uint32_t sum = 0;
    for (int i = 0; i < ELEMENTS; i++) {
        sum = sum * 31 + force[i];
    }
    printf("%u\n", sum);
}
