// SPDX-License-Identifier: MIT
// Reads decimal numbers eight bytes at a time, without a branch on their length.
#ifndef DEJA_TRACE_PARSE_DIGITS_H
#define DEJA_TRACE_PARSE_DIGITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum { DJ_DIGITS_BYTES = 16 };

static inline uint64_t dj_digits_load(const char *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return le64toh(bytes);
}

// Sets the high bit of each byte that is not a digit. Bytes above the first such byte may be wrong.
static inline uint64_t dj_digits_other(uint64_t bytes)
{
    uint64_t value = bytes ^ UINT64_C(0x3030303030303030);
    return ((value + UINT64_C(0x7676767676767676)) | value) & UINT64_C(0x8080808080808080);
}

// The value of the first `count` digits, 1 to 8.
static inline uint64_t dj_digits_value(uint64_t bytes, unsigned count)
{
    bytes = (bytes << (64 - 8 * count)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    bytes = (bytes * 10 + (bytes >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    bytes = (bytes * 100 + (bytes >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (bytes * 10000 + (bytes >> 32)) & UINT64_C(0x00000000ffffffff);
}

// Reads a number of 1 to 15 digits at `at`, where DJ_DIGITS_BYTES must be readable, and returns its end; NULL
// if there is none or it is longer.
static inline const char *dj_digits_read(const char *at, uint64_t *value)
{
    static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t bytes = dj_digits_load(at);
    uint64_t other = dj_digits_other(bytes);
    if (other) {
        unsigned count = (unsigned)__builtin_ctzll(other) / 8;
        if (count == 0)
            return NULL;
        *value = dj_digits_value(bytes, count);
        return at + count;
    }
    uint64_t more = dj_digits_load(at + 8);
    other = dj_digits_other(more);
    if (!other)
        return NULL;
    unsigned count = (unsigned)__builtin_ctzll(other) / 8;
    *value = dj_digits_value(bytes, 8) * powers[count] + (count ? dj_digits_value(more, count) : 0);
    return at + 8 + count;
}

#endif
