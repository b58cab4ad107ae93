// SPDX-License-Identifier: MIT
// Maps signed numbers to unsigned ones such that numbers near 0 stay small: 0, -1, 1, -2, … become 0, 1, 2,
// 3, …
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
