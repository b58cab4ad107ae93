// SPDX-License-Identifier: MIT
#include "base/number.h"

#include <stdlib.h>

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

bool dj_number_scan(const char **at, uint64_t *out)
{
    const char *c = *at;
    int base = 10;
    if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X') && digit_value(c[2]) < 16) {
        base = 16;
        c += 2;
    }
    if (digit_value(*c) >= base)
        return false;
    uint64_t value = 0;
    for (; digit_value(*c) < base; c++)
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit_value(*c), &value))
            return false;
    *at = c;
    *out = value;
    return true;
}

bool dj_number_parse(const char *text, uint64_t *out)
{
    return dj_number_scan(&text, out) && *text == '\0';
}

bool dj_number_parse_share(const char *text, double *out)
{
    char *end = NULL;
    double share = strtod(text, &end);
    if (end == text)
        return false;
    if (*end == '%') {
        share /= 100;
        end++;
    }
    *out = share;
    return *end == '\0' && share >= 0 && share <= 1;
}
