// SPDX-License-Identifier: MIT
// Forces of all bodies on some: each target goes through all sources. Sources in blocks serve all targets
// while they are in the cache.
//
// object: source
// level: L2
// accept: tile interchange
// carrier: targets
// native: -DSOURCES=200000
#include "kernel.h"

#ifndef SOURCES
#define SOURCES 6000
#endif
#define TARGETS 64
#define BLOCK 500

static struct {
    uint32_t x, y, z, mass;
} source[SOURCES];
static uint32_t force[TARGETS];

static inline uint32_t pull(int t, int s)
{
    return source[s].mass * ((source[s].x ^ (uint32_t)t) + source[s].y * 3 + source[s].z);
}

int main(void)
{
    for (int s = 0; s < SOURCES; s++) {
        source[s].x = (uint32_t)s;
        source[s].y = (uint32_t)s * 3;
        source[s].z = (uint32_t)s * 7;
        source[s].mass = (uint32_t)s % 13;
    }
#ifndef FIXED
    for (int t = 0; t < TARGETS; t++) { // [targets]
        for (int s = 0; s < SOURCES; s++) {
            force[t] += pull(t, s);
        }
    }
#else
    for (int first = 0; first < SOURCES; first += BLOCK) {
        for (int t = 0; t < TARGETS; t++) {
            for (int s = first; s < first + BLOCK; s++) {
                force[t] += pull(t, s);
            }
        }
    }
#endif
    uint32_t sum = 0;
    for (int t = 0; t < TARGETS; t++) {
        sum = sum * 31 + force[t];
    }
    printf("%u\n", sum);
}
