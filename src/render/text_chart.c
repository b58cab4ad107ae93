// SPDX-License-Identifier: MIT
// Curves in Braille characters (2 × 4 dots each), or in stars; several in letters.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "render/chart.h"
#include "render/text.h"

enum {
    MARGIN = 7, // "  100% " before the axis
    ROWS = 13,
    DOTS = 4 * ROWS,
    COLUMNS_MOST = DJ_WIDTH_MOST,
    TICK_GAP = 9,
};

typedef struct canvas {
    const dj_chart *chart;
    unsigned char cell[ROWS][COLUMNS_MOST];  // bits of Braille dots
    unsigned char owner[ROWS][COLUMNS_MOST]; // the series drawn there, from 1; the first one is kept
    bool mark[COLUMNS_MOST];
    unsigned columns;
    double top; // share at the top of the axis
} canvas;

// The size at position `at` of 2 * columns.
static double size_at(const canvas *c, unsigned at)
{
    unsigned places = 2 * c->columns;
    if (at + 1 >= places)
        return c->chart->last;
    double size = dj_chart_at(c->chart, at / (places - 1.0));
    return size >= c->chart->last ? c->chart->last : c->chart->linear ? size : floor(size);
}

// The position of a size, or -1 if it is outside.
static int place_of(const canvas *c, double size)
{
    double at = dj_chart_place(c->chart, size) * (2 * c->columns - 1);
    return !(at > -0.5) || at > 2 * c->columns - 0.5 ? -1 : (int)lround(at);
}

static int column_of(const canvas *c, double size)
{
    int place = place_of(c, size);
    return place < 0 ? -1 : place / 2;
}

// The row of dots of a share: the top is in the middle of the first row of characters, 0 in that of the
// last.
static int dot_row(const canvas *c, double y)
{
    double share = y / c->top, clipped = share < 0 ? 0 : share > 1 ? 1 : share;
    return (int)lround(1.5 + (1 - clipped) * (DOTS - 4));
}

static void set_dot(canvas *c, size_t series, unsigned place, int row)
{
    static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    c->cell[row / 4][place / 2] |= bits[row % 4][place % 2];
    if (c->owner[row / 4][place / 2] == 0)
        c->owner[row / 4][place / 2] = (unsigned char)(series + 1);
}

// Each position is connected to the previous one by a vertical line.
static void draw_curve(canvas *c, size_t index)
{
    const dj_series *series = &c->chart->series[index];
    int before = -1;
    for (unsigned place = 0; place < 2 * c->columns; place++) {
        double y = dj_series_at(series, size_at(c, place));
        if (isnan(y)) {
            before = -1;
            continue;
        }
        int row = dot_row(c, y), step = row < before ? -1 : 1;
        for (int at = before; before >= 0 && at != row; at += step)
            if (at != before)
                set_dot(c, index, place, at);
        set_dot(c, index, place, row);
        before = row;
    }
}

static void draw(canvas *c)
{
    for (size_t i = 0; i < c->chart->series_count && i < 26; i++) {
        const dj_series *series = &c->chart->series[i];
        if (series->kind != DJ_SERIES_DOTS)
            draw_curve(c, i);
        for (size_t k = 0; series->kind != DJ_SERIES_STEPS && k < series->count; k++) {
            int place = place_of(c, series->x[k]);
            if (place >= 0)
                set_dot(c, i, (unsigned)place, dot_row(c, series->y[k]));
        }
    }
}

static void put_cell(dj_page *page, const canvas *c, unsigned row, unsigned column)
{
    unsigned dots = c->cell[row][column], series = c->owner[row][column];
    if (dots == 0 && c->mark[column]) {
        dj_page_ink(page, DJ_STYLE_MARK);
        dj_page_put(page, page->unicode ? "┊" : ":");
        dj_page_ink(page, DJ_STYLE_PLAIN);
    } else if (dots == 0) {
        dj_page_put(page, " ");
    } else if (c->chart->series_count > 1) {
        const char letter[] = {(char)('a' + series - 1), 0};
        dj_page_ink_series(page, series - 1);
        dj_page_put(page, letter);
        dj_page_ink(page, DJ_STYLE_PLAIN);
    } else if (!page->unicode) {
        dj_page_put(page, "*");
    } else {
        const char braille[] = {(char)0xe2, (char)(0xa0 | dots >> 6), (char)(0x80 | (dots & 0x3f)), 0};
        dj_page_ink_series(page, 0);
        dj_page_put(page, braille);
        dj_page_ink(page, DJ_STYLE_PLAIN);
    }
}

static void put_rows(dj_page *page, const canvas *c)
{
    for (unsigned row = 0; row < ROWS; row++) {
        char label[16] = "";
        bool labelled = row % 3 == 0;
        unsigned quarters = row / 3;
        unsigned last = c->columns;
        while (last > 0 && c->cell[row][last - 1] == 0 && !c->mark[last - 1])
            last--;
        if (labelled)
            snprintf(label, sizeof label, "%5.3g%% ", c->top * (100 - 25 * quarters));
        dj_page_ink(page, DJ_STYLE_FAINT);
        dj_page_cell(page, label, MARGIN, true);
        dj_page_put(page, page->unicode ? (labelled ? "┤" : "│") : (labelled ? "+" : "|"));
        dj_page_ink(page, DJ_STYLE_PLAIN);
        for (unsigned column = 0; column < last; column++)
            put_cell(page, c, row, column);
        dj_page_end(page);
    }
}

// A line of labels, each centred at its column; none overlaps another or leaves the plot.
typedef struct labels {
    dj_page *page;
    enum dj_style style;
    int limit; // of the plot
} labels;

static labels begin_labels(dj_page *page, const canvas *c, enum dj_style style, const char *unit)
{
    dj_page_ink(page, style);
    if (*unit)
        dj_page_cell(page, dj_page_fit(page, unit, MARGIN - 1, DJ_FIT_END), MARGIN - 1, true);
    return (labels){page, style, MARGIN + 1 + (int)c->columns};
}

static bool put_label(labels *line, int column, const char *plain)
{
    int length = (int)dj_plain_columns(plain), at = MARGIN + 1 + column, start = at - length / 2;
    int end = line->page->columns > 0 ? (int)line->page->columns + 1 : 0;
    if (start + length > line->limit)
        start = line->limit - length;
    if (start < end)
        start = end;
    if (start > at || start + length > line->limit)
        return false;
    dj_page_pad(line->page, (unsigned)start - line->page->columns);
    dj_page_put(line->page, plain);
    return true;
}

static void put_marks(dj_page *page, canvas *c)
{
    labels line = begin_labels(page, c, DJ_STYLE_MARK, "");
    for (size_t i = 0; i < c->chart->mark_count; i++) {
        int column = column_of(c, c->chart->marks[i].at);
        if (column >= 0 && put_label(&line, column, dj_page_plain(page, c->chart->marks[i].label)))
            c->mark[column] = true;
    }
    bool any = page->columns > 0;
    dj_page_ink(page, DJ_STYLE_PLAIN);
    if (any)
        dj_page_end(page);
    page->used = page->columns = 0;
}

static void put_axis(dj_page *page, const canvas *c)
{
    const dj_chart *chart = c->chart;
    int columns[DJ_CHART_TICKS];
    double ticks[DJ_CHART_TICKS];
    bool tick[COLUMNS_MOST] = {false};
    char figure[DJ_HUMAN_BYTES];
    dj_page below = {.unicode = page->unicode, .color = page->color, .out = page->out};
    labels sizes = begin_labels(&below, c, DJ_STYLE_FAINT, dj_page_plain(page, chart->x_unit));
    for (unsigned k = 0; k < DJ_CHART_TICKS; k++) {
        ticks[k] = dj_chart_tick(chart, c->columns / (double)TICK_GAP, k);
        columns[k] = isnan(ticks[k]) ? -1 : column_of(c, ticks[k]);
        if (columns[k] >= 0 && !put_label(&sizes, columns[k], dj_chart_label(chart, ticks[k], figure)))
            columns[k] = -1;
        if (columns[k] >= 0)
            tick[columns[k]] = true;
    }
    dj_page_ink(page, DJ_STYLE_FAINT);
    dj_page_pad(page, MARGIN);
    dj_page_put(page, page->unicode ? "└" : "+");
    for (unsigned column = 0; column < c->columns; column++)
        dj_page_put(page, page->unicode ? (tick[column] ? "┬" : "─") : (tick[column] ? "+" : "-"));
    dj_page_ink(page, DJ_STYLE_PLAIN);
    dj_page_end(page);
    dj_page_ink(&below, DJ_STYLE_PLAIN);
    dj_page_end(&below);
    page->failed |= !dj_page_free(&below);
    if (chart->x_bytes == 0)
        return;
    labels bytes = begin_labels(page, c, DJ_STYLE_FAINT, "");
    for (unsigned k = 0; k < DJ_CHART_TICKS; k++)
        if (columns[k] >= 0 && (uint64_t)ticks[k] <= UINT64_MAX / chart->x_bytes)
            (void)put_label(&bytes, columns[k], dj_human_bytes(figure, (uint64_t)ticks[k] * chart->x_bytes));
    dj_page_ink(page, DJ_STYLE_PLAIN);
    dj_page_end(page);
}

static void put_legend(dj_page *page, const dj_chart *chart)
{
    for (size_t i = 0; chart->series_count > 1 && i < chart->series_count && i < 26; i++) {
        const char head[] = {(char)('a' + i), ' ', ' ', 0};
        dj_page_pad(page, MARGIN + 1);
        dj_page_ink_series(page, i);
        dj_page_put(page, head);
        dj_page_ink(page, DJ_STYLE_PLAIN);
        dj_page_put(page, dj_page_fit(page, dj_page_plain(page, chart->series[i].name),
                                      page->width - MARGIN - 4, DJ_FIT_MIDDLE));
        dj_page_end(page);
    }
}

void dj_page_chart(dj_page *page, const dj_chart *chart)
{
    canvas *c = dj_arena_alloc(&page->arena, 1, sizeof *c);
    if (!c)
        return;
    dj_page_heading(page, chart->title, chart->subtitle);
    c->chart = chart;
    c->columns = page->width - MARGIN - 1;
    c->top = dj_chart_top(chart);
    put_marks(page, c);
    draw(c);
    put_rows(page, c);
    put_axis(page, c);
    put_legend(page, chart);
}
