// SPDX-License-Identifier: MIT
// String functions that do not use the functions of the C library that this library wraps.
#ifndef DEJA_RUNTIME_TEXT_H
#define DEJA_RUNTIME_TEXT_H

#include <stddef.h>
#include <stdint.h>

static inline size_t dj_rt_length(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

// Returns the end of the text, which is a zero byte.
static inline char *dj_rt_append(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    *to = '\0';
    return to;
}

static inline char *dj_rt_append_number(char *to, uint32_t number)
{
    char digits[12];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    while (count)
        *to++ = digits[--count];
    *to = '\0';
    return to;
}

#endif
