// SPDX-License-Identifier: MIT
// Random numbers that are the same on every machine: xoshiro256** (Blackman and Vigna, 2018), seeded by
// splitmix64. Integers only, except for dj_random_real, which is exact.
#ifndef DEJA_BASE_RANDOM_H
#define DEJA_BASE_RANDOM_H

#include <stdint.h>

typedef struct dj_random {
    uint64_t s[4];
} dj_random;

#define DJ_RANDOM_MIX_1 UINT64_C(0xbf58476d1ce4e5b9)
#define DJ_RANDOM_MIX_2 UINT64_C(0x94d049bb133111eb)

// A bijection of 64-bit words whose output looks random (the finalizer of splitmix64).
static inline uint64_t dj_random_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * DJ_RANDOM_MIX_1;
    z = (z ^ (z >> 27)) * DJ_RANDOM_MIX_2;
    return z ^ (z >> 31);
}

static inline void dj_random_seed(dj_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->s[i] = dj_random_mix(seed += 0x9e3779b97f4a7c15u);
}

static inline uint64_t dj_random_next(dj_random *random)
{
    uint64_t *s = random->s, product = s[1] * 5, t = s[1] << 17;
    uint64_t result = ((product << 7) | (product >> 57)) * 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

// Uniform in 0 … bound - 1, without bias (Lemire 2019). bound > 0.
static inline uint64_t dj_random_below(dj_random *random, uint64_t bound)
{
    unsigned __int128 product = (unsigned __int128)dj_random_next(random) * bound;
    if ((uint64_t)product < bound) {
        uint64_t least = -bound % bound;
        while ((uint64_t)product < least)
            product = (unsigned __int128)dj_random_next(random) * bound;
    }
    return (uint64_t)(product >> 64);
}

// Uniform in [0, 1), a multiple of 2^-53.
static inline double dj_random_real(dj_random *random)
{
    return (double)(dj_random_next(random) >> 11) * 0x1p-53;
}

#endif
