// SPDX-License-Identifier: MIT
#include "report/fit.h"

#include <stdlib.h>
#include <string.h>

static bool continues(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

// Bytes of the character at `at`; 0 when it is not a valid one for a terminal.
static size_t character(const char *at)
{
    unsigned char first = (unsigned char)*at;
    if (first < 0x80)
        return first >= 0x20 && first != 0x7f;
    size_t length = first >= 0xc2 && first < 0xe0   ? 2
                    : first >= 0xe0 && first < 0xf0 ? 3
                    : first >= 0xf0 && first < 0xf5 ? 4
                                                    : 0;
    for (size_t i = 1; i < length; i++)
        if (!continues(at[i]))
            return 0;
    bool control = first == 0xc2 && (unsigned char)at[1] < 0xa0;
    return control ? 0 : length;
}

unsigned dj_fit_columns(const char *text)
{
    unsigned columns = 0;
    while (*text) {
        size_t length = character(text);
        text += length ? length : 1;
        columns++;
    }
    return columns;
}

// Copies up to `columns` characters; the 0 stands at `last` at most. Returns where it stands.
static char *copy(char *to, const char *last, const dj_report_style *style, const char *text,
                  unsigned columns)
{
    for (; *text && columns > 0; columns--) {
        size_t length = character(text);
        bool plain = length == 1 || (length > 1 && style->unicode);
        if (to + (plain ? length : 1) > last)
            break;
        if (plain)
            to = mempcpy(to, text, length);
        else
            *to++ = '?';
        text += length ? length : 1;
    }
    *to = 0;
    return to;
}

static const char *skip(const char *text, unsigned columns)
{
    for (; *text && columns > 0; columns--) {
        size_t length = character(text);
        text += length ? length : 1;
    }
    return text;
}

// Leaves out the middle, so that `tail` columns of what is kept stand behind it;
// UINT32_MAX: half of them.
static const char *fit(char *to, const dj_report_style *style, const char *text, unsigned columns,
                       unsigned tail)
{
    const char *last = to + (DJ_FIT - 1), *gap = style->unicode ? "…" : "..";
    unsigned all = dj_fit_columns(text), gap_columns = style->unicode ? 1 : 2;
    if (columns > DJ_FIT / 4 - 4)
        columns = DJ_FIT / 4 - 4;
    if (all <= columns || columns <= gap_columns) {
        copy(to, last, style, text, columns);
        return to;
    }
    unsigned kept = columns - gap_columns;
    tail = tail < kept ? tail : kept - kept / 2;
    char *at = copy(to, last, style, text, kept - tail);
    at = mempcpy(at, gap, strlen(gap));
    copy(at, last, style, skip(text, all - tail), tail);
    return to;
}

const char *dj_fit(char *to, const dj_report_style *style, const char *text, unsigned columns)
{
    // The end of a name (a line number, the last part of a path) tells more.
    return fit(to, style, text, columns, UINT32_MAX);
}

const char *dj_fit_start(char *to, const dj_report_style *style, const char *text, unsigned columns)
{
    return fit(to, style, text, columns, 0);
}

char *dj_fit_clean(const dj_report_style *style, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *clean = malloc(bytes);
    if (clean)
        copy(clean, clean + bytes - 1, style, text, UINT32_MAX);
    return clean;
}
