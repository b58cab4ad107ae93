// SPDX-License-Identifier: MIT
// Probabilities as integers: v represents exp(v / LOGNUM_ONE), so that products of
// thousands of them do not underflow and a multiplication is an addition. A sum is
// a table lookup: log(e^a + e^b) = a + log(1 + e^(b - a)) for a >= b. With -DFIXED
// the table has fewer and smaller entries.
#ifndef DEJA_SPATIAL_LOGNUM_H
#define DEJA_SPATIAL_LOGNUM_H

#include <math.h>
#include <stdint.h>

typedef int32_t lognum;

enum { LOGNUM_ONE = 1 << 16, LOGNUM_ZERO = -(1 << 29) };
// From a difference of 12 on, the smaller number hardly affects the sum.
#ifdef FIXED
enum { LOGNUM_SHIFT = 6, LOGNUM_ENTRIES = (12 * LOGNUM_ONE) >> LOGNUM_SHIFT };
typedef uint16_t lognum_entry;
#else
enum { LOGNUM_SHIFT = 0, LOGNUM_ENTRIES = 12 * LOGNUM_ONE };
typedef int32_t lognum_entry;
#endif
static lognum_entry lognum_table[LOGNUM_ENTRIES];

static void lognum_init(void)
{
    double step = (double)(1 << LOGNUM_SHIFT), middle = (step - 1) / 2;
    for (int i = 0; i < LOGNUM_ENTRIES; i++)
        lognum_table[i] = (lognum_entry)lrint(LOGNUM_ONE * log1p(exp(-(i * step + middle) / LOGNUM_ONE)));
}

static inline lognum lognum_add(lognum a, lognum b)
{
    lognum most = a > b ? a : b;
    uint32_t entry = (uint32_t)(most - (a > b ? b : a)) >> LOGNUM_SHIFT;
    return entry < LOGNUM_ENTRIES ? most + lognum_table[entry] : most;
}

#endif
