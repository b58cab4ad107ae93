// SPDX-License-Identifier: MIT
// Points and lengths in a trace as users write them: a number of accesses, or a time.
#ifndef DEJA_BASE_POINT_H
#define DEJA_BASE_POINT_H

#include <deja/error.h>

typedef struct dj_point {
    uint64_t at;
    bool timed; // nanoseconds, not accesses
} dj_point;

// Whether the text contains a unit of time.
bool dj_point_is_timed(const char *text);
// Parses digits, or a decimal number with ns, us, ms, s, min, h or d. False: it is neither, or too large.
bool dj_point_read(const char *text, dj_point *out);
// Reports a text that cannot be parsed.
int dj_point_fail(dj_context *context, const char *option, const char *text);

#endif
