// SPDX-License-Identifier: MIT
#include "base/point.h"

#include <string.h>

static const char digits[] = "0123456789";

bool dj_point_is_timed(const char *text)
{
    return text[strspn(text, digits)] != 0;
}

static uint64_t nanoseconds_of(const char *unit)
{
    static const struct {
        const char *name;
        uint64_t nanoseconds;
    } units[] = {{"ns", 1},
                 {"us", 1000},
                 {"ms", 1000000},
                 {"s", UINT64_C(1000000000)},
                 {"min", UINT64_C(60000000000)},
                 {"h", UINT64_C(3600000000000)},
                 {"d", UINT64_C(86400000000000)}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].name, unit) == 0)
            return units[i].nanoseconds;
    return 0;
}

bool dj_point_read(const char *text, dj_point *out)
{
    size_t whole = strspn(text, digits), fraction = 0;
    const char *unit = text + whole;
    *out = (dj_point){0};
    if (*unit == '.') {
        fraction = strspn(unit + 1, digits);
        unit += 1 + fraction;
    }
    uint64_t scale = *unit ? nanoseconds_of(unit) : 1;
    if (whole == 0 || scale == 0 || (!*unit && unit != text + whole) || (unit[-1] == '.'))
        return false;
    out->timed = *unit != 0;
    for (size_t i = 0; i < whole; i++)
        if (__builtin_mul_overflow(out->at, 10, &out->at) ||
            __builtin_add_overflow(out->at, (uint64_t)(text[i] - '0'), &out->at))
            return false;
    if (__builtin_mul_overflow(out->at, scale, &out->at))
        return false;
    for (size_t i = 0; i < fraction; i++) {
        scale /= 10;
        if (__builtin_add_overflow(out->at, scale * (uint64_t)(text[whole + 1 + i] - '0'), &out->at))
            return false;
    }
    return true;
}

int dj_point_fail(dj_context *context, const char *option, const char *text)
{
    return dj_fail(context, DJ_ERR_USAGE,
                   "%s: '%.64s' is neither a number of accesses, as in 1000000, nor a time, as in 10s or "
                   "500ms (units are ns, us, ms, s, min, h and d), or too large",
                   option, text);
}
