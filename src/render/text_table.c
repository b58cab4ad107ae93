// SPDX-License-Identifier: MIT
// Tables that fit the width: less important columns are dropped first, then names are shortened in the
// middle.
#include <string.h>

#include "render/table.h"
#include "render/text.h"

// A name of this many columns is still recognizable.
enum { NAME_LEAST = 12, NAME_GOOD = 24, INDENT = 2, TITLE_MOST = 12, CELL_MOST = 24, DEPTH_DRAWN = 12 };

typedef struct column {
    const dj_sheet_column *from;
    const char *title;
    unsigned width, between; // blanks before it
    bool left, left_out;
    bool text; // has cells that may be shortened
} column;

typedef struct sheet {
    dj_page *page;
    const dj_sheet *table;
    column *columns; // one for each column of the table
    size_t first;    // that is shown
    size_t last;
    dj_datum *made;
    bool titled; // columns have titles
} sheet;

static const char *show(const sheet *s, const dj_sheet_row *row, size_t i)
{
    const char *text = dj_datum_show(&s->page->arena, &row->cells[i], s->page->unicode);
    unsigned drawn = 2 * (row->depth < DEPTH_DRAWN ? row->depth : DEPTH_DRAWN);
    if (i != s->first || drawn == 0)
        return text;
    size_t bytes = strlen(text);
    char *moved = dj_arena_alloc(&s->page->arena, bytes + drawn + 1, 1);
    if (!moved)
        return text;
    memset(moved, ' ', drawn);
    memcpy(moved + drawn, text, bytes);
    return moved;
}

static bool begin(sheet *s)
{
    const dj_sheet *table = s->table;
    s->columns = dj_arena_alloc(&s->page->arena, table->column_count, sizeof *s->columns);
    s->made = dj_arena_alloc(&s->page->arena, table->column_count, sizeof *s->made);
    s->first = table->column_count;
    for (size_t i = 0; s->columns && s->made && i < table->column_count; i++) {
        column *c = &s->columns[i];
        c->from = &table->columns[i];
        c->left_out = !dj_column_is_shown(c->from);
        if (c->left_out)
            continue;
        s->first = s->first == table->column_count ? i : s->first;
        s->last = i;
        const char *title = dj_page_plain(s->page, c->from->title);
        unsigned most = c->from->width > TITLE_MOST ? c->from->width : TITLE_MOST;
        c->title = i == s->first ? title : dj_page_fit(s->page, title, most, DJ_FIT_MIDDLE);
        s->titled |= *title != 0;
        c->width = dj_plain_columns(c->title);
        c->width = i > s->first && c->width < c->from->width ? c->from->width : c->width;
        c->left = c->from->left || i == s->first;
    }
    return s->columns && s->made && s->first < table->column_count;
}

// Measures the cells; returns the desired width of the first column.
static unsigned measure(sheet *s)
{
    dj_arena outer = dj_arena_enter(&s->page->arena);
    unsigned widest = s->columns[s->first].from->width;
    for (size_t r = 0; r < s->table->row_count; r++) {
        dj_sheet_row row = dj_sheet_get(s->table, r, s->made);
        if (row.hidden)
            continue;
        for (size_t i = s->first; i <= s->last; i++) {
            column *c = &s->columns[i];
            if (c->left_out || c->from->wraps)
                continue;
            unsigned columns = dj_plain_columns(show(s, &row, i));
            columns = i > s->first && !(i == s->last && c->left) && columns > CELL_MOST ? CELL_MOST : columns;
            if (i > s->first)
                c->width = columns > c->width ? columns : c->width;
            else
                widest = columns > widest ? columns : widest;
            c->text |= row.cells[i].kind == DJ_DATUM_TEXT;
            if (i == s->first)
                c->left = !dj_datum_is_number(&row.cells[i]);
        }
        dj_arena_free(&s->page->arena);
    }
    dj_arena_leave(&s->page->arena, outer);
    return widest;
}

static unsigned columns_used(const sheet *s)
{
    unsigned used = INDENT;
    for (size_t i = s->first + 1; i <= s->last; i++) {
        const column *c = &s->columns[i];
        bool shrinks = i == s->last && c->left && c->width > NAME_GOOD;
        used += c->left_out ? 0 : (shrinks ? NAME_GOOD : c->width) + c->between;
    }
    return used;
}

static bool leave_one_out(sheet *s)
{
    column *worst = NULL;
    for (size_t i = s->first + 1; i <= s->last; i++) {
        column *c = &s->columns[i];
        if (!c->left_out && c->from->rank > 0 && (!worst || c->from->rank >= worst->from->rank))
            worst = c;
    }
    if (worst)
        worst->left_out = true;
    return worst != NULL;
}

// The widest column of names becomes narrower, by one.
static bool shorten_one(sheet *s)
{
    column *widest = NULL;
    for (size_t i = s->first + 1; i <= s->last; i++) {
        column *c = &s->columns[i];
        if (!c->left_out && c->text && c->width > NAME_LEAST && (!widest || c->width > widest->width))
            widest = c;
    }
    if (widest)
        widest->width--;
    return widest != NULL;
}

static void lay_out(sheet *s, unsigned name_columns)
{
    column *name = &s->columns[s->first];
    const char *over = *name->title ? name->title : dj_page_plain(s->page, s->table->title);
    unsigned title = dj_plain_columns(over), width = s->page->width;
    if (s->titled && title > INDENT && name_columns < title - INDENT)
        name_columns = title - INDENT;
    for (size_t i = s->first + 1, before = s->first; i <= s->last; i++)
        if (!s->columns[i].left_out) {
            s->columns[i].between = s->columns[i].left && !s->columns[before].left ? 2 : 1;
            before = i;
        }
    unsigned good = s->table->good ? s->table->good : NAME_GOOD;
    unsigned wanted = name_columns < good ? name_columns : good;
    while (columns_used(s) + wanted > width && leave_one_out(s))
        continue;
    unsigned least = wanted < NAME_LEAST ? wanted : NAME_LEAST;
    while (columns_used(s) + least > width && shorten_one(s))
        continue;
    unsigned used = columns_used(s), space = used + NAME_LEAST > width ? NAME_LEAST : width - used;
    name->width = name_columns < space ? name_columns : space;
    name->title = over;
}

static void put_head(const sheet *s)
{
    dj_page *page = s->page;
    const column *name = &s->columns[s->first];
    bool own = *s->table->columns[s->first].title != 0;
    if ((own || !s->titled) && *s->table->title) {
        dj_page_heading(page, s->table->title, "");
    }
    if (!s->titled)
        return;
    bool moved = own && name->left; // above the names, not above their indent
    unsigned width = moved ? name->width : INDENT + name->width;
    dj_page_ink(page, own ? DJ_STYLE_FAINT : DJ_STYLE_STRONG);
    dj_page_pad(page, moved ? INDENT : 0);
    dj_page_cell(page, dj_page_fit(page, name->title, width, DJ_FIT_MIDDLE), width, name->left);
    dj_page_ink(page, DJ_STYLE_PLAIN);
    dj_page_ink(page, DJ_STYLE_FAINT);
    for (size_t i = s->first + 1; i <= s->last; i++)
        if (!s->columns[i].left_out) {
            dj_page_pad(page, s->columns[i].between);
            dj_page_cell(page, s->columns[i].title, s->columns[i].width, s->columns[i].left);
        }
    dj_page_ink(page, DJ_STYLE_PLAIN);
    dj_page_end(page);
}

static void put_row(const sheet *s, const dj_sheet_row *row)
{
    dj_page *page = s->page;
    const column *name = &s->columns[s->first];
    if (row->style != DJ_STYLE_PLAIN)
        dj_page_ink(page, row->style);
    dj_page_pad(page, INDENT);
    dj_page_cell(page, dj_page_fit(page, show(s, row, s->first), name->width, DJ_FIT_MIDDLE), name->width,
                 name->left);
    bool wrapped = false;
    for (size_t i = s->first + 1; i <= s->last; i++) {
        const column *c = &s->columns[i];
        if (c->left_out)
            continue;
        dj_page_pad(page, c->between);
        const char *text = show(s, row, i);
        wrapped = c->from->wraps && i == s->last;
        if (wrapped)
            dj_page_wrap(page, text, page->columns, page->width);
        else if (i == s->last && c->left && page->width > page->columns + NAME_LEAST)
            dj_page_put(page, dj_page_fit(page, text, page->width - page->columns, DJ_FIT_MIDDLE));
        else
            dj_page_cell(page, dj_page_fit(page, text, c->width, DJ_FIT_MIDDLE), c->width, c->left);
    }
    if (row->style != DJ_STYLE_PLAIN)
        dj_page_ink(page, DJ_STYLE_PLAIN);
    if (!wrapped)
        dj_page_end(page);
    for (size_t i = 0; i < row->note_count; i++)
        dj_page_text(page, &row->notes[i]);
}

void dj_page_table(dj_page *page, const dj_sheet *table)
{
    sheet s = {.page = page, .table = table};
    if (!begin(&s))
        return;
    lay_out(&s, measure(&s));
    put_head(&s);
    dj_arena outer = dj_arena_enter(&page->arena);
    for (size_t r = 0; r < table->row_count; r++) {
        dj_sheet_row row = dj_sheet_get(table, r, s.made);
        if (!row.hidden)
            put_row(&s, &row);
        dj_arena_free(&page->arena);
    }
    dj_arena_leave(&page->arena, outer);
    if (!table->rest)
        return;
    const dj_text rest = {.role = DJ_TEXT_LINE,
                          .indent = INDENT,
                          .parts = &(dj_text_part){table->rest, DJ_STYLE_FAINT, DJ_FIT_END},
                          .part_count = 1};
    dj_page_text(page, &rest);
}
