// SPDX-License-Identifier: MIT
// What may help, a paragraph for each of the worst lines.
#include <string.h>

#include "report/fit.h"
#include "report/ink.h"
#include "report/paragraph.h"
#include "report/spatial.h"

enum { INDENT = 7 };

static bool in_one_loop(const dj_rank_row *a, const dj_rank_row *b)
{
    return a->loop == b->loop && a->loop != DJ_NOWHERE;
}

// Advice that is about data goes for whatever code comes to it.
static bool on_same_data(const dj_rank_row *a, const dj_rank_row *b)
{
    bool of_data = a->advice && a->advice->of_data;
    return of_data && strcmp(a->object_name, b->object_name) == 0;
}

// Whether what is said of one goes for the other.
static bool are_alike(const dj_rank_row *a, const dj_rank_row *b)
{
    return *b->text && a->advice == b->advice && (in_one_loop(a, b) || on_same_data(a, b));
}

// Along with one before, that has a paragraph of its own. Few rows have a text.
static bool is_said(const dj_ranking *ranking, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (are_alike(&ranking->rows[i], &ranking->rows[row]) && !is_said(ranking, i))
            return true;
    return false;
}

static void print_advice_head(const dj_spatial_page *page, const dj_rank_row *row, size_t number)
{
    const char *advice = dj_spatial_advice_name(row->advice);
    char object[DJ_FIT], name[DJ_FIT];
    unsigned room =
        dj_style_width(page->style) - (unsigned)strlen(advice) - INDENT - (unsigned)strlen(" at : ");
    unsigned wanted = dj_fit_columns(row->name), half = room / 2;
    dj_fit(object, page->style, row->object_name, wanted < half ? room - wanted : half);
    dj_fit(name, page->style, row->name, room - dj_fit_columns(object));
    dj_ink(page->out, page->style, DJ_INK_TITLE);
    fprintf(page->out, "  %3zu. %s at %s", number, object, name);
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
    const dj_rank_row *said = &ranking->rows[row];
    for (size_t i = row + 1; i < rows && used < sizeof text; i++) {
        const dj_rank_row *other = &ranking->rows[i];
        if (are_alike(said, other))
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %zu (%.80s)",
                                     used > 0 ? "," : "The same goes for", i + 1,
                                     on_same_data(said, other) ? other->name : other->object_name);
    }
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
