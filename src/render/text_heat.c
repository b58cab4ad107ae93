// SPDX-License-Identifier: MIT
// Heat maps: a row for each range, shaded by the share of the row, with the row's share and score.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "render/text.h"

enum { INDENT = 2, LABEL = 5, BYTES = 9, SHARE = 6, SCORE = 6, BAR_LEAST = 7, BAR_MOST = 20 };

typedef struct layout {
    unsigned columns;
    unsigned cell; // characters for each cell; 0: the map does not fit
    unsigned bar;  // characters of the score bar; 0: none
    bool bytes;    // also distances in bytes
} layout;

static layout lay_out(const dj_page *page, const dj_heat *heat)
{
    layout l = {.columns = (unsigned)heat->column_count};
    unsigned used = INDENT + LABEL + 1 + SHARE + SCORE, space = page->width > used ? page->width - used : 0;
    l.cell = 2 * l.columns <= space ? 2 : l.columns <= space ? 1 : 0;
    space -= l.cell * l.columns;
    l.bytes = heat->at_bytes > 0 && space >= BYTES;
    space -= l.bytes ? BYTES : 0;
    l.bar = space > BAR_LEAST + 2 ? space - 2 : 0;
    l.bar = l.bar < BAR_MOST ? l.bar : BAR_MOST;
    return l;
}

// By share of the row, from 0 to 1; a nonempty cell never looks empty.
static const char *shade(const dj_page *page, double share)
{
    static const char *const shades[][5] = {{".", ":", "+", "#", "@"}, {"·", "░", "▒", "▓", "█"}};
    unsigned level = share < 0.05 ? 0 : 1 + (unsigned)fmin(share * 4, 3);
    return share > 0 ? shades[page->unicode][level] : " ";
}

static const char *fit(dj_page *page, const char *text, unsigned columns)
{
    return dj_page_fit(page, dj_page_plain(page, text), columns, DJ_FIT_MIDDLE);
}

static const char *show(dj_page *page, const dj_datum *datum)
{
    return dj_page_fit(page, dj_datum_show(&page->arena, datum, page->unicode), SHARE - 1, DJ_FIT_MIDDLE);
}

static void put_cells(dj_page *page, const layout *l, const dj_heat_row *row)
{
    dj_page_ink_series(page, row->border == 0);
    for (unsigned j = 0; j < l->columns; j++) {
        const char *mark = shade(page, row->cells[j]);
        if (row->border > 0 && j == row->border) {
            dj_page_ink(page, DJ_STYLE_PLAIN);
            dj_page_ink_series(page, 1);
        }
        dj_page_put(page, mark);
        if (l->cell == 2)
            dj_page_put(page, j + 1 != row->border ? mark : page->unicode ? "│" : "|");
    }
    dj_page_ink(page, DJ_STYLE_PLAIN);
}

static void put_row(dj_page *page, const dj_heat *heat, const layout *l, const dj_heat_row *row)
{
    char figure[DJ_HUMAN_BYTES];
    if (row->gap) {
        dj_page_cell(page, page->unicode ? "⋮" : "...", INDENT + LABEL, false);
        dj_page_end(page);
    }
    bool bytes = l->bytes && !row->label && row->at <= UINT64_MAX / heat->at_bytes;
    dj_page_cell(page, row->label ? fit(page, row->label, LABEL) : dj_human_size(figure, row->at),
                 INDENT + LABEL, false);
    dj_page_cell(page, bytes ? dj_human_bytes(figure, row->at * heat->at_bytes) : "", l->bytes ? BYTES : 0,
                 false);
    dj_page_put(page, " ");
    put_cells(page, l, row);
    dj_page_cell(page, show(page, &row->share), SHARE, false);
    dj_page_cell(page, show(page, &row->score), SCORE, false);
    if (l->bar > 0 && row->bar > 0) {
        dj_page_put(page, "  ");
        dj_page_bar(page, row->bar, l->bar, false);
    } else if (l->bar > 0 && row->note) {
        dj_page_put(page, "  ");
        dj_page_put(page, fit(page, row->note, l->bar));
    }
    dj_page_end(page);
}

// As many labels above the columns as fit.
static void put_axis(dj_page *page, const dj_heat *heat, const layout *l)
{
    char figure[DJ_HUMAN_BYTES];
    unsigned wide = l->cell * l->columns, from = INDENT + LABEL + 1 + (l->bytes ? BYTES : 0);
    dj_page_ink(page, DJ_STYLE_FAINT);
    dj_page_pad(page, from);
    for (unsigned j = 0; j < l->columns; j++) {
        unsigned at = j * l->cell, length = (unsigned)strlen(dj_human_size(figure, heat->columns[j]));
        if ((page->columns > from && at <= page->columns - from) || at + length > wide)
            continue;
        dj_page_pad(page, from + at - page->columns);
        dj_page_put(page, figure);
    }
    dj_page_pad(page, from + wide - page->columns);
    dj_page_cell(page, "share", SHARE, false);
    dj_page_cell(page, "score", SCORE, false);
    dj_page_ink(page, DJ_STYLE_PLAIN);
    dj_page_end(page);
}

static void put_key(dj_page *page, const layout *l)
{
    static const char *const shares[] = {"below 5%", "25%", "50%", "75%", "above"};
    char text[256] = "share of the row: ";
    size_t used = strlen(text);
    for (unsigned i = 0; i < 5; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s%s",
                                 shade(page, i == 0 ? 0.01 : 0.25 * i - 0.1), shares[i], i < 4 ? ", " : "");
    if (l->cell == 2)
        snprintf(text + used, sizeof text - used, "; left of %s: effective reuses",
                 page->unicode ? "│" : "|");
    dj_page_ink(page, DJ_STYLE_FAINT);
    dj_page_pad(page, INDENT);
    dj_page_wrap(page, text, INDENT, page->width < DJ_SENTENCE_MOST ? page->width : DJ_SENTENCE_MOST);
    dj_page_ink(page, DJ_STYLE_PLAIN);
}

void dj_page_heat(dj_page *page, const dj_heat *heat)
{
    layout l = lay_out(page, heat);
    dj_page_heading(page, heat->title, heat->subtitle);
    if (l.columns == 0 || l.cell == 0) {
        dj_page_put(page, "  ");
        dj_page_put(page, l.columns == 0 ? dj_page_plain(page, heat->empty) : "needs a wider terminal");
        dj_page_end(page);
        return;
    }
    put_axis(page, heat, &l);
    for (size_t i = 0; i < heat->row_count; i++)
        put_row(page, heat, &l, &heat->rows[i]);
    put_key(page, &l);
}
