// SPDX-License-Identifier: MIT
// Finds the accesses that lanes see, eight at a time: with a sample there are few.
#ifndef DEJA_BASE_VERDICTS_H
#define DEJA_BASE_VERDICTS_H

#include <deja/filter.h>

#include <endian.h>
#include <string.h>

_Static_assert((DJ_VERDICT_ABSENT & 3) == 0 && (DJ_VERDICT_UNSAMPLED & 3) == 0 && DJ_VERDICT_COUNT < 4 &&
                   DJ_VERDICT_FILL < 4 && DJ_VERDICT_INVALIDATE < 4,
               "two bits tell whether a lane sees an access");

// How many bytes beyond the last verdict may be read.
enum { DJ_VERDICTS_PAD = 7 };

// The two bits for each of eight accesses, the first of them lowest.
static inline uint64_t dj_verdicts_present(const uint8_t *verdict)
{
    uint64_t eight;
    memcpy(&eight, verdict, sizeof eight);
    return le64toh(eight) & UINT64_C(0x0303030303030303);
}

// The first access from `at` on that the lane may see; `count` if there is none. It sees none of those
// before.
static inline uint32_t dj_skip_absent(const uint8_t *verdict, uint32_t at, uint32_t count)
{
    while (at + 32 <= count &&
           !(dj_verdicts_present(verdict + at) | dj_verdicts_present(verdict + at + 8) |
             dj_verdicts_present(verdict + at + 16) | dj_verdicts_present(verdict + at + 24)))
        at += 32;
    while (at + 8 <= count && !dj_verdicts_present(verdict + at))
        at += 8;
    return at;
}

#endif
