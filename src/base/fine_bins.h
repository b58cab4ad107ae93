// SPDX-License-Identifier: MIT
// Bins of a bounded relative width: values below 2^(bits + 1) have their own bin, and each further doubling
// is divided into 2^bits bins.
#ifndef DEJA_BASE_FINE_BINS_H
#define DEJA_BASE_FINE_BINS_H

#include <stdint.h>

static inline uint64_t dj_fine_bin(uint64_t value, unsigned bits)
{
    unsigned top = 63u - (unsigned)__builtin_clzll(value | 1), shift = top > bits ? top - bits : 0;
    return ((uint64_t)shift << bits) + (value >> shift);
}

// The lowest value of a bin.
static inline uint64_t dj_fine_bin_low(uint64_t bin, unsigned bits)
{
    unsigned shift = bin >> bits > 1 ? (unsigned)(bin >> bits) - 1 : 0;
    return (bin - ((uint64_t)shift << bits)) << shift;
}

#endif
