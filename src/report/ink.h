// SPDX-License-Identifier: MIT
// Colours of the terminal, only where the style allows them.
#ifndef DEJA_REPORT_INK_H
#define DEJA_REPORT_INK_H

#include <deja/report.h>

enum dj_ink {
    DJ_INK_PLAIN,
    DJ_INK_TITLE, // what the eye should find first
    DJ_INK_FAINT, // axes, provenance
    DJ_INK_ALARM, // partial, estimate
    DJ_INK_REUSE, // bars and curve
    DJ_INK_COLD,
    DJ_INK_MARK, // cache sizes of the machine
};

static inline void dj_ink(FILE *out, const dj_report_style *style, enum dj_ink ink)
{
    static const char *const escapes[] = {"\033[0m",  "\033[1m",  "\033[2m", "\033[1;31m",
                                          "\033[36m", "\033[33m", "\033[35m"};
    if (style->color)
        fputs(escapes[ink], out);
}

enum { DJ_WIDTH_LEAST = 40, DJ_WIDTH_MOST = 160 };

// Columns to fill: a plot over the whole width of a large screen is hard to read.
static inline unsigned dj_style_width(const dj_report_style *style)
{
    if (style->width < DJ_WIDTH_LEAST)
        return DJ_WIDTH_LEAST;
    return style->width > DJ_WIDTH_MOST ? DJ_WIDTH_MOST : style->width;
}

#endif
