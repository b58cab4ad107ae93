// SPDX-License-Identifier: MIT
// What may help, a paragraph for each of the worst lines.
#include <string.h>

#include "report/fit.h"
#include "report/ink.h"
#include "report/paragraph.h"
#include "report/spatial.h"

enum { INDENT = 7 };

// Whether what is said of one goes for the other: the same advice in the same loop.
static bool are_alike(const dj_rank_row *a, const dj_rank_row *b)
{
    return *b->text && a->advice == b->advice && a->loop == b->loop && a->loop != DJ_NOWHERE;
}

static bool is_said(const dj_ranking *ranking, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (are_alike(&ranking->rows[i], &ranking->rows[row]))
            return true;
    return false;
}

static void print_advice_head(const dj_spatial_page *page, const dj_rank_row *row, size_t number)
{
    const char *advice = dj_spatial_advice_name(row->advice);
    char head[DJ_FIT], fitted[DJ_FIT];
    snprintf(head, sizeof head, "%.250s at %.200s", row->object_name, row->name);
    dj_fit(fitted, page->style, head, dj_style_width(page->style) - (unsigned)strlen(advice) - INDENT - 2);
    dj_ink(page->out, page->style, DJ_INK_TITLE);
    fprintf(page->out, "  %3zu. %s", number, fitted);
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
    fputs(": ", page->out);
    dj_ink(page->out, page->style, DJ_INK_MARK);
    fputs(advice, page->out);
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
    fputc('\n', page->out);
}

static void print_alike(const dj_spatial_page *page, const dj_ranking *ranking, size_t row, size_t rows)
{
    char text[1024] = "";
    size_t used = 0;
    for (size_t i = row + 1; i < rows && used < sizeof text; i++)
        if (are_alike(&ranking->rows[row], &ranking->rows[i]))
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s %zu (%.80s)",
                                 used > 0 ? "," : "The same goes for", i + 1, ranking->rows[i].object_name);
    if (used > 0 && used + 1 < sizeof text)
        snprintf(text + used, sizeof text - used, ".");
    dj_paragraph(page->out, page->style, text, INDENT);
}

void dj_page_advice(const dj_spatial_page *page, const dj_ranking *ranking, size_t rows)
{
    bool titled = false;
    for (size_t i = 0; i < rows; i++) {
        if (!*ranking->rows[i].text || is_said(ranking, i))
            continue;
        if (!titled)
            dj_page_heading(page, "what may help");
        titled = true;
        print_advice_head(page, &ranking->rows[i], i + 1);
        dj_paragraph(page->out, page->style, ranking->rows[i].text, INDENT);
        print_alike(page, ranking, i, rows);
    }
}
