// SPDX-License-Identifier: MIT
// A curve in Braille characters (2 × 4 dots each), or in stars.
#include "report/plot.h"

#include <math.h>
#include <string.h>

#include "report/figure.h"
#include "report/ink.h"

enum {
    MARGIN = 7, // "  100% " before the axis
    ROWS = 13,
    DOTS = 4 * ROWS,
    COLUMNS_MOST = DJ_WIDTH_MOST,
    TICK_GAP = 9,
};

typedef struct canvas {
    unsigned char cell[ROWS][COLUMNS_MOST]; // bits of Braille dots; any: a star in ASCII
    bool mark[COLUMNS_MOST];
    unsigned columns;
    double top; // ratio at the top of the axis
} canvas;

unsigned dj_plot_curve_columns(unsigned width)
{
    unsigned columns = width - MARGIN - 1;
    return columns > COLUMNS_MOST ? COLUMNS_MOST : columns;
}

static double axis_span(const dj_curve *curve)
{
    double span = log2((double)curve->last) - log2((double)curve->first);
    return span > 0 ? span : 1;
}

uint64_t dj_plot_curve_size(const dj_curve *curve, unsigned at)
{
    unsigned places = 2 * curve->columns;
    if (at + 1 >= places)
        return curve->last;
    double size = (double)curve->first * exp2(axis_span(curve) * at / (places - 1));
    return size >= (double)curve->last ? curve->last : (uint64_t)size;
}

// The column of a size, or -1 when it lies outside.
static int column_of(const dj_curve *curve, double size)
{
    double at = log2(size / (double)curve->first) / axis_span(curve) * (2 * curve->columns - 1);
    if (!(at > -0.5) || at > 2 * curve->columns - 0.5)
        return -1;
    return (int)lround(at) / 2;
}

// The least round ratio, in quarters that are round too, that the curve stays below.
static double axis_top(const dj_curve *curve)
{
    static const double tops[] = {0.001, 0.002, 0.004, 0.01, 0.02, 0.04, 0.08, 0.12, 0.2, 0.4, 0.6, 0.8, 1};
    size_t at = 0;
    for (unsigned i = 0; i < 2 * curve->columns; i++)
        while (curve->ratio[i] > tops[at] && tops[at] < 1)
            at++;
    return tops[at];
}

// Row of dots of a ratio: the top in the middle of the first row of characters, 0 in that of the last.
static int dot_row(const canvas *c, double ratio)
{
    double share = ratio / c->top, clipped = share < 0 ? 0 : share > 1 ? 1 : share;
    return (int)lround(1.5 + (1 - clipped) * (DOTS - 4));
}

static void set_dot(canvas *c, unsigned place, int row)
{
    static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    c->cell[row / 4][place / 2] |= bits[row % 4][place % 2];
}

// Each place is joined to the one before by a vertical line.
static void draw(canvas *c, const dj_curve *curve)
{
    int before = dot_row(c, curve->ratio[0]);
    for (unsigned place = 0; place < 2 * c->columns; place++) {
        int row = dot_row(c, curve->ratio[place]);
        int step = row < before ? -1 : 1;
        for (int at = before; at != row; at += step)
            if (at != before)
                set_dot(c, place, at);
        set_dot(c, place, row);
        before = row;
    }
}

static void put_cell(FILE *out, const dj_report_style *style, const canvas *c, unsigned row, unsigned column)
{
    unsigned dots = c->cell[row][column];
    if (dots == 0 && c->mark[column]) {
        dj_ink(out, style, DJ_INK_MARK);
        fputs(style->unicode ? "┊" : ":", out);
        dj_ink(out, style, DJ_INK_PLAIN);
    } else if (dots == 0) {
        fputc(' ', out);
    } else if (!style->unicode) {
        fputc('*', out);
    } else {
        dj_ink(out, style, DJ_INK_REUSE);
        fprintf(out, "\xe2%c%c", (char)(0xa0 | dots >> 6), (char)(0x80 | (dots & 0x3f)));
        dj_ink(out, style, DJ_INK_PLAIN);
    }
}

static void put_rows(FILE *out, const dj_report_style *style, const canvas *c)
{
    for (unsigned row = 0; row < ROWS; row++) {
        bool labelled = row % 3 == 0;
        unsigned quarters_down = row / 3;
        unsigned last = c->columns;
        while (last > 0 && c->cell[row][last - 1] == 0 && !c->mark[last - 1])
            last--;
        dj_ink(out, style, DJ_INK_FAINT);
        if (labelled)
            fprintf(out, "%5.3g%% ", c->top * (100 - 25 * quarters_down));
        else
            fprintf(out, "%*s", MARGIN, "");
        fputs(style->unicode ? (labelled ? "┤" : "│") : (labelled ? "+" : "|"), out);
        dj_ink(out, style, DJ_INK_PLAIN);
        for (unsigned column = 0; column < last; column++)
            put_cell(out, style, c, row, column);
        fputc('\n', out);
    }
}

// A line of labels, each centred below or above its column, none over another
// nor beyond the plot.
typedef struct labels {
    char text[MARGIN + 1 + COLUMNS_MOST];
    int end;   // first free column
    int limit; // of the plot
} labels;

static labels no_labels(unsigned columns, const char *unit)
{
    labels line = {.limit = MARGIN + 1 + (int)columns};
    memset(line.text, ' ', sizeof line.text);
    size_t length = strlen(unit);
    memcpy(line.text, unit, length < MARGIN ? length : MARGIN);
    line.end = length > 0 ? MARGIN : 0;
    return line;
}

static bool put_label(labels *line, int column, const char *text)
{
    int length = (int)strlen(text), at = MARGIN + 1 + column, start = at - length / 2;
    if (start + length > line->limit)
        start = line->limit - length;
    if (start < line->end)
        start = line->end;
    if (start > at || start + length > line->limit)
        return false;
    memcpy(line->text + start, text, (size_t)length);
    line->end = start + length + 1;
    return true;
}

static void print_labels(FILE *out, const dj_report_style *style, enum dj_ink ink, const labels *line)
{
    dj_ink(out, style, ink);
    fprintf(out, "%.*s", line->end > 0 ? line->end - 1 : 0, line->text);
    dj_ink(out, style, DJ_INK_PLAIN);
    fputc('\n', out);
}

static void put_marks(FILE *out, const dj_report_style *style, canvas *c, const dj_curve *curve)
{
    labels line = no_labels(c->columns, "");
    for (size_t i = 0; i < curve->mark_count; i++) {
        int column = column_of(curve, (double)curve->marks[i].size);
        if (column >= 0 && put_label(&line, column, curve->marks[i].label))
            c->mark[column] = true;
    }
    if (line.end > 0)
        print_labels(out, style, DJ_INK_MARK, &line);
}

// Powers of two far enough from each other for their labels.
static unsigned tick_step(const dj_curve *curve)
{
    static const unsigned steps[] = {1, 2, 3, 4, 5, 10, 20};
    double per_doubling = curve->columns / axis_span(curve);
    unsigned i = 0;
    while (i < 6 && steps[i] * per_doubling < TICK_GAP)
        i++;
    return steps[i];
}

static void put_axis(FILE *out, const dj_report_style *style, const dj_curve *curve)
{
    bool tick[COLUMNS_MOST] = {false};
    labels sizes = no_labels(curve->columns, curve->unit), bytes = no_labels(curve->columns, "");
    char figure[DJ_FIGURE];
    unsigned step = tick_step(curve);
    for (unsigned k = 0; k < 64; k++) {
        uint64_t size = UINT64_C(1) << k;
        int column = column_of(curve, (double)size);
        if (column < 0 || k % step != 0)
            continue;
        if (!put_label(&sizes, column, dj_figure_size(figure, size)))
            continue;
        tick[column] = true;
        if (curve->unit_bytes > 0 && size <= UINT64_MAX / curve->unit_bytes)
            (void)put_label(&bytes, column, dj_figure_bytes(figure, size * curve->unit_bytes));
    }
    dj_ink(out, style, DJ_INK_FAINT);
    fprintf(out, "%*s%s", MARGIN, "", style->unicode ? "└" : "+");
    for (unsigned column = 0; column < curve->columns; column++)
        fputs(style->unicode ? (tick[column] ? "┬" : "─") : (tick[column] ? "+" : "-"), out);
    dj_ink(out, style, DJ_INK_PLAIN);
    fputc('\n', out);
    print_labels(out, style, DJ_INK_FAINT, &sizes);
    if (curve->unit_bytes > 0)
        print_labels(out, style, DJ_INK_FAINT, &bytes);
}

void dj_plot_curve(FILE *out, const dj_report_style *style, const dj_curve *curve)
{
    canvas c = {.columns = curve->columns, .top = axis_top(curve)};
    put_marks(out, style, &c, curve);
    draw(&c, curve);
    put_rows(out, style, &c);
    put_axis(out, style, curve);
}
