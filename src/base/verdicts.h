// SPDX-License-Identifier: MIT
// Skips accesses that a lane does not analyze, eight at a time: with a sample they are nearly all.
#ifndef DEJA_BASE_VERDICTS_H
#define DEJA_BASE_VERDICTS_H

#include <deja/filter.h>

#include <string.h>

// The first access from `at` on that may be in the sample; `count` if there is none. Accesses that it skips
// are not.
static inline uint32_t dj_skip_unsampled(const uint8_t *verdict, uint32_t at, uint32_t count)
{
    const uint64_t unsampled = DJ_VERDICT_UNSAMPLED * UINT64_C(0x0101010101010101);
    for (uint64_t eight; at + 8 <= count; at += 8) {
        memcpy(&eight, verdict + at, sizeof eight);
        if (eight != unsampled)
            break;
    }
    return at;
}

#endif
