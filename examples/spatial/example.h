// SPDX-License-Identifier: MIT
// Shared by the programs of this folder.
#ifndef DEJA_SPATIAL_EXAMPLE_H
#define DEJA_SPATIAL_EXAMPLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The program's argument: how many times it repeats its work.
static inline int rounds_of(int argc, char **argv, int otherwise)
{
    int rounds = argc > 1 ? atoi(argv[1]) : otherwise;
    if (rounds < 1) {
        fprintf(stderr, "usage: %s [ROUNDS]\n", argv[0]);
        exit(2);
    }
    return rounds;
}

// Pseudo-random numbers, the same in each run.
static inline uint32_t random_number(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

// The numbers from 0 to count - 1, shuffled.
static inline void shuffle(uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = random_number() % (i + 1);
        order[i] = order[other];
        order[other] = i;
    }
}

#endif
