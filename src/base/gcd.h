// SPDX-License-Identifier: MIT
#ifndef DEJA_BASE_GCD_H
#define DEJA_BASE_GCD_H

#include <stdint.h>

// The greatest common divisor; 0 has all divisors.
static inline uint64_t dj_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static inline uint64_t dj_magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

#endif
