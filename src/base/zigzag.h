// SPDX-License-Identifier: MIT
// Signed numbers as unsigned ones that are small when they are near 0:
// 0, -1, 1, -2, … are 0, 1, 2, 3, …
#ifndef DEJA_BASE_ZIGZAG_H
#define DEJA_BASE_ZIGZAG_H

#include <stdint.h>

static inline uint64_t dj_zigzag(uint64_t number)
{
    return (number << 1) ^ -(number >> 63);
}

static inline uint64_t dj_unzigzag(uint64_t code)
{
    return (code >> 1) ^ -(code & 1);
}

#endif
