// SPDX-License-Identifier: MIT
#include "report/paragraph.h"

#include <stdlib.h>

#include "base/option.h"
#include "report/fit.h"
#include "report/ink.h"

enum { WIDTH_MOST = 100 };

void dj_paragraph(FILE *out, const dj_report_style *style, const char *text, unsigned indent)
{
    char *clean = dj_fit_clean(style, text);
    unsigned width = dj_style_width(style);
    if (clean)
        dj_text_print_wrapped(out, clean, indent, width < WIDTH_MOST ? width : WIDTH_MOST);
    free(clean);
}
