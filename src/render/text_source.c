// SPDX-License-Identifier: MIT
// Source with figures in the margin.
#include <string.h>

#include "render/table.h"
#include "render/text.h"

enum { NUMBER_LEAST = 5, TAB = 8 };

typedef struct margin {
    unsigned *widths; // of the columns before the last two; 0: dropped
    size_t count;
    unsigned number_width;
} margin;

static unsigned widen(dj_page *page, unsigned width, const dj_datum *datum)
{
    unsigned columns = dj_plain_columns(dj_datum_show(&page->arena, datum, page->unicode));
    return columns > width ? columns : width;
}

// The source gets three eighths of the width; the least important columns are dropped first.
static void fit(dj_page *page, const dj_sheet *table, margin *m)
{
    unsigned space = page->width * 5 / 8 - m->number_width - 3, used = 0;
    for (size_t i = 0; i < m->count; i++)
        used += m->widths[i] ? m->widths[i] + 1 : 0;
    while (used > space) {
        size_t worst = m->count;
        for (size_t i = 0; i < m->count; i++)
            if (m->widths[i] && (worst == m->count || table->columns[i].rank > table->columns[worst].rank))
                worst = i;
        if (worst == m->count)
            return;
        used -= m->widths[worst] + 1;
        m->widths[worst] = 0;
    }
}

static bool lay_out(dj_page *page, const dj_sheet *table, margin *m)
{
    m->count = table->column_count - 2;
    m->widths = dj_arena_alloc(&page->arena, m->count, sizeof *m->widths);
    m->number_width = NUMBER_LEAST;
    for (size_t i = 0; m->widths && i < m->count; i++) {
        if (!dj_column_is_shown(&table->columns[i]))
            continue;
        m->widths[i] = dj_plain_columns(dj_page_plain(page, table->columns[i].title));
        for (size_t r = 0; r < table->row_count; r++)
            m->widths[i] = widen(page, m->widths[i], &table->rows[r].cells[i]);
    }
    for (size_t r = 0; r < table->row_count; r++)
        if (table->rows[r].used > 0)
            m->number_width = widen(page, m->number_width, &table->rows[r].cells[m->count]);
    if (m->widths)
        fit(page, table, m);
    return m->widths != NULL;
}

static const char *without_tabs(dj_page *page, const char *text)
{
    size_t bytes = strlen(text), at = 0, column = 0;
    char *out = dj_arena_alloc(&page->arena, TAB * bytes + 1, 1);
    for (; out && *text; text++)
        if (*text == '\t') {
            do
                out[at++] = ' ';
            while (++column % TAB != 0);
        } else {
            out[at++] = *text;
            column += ((unsigned char)*text & 0xc0) != 0x80;
        }
    return out ? out : "";
}

static void put_row(dj_page *page, const dj_sheet *table, const margin *m, const dj_sheet_row *row)
{
    if (row->used == 0) {
        dj_page_put(page, page->unicode ? "⋮" : "...");
        dj_page_end(page);
        return;
    }
    if (row->style != DJ_STYLE_PLAIN)
        dj_page_ink(page, row->style);
    for (size_t i = 0; i < m->count; i++)
        if (m->widths[i])
            dj_page_cell(page, dj_datum_show(&page->arena, &row->cells[i], page->unicode), m->widths[i],
                         false),
                dj_page_put(page, " ");
    if (row->style != DJ_STYLE_PLAIN)
        dj_page_ink(page, DJ_STYLE_PLAIN);
    dj_page_put(page, page->unicode ? "│" : "|");
    dj_page_cell(page, dj_datum_show(&page->arena, &row->cells[m->count], page->unicode), m->number_width,
                 false);
    const char *text = row->cells[table->column_count - 1].text;
    if (text && *text) {
        dj_page_put(page, "  ");
        dj_page_put(page, dj_page_plain(page, without_tabs(page, text)));
    }
    dj_page_end(page);
}

void dj_page_source(dj_page *page, const dj_sheet *table)
{
    margin m;
    if (table->column_count < 2 || !lay_out(page, table, &m))
        return;
    dj_page_ink(page, DJ_STYLE_FAINT);
    for (size_t i = 0; i < m.count; i++)
        if (m.widths[i])
            dj_page_cell(page, dj_page_plain(page, table->columns[i].title), m.widths[i], false),
                dj_page_put(page, " ");
    dj_page_put(page, page->unicode ? "│" : "|");
    dj_page_cell(page, dj_page_plain(page, table->columns[m.count].title), m.number_width, false);
    dj_page_ink(page, DJ_STYLE_PLAIN);
    dj_page_end(page);
    dj_arena outer = dj_arena_enter(&page->arena);
    for (size_t r = 0; r < table->row_count; r++) {
        put_row(page, table, &m, &table->rows[r]);
        dj_arena_free(&page->arena);
    }
    dj_arena_leave(&page->arena, outer);
}
