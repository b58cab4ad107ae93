// SPDX-License-Identifier: MIT
// Curves, bars and heat maps as pictures.
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "render/chart.h"
#include "render/svg.h"

enum { LEFT = 74, RIGHT = DJ_SVG_WIDTH - DJ_SVG_MARGIN, PLOT = RIGHT - LEFT, HEIGHT = 300 };

typedef struct frame {
    dj_picture *picture;
    const dj_chart *chart;
    double top, bottom; // of the plot
    double most;        // share at the top
} frame;

static double x_of(const frame *f, double x)
{
    return LEFT + dj_chart_place(f->chart, x) * PLOT;
}

static double y_of(const frame *f, double y)
{
    double share = fmin(fmax(y / f->most, 0), 1);
    return f->bottom - share * (f->bottom - f->top);
}

static void draw_axes(const frame *f)
{
    dj_picture *p = f->picture;
    char label[DJ_HUMAN_BYTES];
    for (unsigned i = 0; i <= 4; i++) {
        double y = y_of(f, f->most * i / 4);
        snprintf(label, sizeof label, "%.3g%%", f->most * 25 * i);
        fprintf(p->out, "<line class=\"%s\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", i ? "g" : "x",
                LEFT, y, RIGHT, y);
        dj_svg_text(p, LEFT - 8, y + 4, "f", "end", label);
    }
    for (unsigned k = 0; k < DJ_CHART_TICKS; k++) {
        const double size = dj_chart_tick(f->chart, PLOT / 70.0, k);
        const double place = dj_chart_place(f->chart, size), x = x_of(f, size);
        if (isnan(size) || place < -0.001 || place > 1.001)
            continue;
        fprintf(p->out, "<line class=\"x\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x, f->bottom,
                x, f->bottom + 4);
        dj_svg_text(p, x, f->bottom + 17, "f", "middle", dj_chart_label(f->chart, size, label));
        if (f->chart->x_bytes && (uint64_t)size <= UINT64_MAX / f->chart->x_bytes)
            dj_svg_text(p, x, f->bottom + 31, "f", "middle",
                        dj_human_bytes(label, (uint64_t)size * f->chart->x_bytes));
    }
    fprintf(p->out, "<line class=\"x\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", LEFT, f->top, LEFT,
            f->bottom);
}

static void name_axes(const frame *f)
{
    dj_picture *p = f->picture;
    double below = f->bottom + (f->chart->x_bytes ? 47 : 33);
    char unit[128];
    snprintf(unit, sizeof unit, "%.60s%s%.40s%s", f->chart->x_name, *f->chart->x_unit ? " in " : "",
             f->chart->x_unit, f->chart->x_bytes ? " and in bytes" : "");
    dj_svg_text(p, LEFT + PLOT / 2.0, below, "f", "middle", unit);
    fprintf(p->out, "<text class=\"f\" text-anchor=\"middle\" transform=\"translate(%d %.1f) rotate(-90)\">",
            DJ_SVG_MARGIN + 10, (f->top + f->bottom) / 2);
    dj_svg_escape(p, f->chart->y_name);
    fputs("</text>\n", p->out);
    p->y = below + 4;
}

// Labels that would overlap move down one line.
static void draw_marks(const frame *f)
{
    double ends[3] = {-1, -1, -1};
    for (size_t i = 0; i < f->chart->mark_count; i++) {
        const dj_chart_mark *mark = &f->chart->marks[i];
        double place = dj_chart_place(f->chart, mark->at), x = x_of(f, mark->at);
        if (!(place >= 0) || place > 1)
            continue;
        const char *label = dj_plain_fit(&f->picture->arena, dj_plain(&f->picture->arena, mark->label, true),
                                         16, DJ_FIT_MIDDLE, true);
        unsigned row = 0;
        while (row < 2 && x < ends[row])
            row++;
        ends[row] = x + 7.0 * dj_plain_columns(label) + 10;
        fprintf(f->picture->out, "<line class=\"c\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x,
                f->top, x, f->bottom);
        bool late = place > 0.92;
        dj_svg_text(f->picture, late ? x - 3 : x + 3, f->top + 10 + 12 * row, "k", late ? "end" : "start",
                    label);
    }
}

// At most one point per half pixel, which is indistinguishable.
static void draw_steps(const frame *f, const dj_series *series, unsigned color)
{
    double before = NAN;
    fprintf(f->picture->out, "<path class=\"l l%u\" d=\"", color);
    for (unsigned i = 0; i <= 2 * PLOT; i++) {
        double size = dj_chart_at(f->chart, i / (2.0 * PLOT));
        double y = dj_series_at(series, size * (1 + 1e-12)), x = LEFT + i / 2.0;
        if (isnan(y))
            continue;
        y = y_of(f, y);
        if (isnan(before))
            fprintf(f->picture->out, "M%.1f %.1f", x, y);
        else if (fabs(y - before) >= 0.05)
            fprintf(f->picture->out, "H%.1fV%.1f", x, y);
        else if (i == 2 * PLOT)
            fprintf(f->picture->out, "H%.1f", x);
        else
            continue;
        before = y;
    }
    fputs("\"/>\n", f->picture->out);
}

static void draw_points(const frame *f, const dj_series *series, unsigned color)
{
    FILE *out = f->picture->out;
    bool begun = false;
    for (unsigned dots = series->kind == DJ_SERIES_DOTS; dots < 2; dots++) {
        if (!dots)
            fprintf(out, "<path class=\"l l%u\" d=\"", color);
        for (size_t i = 0; i < series->count; i++) {
            double place = dj_chart_place(f->chart, series->x[i]);
            if (!(place >= 0) || place > 1 || isnan(series->y[i]))
                continue;
            if (dots)
                fprintf(out, "<circle class=\"d d%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n", color,
                        x_of(f, series->x[i]), y_of(f, series->y[i]));
            else
                fprintf(out, "%c%.1f %.1f", begun ? 'L' : 'M', x_of(f, series->x[i]), y_of(f, series->y[i]));
            begun = true;
        }
        if (!dots)
            fputs("\"/>\n", out);
    }
}

static void draw_legend(const frame *f)
{
    dj_picture *p = f->picture;
    for (size_t i = 0; f->chart->series_count > 1 && i < f->chart->series_count; i++) {
        unsigned color = (unsigned)(i % DJ_SVG_COLORS);
        p->y += DJ_SVG_LINE;
        if (f->chart->series[i].kind != DJ_SERIES_STEPS)
            fprintf(p->out, "<circle class=\"d d%u\" cx=\"%d\" cy=\"%.1f\" r=\"3.5\"/>\n", color, LEFT + 12,
                    p->y - 4);
        if (f->chart->series[i].kind != DJ_SERIES_DOTS)
            fprintf(p->out, "<path class=\"l l%u\" d=\"M%d %.1fh24\"/>\n", color, LEFT, p->y - 4);
        dj_svg_text(p, LEFT + 32, p->y, "t", "start",
                    dj_plain_fit(&p->arena, dj_plain(&p->arena, f->chart->series[i].name, true), 90,
                                 DJ_FIT_MIDDLE, true));
    }
}

void dj_svg_chart(dj_picture *p, const dj_chart *chart)
{
    dj_svg_heading(p, chart->title, chart->subtitle);
    const frame f = {.picture = p,
                     .chart = chart,
                     .top = p->y + 10,
                     .bottom = p->y + 10 + HEIGHT,
                     .most = dj_chart_top(chart)};
    draw_axes(&f);
    name_axes(&f);
    draw_marks(&f);
    for (size_t i = chart->series_count; i-- > 0;) { // the first one is on top
        unsigned color = (unsigned)(i % DJ_SVG_COLORS);
        if (chart->series[i].kind == DJ_SERIES_STEPS)
            draw_steps(&f, &chart->series[i], color);
        else
            draw_points(&f, &chart->series[i], color);
    }
    draw_legend(&f);
    p->y += 8;
}

void dj_svg_bars(dj_picture *p, const dj_bars *bars)
{
    enum { ROW = 18, LABEL = 190, BAR = 440 };
    char count[DJ_HUMAN_BYTES], share[DJ_HUMAN_BYTES], text[2 * DJ_HUMAN_BYTES + 8];
    double most = 1, total = 0;
    dj_svg_heading(p, bars->title, bars->unit);
    for (size_t i = 0; i < bars->count; i++) {
        most = fmax(most, (double)bars->list[i].count);
        total += (double)bars->list[i].count;
    }
    for (size_t i = 0; i < bars->count; i++) {
        const dj_bar *bar = &bars->list[i];
        double length = BAR * (double)bar->count / most;
        dj_svg_text(p, LABEL - 8, p->y + 13, "f", "end", dj_bar_label(&p->arena, bar, true));
        fprintf(p->out, "<rect class=\"d d%d\"%s x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n",
                bar->label != NULL, bar->label ? " fill-opacity=\"0.55\"" : "", LABEL, p->y + 3,
                bar->count > 0 && length < 1 ? 1 : length, ROW - 5);
        dj_human_count(count, bar->count);
        snprintf(text, sizeof text, "%s · %s", count, dj_human_percent(share, (double)bar->count, total));
        dj_svg_text(p, LABEL + length + 6, p->y + 13, "f", "start", text);
        p->y += ROW;
    }
    p->y += 8;
}

static void draw_heat_row(dj_picture *p, const dj_heat *heat, const dj_heat_row *row, double cell)
{
    char figure[DJ_HUMAN_BYTES];
    dj_svg_text(p, LEFT + 56, p->y + 13, "f", "end",
                row->label ? row->label
                : heat->at_bytes && row->at <= UINT64_MAX / heat->at_bytes
                    ? dj_human_bytes(figure, row->at * heat->at_bytes)
                    : dj_human_size(figure, row->at));
    for (size_t j = 0; j < heat->column_count; j++)
        if (row->cells[j] > 0)
            fprintf(p->out,
                    "<rect class=\"d d%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"16\" "
                    "fill-opacity=\"%.2f\"/>\n",
                    row->border == 0 || j >= row->border, LEFT + 64 + cell * (double)j, p->y, cell - 1,
                    0.15 + 0.85 * fmin(row->cells[j], 1));
    if (row->border > 0)
        fprintf(p->out, "<line class=\"x\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                LEFT + 63.5 + cell * row->border, p->y, LEFT + 63.5 + cell * row->border, p->y + 16);
    double right = LEFT + 64 + cell * (double)heat->column_count;
    dj_svg_text(p, right + 55, p->y + 13, "f", "end", dj_datum_show(&p->arena, &row->share, true));
    dj_svg_text(p, right + 105, p->y + 13, "f", "end", dj_datum_show(&p->arena, &row->score, true));
    p->y += DJ_SVG_LINE;
}

void dj_svg_heat(dj_picture *p, const dj_heat *heat)
{
    char figure[DJ_HUMAN_BYTES];
    dj_svg_heading(p, heat->title, heat->subtitle);
    p->y += 12;
    if (heat->column_count == 0) {
        dj_svg_text(p, DJ_SVG_MARGIN, p->y, "t", "start", heat->empty);
        return;
    }
    double cell = fmin((RIGHT - 120.0 - (LEFT + 64)) / (double)heat->column_count, 26);
    size_t every = (size_t)ceil(30 / cell);
    for (size_t j = 0; j < heat->column_count; j += every)
        dj_svg_text(p, LEFT + 64 + cell * (double)j, p->y, "f", "start",
                    dj_human_size(figure, heat->columns[j]));
    double right = LEFT + 64 + cell * (double)heat->column_count;
    dj_svg_text(p, right + 55, p->y, "f", "end", "share");
    dj_svg_text(p, right + 105, p->y, "f", "end", "score");
    p->y += 6;
    for (size_t i = 0; i < heat->row_count; i++)
        draw_heat_row(p, heat, &heat->rows[i], cell);
    dj_svg_text(p, LEFT + 64, p->y + 12, "f", "start",
                "darker: larger share of the row; left of the line: effective reuses");
    p->y += 24;
}
