// SPDX-License-Identifier: MIT
// The map of one pair as a heat map: a row for each bin of the distances at b,
// a column for each at 2b, shaded by the share of the row, and beside each row
// its size and score.
#include <math.h>
#include <string.h>

#include "report/figure.h"
#include "report/fit.h"
#include "report/ink.h"
#include "report/paragraph.h"
#include "report/plot.h"
#include "report/spatial.h"

enum { INDENT = 2, LABEL = 5, BYTES = 9, SHARE = 6, SCORE = 6, BAR_LEAST = 7, BAR_MOST = 20 };

typedef struct layout {
    unsigned first, last; // rows
    unsigned columns;
    unsigned cell; // characters of one; 0: there is no room for the map
    unsigned bar;  // characters of the bar of the score; 0: none
    bool bytes;    // distances are told in bytes, too
    double reuses;
} layout;

static uint64_t sum(const uint64_t *cells, unsigned count)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < count; i++)
        all += cells[i];
    return all;
}

static void find_extent(const dj_spatial_pair *pair, layout *l)
{
    l->first = DJ_SPATIAL_BINS;
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++) {
        uint64_t reuses = sum(pair->map[i], DJ_SPATIAL_BINS);
        l->reuses += (double)reuses;
        if (reuses > 0) {
            l->first = l->first < i ? l->first : i;
            l->last = i;
        }
        for (unsigned j = 0; j < DJ_SPATIAL_BINS; j++)
            if ((pair->map[i][j] > 0 || pair->cold[j] > 0) && j >= l->columns)
                l->columns = j + 1;
    }
}

static layout lay_out(const dj_spatial_page *page, const dj_spatial_pair *pair)
{
    layout l = {.first = 0};
    find_extent(pair, &l);
    unsigned width = dj_style_width(page->style), used = INDENT + LABEL + 1 + SHARE + SCORE;
    unsigned room = width > used ? width - used : 0;
    l.cell = 2 * l.columns <= room ? 2 : l.columns <= room ? 1 : 0;
    room -= l.cell * l.columns;
    l.bytes = page->profile->provenance.unit_bytes > 0 && room >= BYTES;
    room -= l.bytes ? BYTES : 0;
    l.bar = room > BAR_LEAST + 2 ? room - 2 : 0;
    l.bar = l.bar < BAR_MOST ? l.bar : BAR_MOST;
    return l;
}

// By share of the row, from 0 to 1; what is there never looks as if it were not.
static const char *shade(const dj_report_style *style, double share)
{
    static const char *const shades[][5] = {{".", ":", "+", "#", "@"}, {"·", "░", "▒", "▓", "█"}};
    unsigned level = share < 0.05 ? 0 : 1 + (unsigned)fmin(share * 4, 3);
    return share > 0 ? shades[style->unicode][level] : " ";
}

// `border`: effective spatial reuse ends in the column before it; 0: no border.
static void print_cells(const dj_spatial_page *page, const layout *l, const uint64_t *cells, unsigned border,
                        uint64_t whole)
{
    dj_ink(page->out, page->style, border > 0 ? DJ_INK_REUSE : DJ_INK_COLD);
    for (unsigned j = 0; j < l->columns; j++) {
        const char *mark = shade(page->style, whole > 0 ? (double)cells[j] / (double)whole : 0);
        if (border > 0 && j == border) {
            dj_ink(page->out, page->style, DJ_INK_PLAIN);
            dj_ink(page->out, page->style, DJ_INK_COLD);
        }
        fputs(mark, page->out);
        if (l->cell == 2)
            fputs(j + 1 != border ? mark : page->style->unicode ? "│" : "|", page->out);
    }
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
}

static void print_label(const dj_spatial_page *page, const layout *l, uint64_t block, unsigned bin)
{
    char figure[DJ_FIGURE];
    uint64_t lo = dj_spatial_bin_lo(bin);
    fprintf(page->out, "%*s%*s", INDENT, "", LABEL, dj_figure_size(figure, lo));
    if (l->bytes)
        fprintf(page->out, "%*s", BYTES, lo <= UINT64_MAX / block ? dj_figure_bytes(figure, lo * block) : "");
}

static void print_row(const dj_spatial_page *page, const dj_spatial_pair *pair, const layout *l, unsigned bin)
{
    char share[DJ_FIGURE], score[DJ_SPATIAL_TEXT];
    dj_spatial_count row = dj_spatial_row(pair, bin);
    bool scored = bin >= DJ_SPATIAL_STEP; // nearer ones cannot become so much nearer
    print_label(page, l, pair->block_bytes, bin);
    fputc(' ', page->out);
    print_cells(page, l, pair->map[bin], scored ? bin - DJ_SPATIAL_STEP + 1 : 0, row.reuses);
    fprintf(page->out, "%*s%*s", SHARE, dj_figure_share(share, (double)row.reuses, l->reuses), SCORE,
            scored ? dj_spatial_score_text(score, row) : "-");
    if (l->bar > 0 && row.effective > 0) {
        fputs("  ", page->out);
        dj_plot_bar(page->out, page->style, fmin(dj_spatial_score(row.reuses, row.effective), 1), l->bar,
                    false);
    }
    fputc('\n', page->out);
}

// Of the accesses that are cold at b: where those that are not at 2b come to lie.
static void print_cold(const dj_spatial_page *page, const dj_spatial_pair *pair, const layout *l)
{
    char count[DJ_FIGURE], share[DJ_FIGURE];
    uint64_t spatial = sum(pair->cold, DJ_SPATIAL_BINS), cold = spatial + pair->cold_both;
    if (cold == 0)
        return;
    fprintf(page->out, "%*s%*s%*s ", INDENT, "", LABEL, "cold", l->bytes ? BYTES : 0, "");
    print_cells(page, l, pair->cold, 0, cold);
    fprintf(page->out, "%*s%*s%s\n", SHARE, dj_figure_short(count, (double)cold), SCORE,
            dj_figure_share(share, (double)spatial, (double)cold), l->bar > 0 ? "  spatial" : "");
}

// Over the columns: as many labels as have room.
static void print_axis(const dj_spatial_page *page, const layout *l)
{
    char figure[DJ_FIGURE], axis[2 * DJ_SPATIAL_BINS + DJ_FIGURE];
    unsigned used = 0, wide = l->cell * l->columns;
    memset(axis, ' ', sizeof axis);
    for (unsigned j = 0; j < l->columns; j++) {
        unsigned at = j * l->cell, length;
        dj_figure_size(figure, dj_spatial_bin_lo(j));
        length = (unsigned)strlen(figure);
        if ((used > 0 && at <= used) || at + length > wide)
            continue;
        memcpy(axis + at, figure, length);
        used = at + length;
    }
    axis[wide] = 0;
    dj_ink(page->out, page->style, DJ_INK_FAINT);
    fprintf(page->out, "%*s%*s%*s %s%*s%*s\n", INDENT, "", LABEL, "", l->bytes ? BYTES : 0, "", axis, SHARE,
            "size", SCORE, "score");
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
}

static void print_title(const dj_spatial_page *page, const dj_spatial_pair *pair)
{
    char name[DJ_SPATIAL_TEXT];
    fputc('\n', page->out);
    dj_ink(page->out, page->style, DJ_INK_TITLE);
    fprintf(page->out, "map %s", dj_spatial_pair_name(name, page->profile, page->style, pair));
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
    dj_ink(page->out, page->style, DJ_INK_FAINT);
    fputs("  down: distance before; across: after; in blocks\n", page->out);
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
}

static void print_key(const dj_spatial_page *page, const layout *l)
{
    static const char *const shares[] = {"below 5%", "25%", "50%", "75%", "above"};
    char text[256] = "";
    size_t used = 0;
    for (unsigned i = 0; i < 5; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s%s",
                                 shade(page->style, i == 0 ? 0.01 : 0.25 * i - 0.1), shares[i],
                                 i < 4 ? ", " : " of the row");
    if (l->cell == 2)
        snprintf(text + used, sizeof text - used, "; left of %s effective", page->style->unicode ? "│" : "|");
    dj_ink(page->out, page->style, DJ_INK_FAINT);
    dj_paragraph(page->out, page->style, text, INDENT);
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
}

// Rows from `bin` on in which there is nothing.
static unsigned count_empty(const dj_spatial_pair *pair, const layout *l, unsigned bin)
{
    unsigned count = 0;
    while (bin + count < l->last && dj_spatial_row(pair, bin + count).reuses == 0)
        count++;
    return count;
}

static void print_rows(const dj_spatial_page *page, const dj_spatial_pair *pair, const layout *l)
{
    for (unsigned bin = l->first; bin <= l->last && bin < DJ_SPATIAL_BINS; bin++) {
        unsigned empty = count_empty(pair, l, bin);
        if (empty > 0)
            fprintf(page->out, "%*s%s\n", INDENT + LABEL - (page->style->unicode ? 1 : 3), "",
                    page->style->unicode ? "⋮" : "...");
        bin += empty;
        print_row(page, pair, l, bin);
    }
}

void dj_page_map(const dj_spatial_page *page)
{
    const dj_spatial_pair *pair = &page->spatial->pairs[page->options.pair];
    layout l = lay_out(page, pair);
    print_title(page, pair);
    if (l.columns == 0 || l.cell == 0) {
        fprintf(page->out, "  %s\n", l.columns == 0 ? "no block was used again" : "needs a wider terminal");
        return;
    }
    print_axis(page, &l);
    print_rows(page, pair, &l);
    print_cold(page, pair, &l);
    print_key(page, &l);
}
