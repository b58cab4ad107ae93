// SPDX-License-Identifier: MIT
// Scores by distance, a row for each bin and a column for each pair, with the
// size of the bin as a mark of that size.
#include "report/ink.h"
#include "report/paragraph.h"
#include "report/sheet.h"
#include "report/spatial.h"

static const char *mark(const dj_report_style *style, double share)
{
    static const double from[] = {0.2, 0.05, 0.01, 0};
    static const char *const marks[][4] = {{"@", "O", "o", "."}, {"●", "○", "∘", "·"}};
    unsigned level = 0;
    while (share < from[level])
        level++;
    return marks[style->unicode][level];
}

static void add_columns(dj_sheet *sheet, const dj_spatial_page *page)
{
    size_t chosen = page->options.pair;
    for (size_t i = 0; i < page->spatial->pair_count; i++) {
        char title[2 * DJ_FIGURE + 4], small[DJ_FIGURE], large[DJ_FIGURE];
        uint64_t block = page->spatial->pairs[i].block_bytes;
        snprintf(title, sizeof title, "%s%s%s", dj_figure_size(small, block),
                 page->style->unicode ? "→" : ">", dj_figure_size(large, 2 * block));
        dj_sheet_add(sheet, title, 6, (unsigned)(i < chosen ? chosen - i : i - chosen));
    }
}

// Bins that are too near for a score are one row.
static void fill(char (*cells)[DJ_CELL], const dj_spatial_page *page, unsigned from, unsigned to)
{
    for (size_t i = 0; i < page->spatial->pair_count && i < DJ_SHEET_COLUMNS; i++) {
        const dj_spatial_pair *pair = &page->spatial->pairs[i];
        dj_spatial_count row = {0, 0};
        char score[DJ_SPATIAL_TEXT];
        for (unsigned bin = from; bin <= to; bin++) {
            dj_spatial_count one = dj_spatial_row(pair, bin);
            row.reuses += one.reuses;
            row.effective += one.effective;
        }
        cells[i][0] = 0;
        if (row.reuses > 0)
            snprintf(cells[i], DJ_CELL, "%s %4s",
                     mark(page->style, (double)row.reuses / (double)dj_spatial_whole(pair).reuses),
                     to < DJ_SPATIAL_STEP ? "-" : dj_spatial_score_text(score, row));
    }
}

static bool is_empty(const dj_spatial_page *page, char (*cells)[DJ_CELL])
{
    for (size_t i = 0; i < page->spatial->pair_count && i < DJ_SHEET_COLUMNS; i++)
        if (cells[i][0])
            return false;
    return true;
}

void dj_page_bins(const dj_spatial_page *page)
{
    char cells[DJ_SHEET_COLUMNS][DJ_CELL], range[DJ_SPATIAL_TEXT];
    if (page->spatial->pair_count < 2)
        return;
    dj_sheet sheet = {.style = page->style, .out = page->out, .name_title = "scores by distance"};
    add_columns(&sheet, page);
    dj_sheet_lay_out(&sheet, 0);
    fputc('\n', page->out);
    dj_sheet_print_head(&sheet);
    for (unsigned from = 0, to = DJ_SPATIAL_STEP - 1; to < DJ_SPATIAL_BINS; from = ++to) {
        fill(cells, page, from, to);
        dj_spatial_range(range, page->style, dj_spatial_bin_lo(from), dj_spatial_bin_hi(to));
        if (!is_empty(page, cells))
            dj_sheet_print_row(&sheet, range, cells);
    }
    char key[128];
    snprintf(key, sizeof key, "in blocks of the smaller size; %s from 20%% of the reuses on, %s 5%%, %s 1%%",
             mark(page->style, 0.2), mark(page->style, 0.05), mark(page->style, 0.01));
    dj_ink(page->out, page->style, DJ_INK_FAINT);
    dj_paragraph(page->out, page->style, key, 2);
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
}
