// SPDX-License-Identifier: MIT
// A step reads two of sixteen fields of each particle, then needs the maximum over all, so steps cannot be
// combined. The two fields in an array of their own are an eighth of the data.
//
// object: particle
// level: L2
// accept: split
// reject: tile fuse
// carrier: steps
// native: -DPARTICLES=400000
#include "kernel.h"

#ifndef PARTICLES
#define PARTICLES 4000
#endif
#define STEPS 40

struct hot {
    uint32_t x, speed;
};
#ifdef FIXED
static struct hot particle[PARTICLES];
static uint32_t cold[PARTICLES][14];
#else
static struct {
    uint32_t x, speed;
    uint32_t cold[14];
} particle[PARTICLES];
#endif

int main(void)
{
    for (int i = 0; i < PARTICLES; i++) {
        particle[i].x = (uint32_t)i;
        particle[i].speed = (uint32_t)i * 2654435761U;
#ifdef FIXED
        cold[i][0] = (uint32_t)i;
#else
        particle[i].cold[0] = (uint32_t)i;
#endif
    }
    uint32_t top = 1;
    for (int step = 0; step < STEPS; step++) { // [steps]
        uint32_t next = 0;
        for (int i = 0; i < PARTICLES; i++) {
            particle[i].x = particle[i].x * 5 + (particle[i].speed ^ top);
            next = particle[i].x > next ? particle[i].x : next;
        }
        top = next;
    }
    printf("%u\n", top);
}
