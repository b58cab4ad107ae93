// SPDX-License-Identifier: MIT
// Whether a text fits a terminal. Needs cmocka.
#ifndef DEJA_TESTS_FITS_H
#define DEJA_TESTS_FITS_H

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "render/plain.h"

// Asserts that no line is wider and that none ends in a space.
static inline void assert_fits(const char *text, unsigned width)
{
    for (const char *line = text; *line;) {
        char copy[1024];
        size_t length = strcspn(line, "\n");
        assert_true(length < sizeof copy);
        memcpy(copy, line, length);
        copy[length] = 0;
        if (dj_plain_columns(copy) > width)
            fail_msg("%u columns: %s", width, copy);
        assert_true(length == 0 || copy[length - 1] != ' ');
        line += length + (line[length] == '\n');
    }
}

#endif
