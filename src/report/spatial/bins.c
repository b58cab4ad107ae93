// SPDX-License-Identifier: MIT
// Scores by distance: a row for each bin, a column for each pair. The size of the mark shows
// the share of the bin.
#include "base/human.h"
#include "report/spatial/spatial.h"

static const char *mark(double share)
{
    static const double from[] = {0.2, 0.05, 0.01, 0};
    static const char *const marks[] = {"●", "○", "∘", "·"};
    unsigned level = 0;
    while (share < from[level])
        level++;
    return marks[level];
}

static dj_sheet *add_table(const dj_spatial_page *page)
{
    size_t chosen = page->options.pair;
    dj_sheet *table = dj_document_table(page->document, DJ_NODE_TABLE, "scores by distance");
    dj_sheet_add_column(table, (dj_sheet_column){.title = ""});
    for (size_t i = 0; i < page->spatial->pair_count; i++) {
        char small[DJ_HUMAN_BYTES], large[DJ_HUMAN_BYTES];
        uint64_t block = page->spatial->pairs[i].block_bytes;
        const char *title = dj_document_format(page->document, "%s→%s", dj_human_size(small, block),
                                               dj_human_size(large, 2 * block));
        dj_sheet_add_column(
            table, (dj_sheet_column){
                       .title = title, .width = 6, .rank = (unsigned)(i < chosen ? chosen - i : i - chosen)});
    }
    return table;
}

static dj_spatial_count sum_bins(const dj_spatial_pair *pair, unsigned from, unsigned to)
{
    dj_spatial_count sum = {0, 0};
    for (unsigned bin = from; bin <= to; bin++) {
        dj_spatial_count one = dj_spatial_row(pair, bin);
        sum.reuses += one.reuses;
        sum.effective += one.effective;
    }
    return sum;
}

// Bins that are too short for a score share one row.
static void add_row(const dj_spatial_page *page, dj_sheet *table, unsigned from, unsigned to)
{
    const dj_spatial *s = page->spatial;
    bool any = false;
    for (size_t i = 0; i < s->pair_count; i++)
        any |= sum_bins(&s->pairs[i], from, to).reuses > 0;
    if (!any)
        return;
    dj_sheet_row *row = dj_sheet_add_row(table);
    dj_row_put(table, row, dj_datum_range(dj_spatial_bin_lo(from), dj_spatial_bin_hi(to)));
    for (size_t i = 0; i < s->pair_count; i++) {
        dj_spatial_count sum = sum_bins(&s->pairs[i], from, to);
        char score[16] = "-";
        if (to >= DJ_SPATIAL_STEP && sum.reuses > 0)
            snprintf(score, sizeof score, "%.2f", dj_spatial_score(sum.reuses, sum.effective));
        double share = (double)sum.reuses / (double)dj_spatial_whole(&s->pairs[i]).reuses;
        dj_row_put(table, row,
                   sum.reuses == 0
                       ? dj_datum_none("")
                       : dj_datum_text(dj_document_format(page->document, "%s %4s", mark(share), score)));
    }
}

void dj_add_score_bins(const dj_spatial_page *page)
{
    if (page->spatial->pair_count < 2)
        return;
    dj_sheet *table = add_table(page);
    for (unsigned from = 0, to = DJ_SPATIAL_STEP - 1; to < DJ_SPATIAL_BINS; from = ++to)
        add_row(page, table, from, to);
    dj_document_say(
        page->document, DJ_TEXT_LEGEND, 2,
        "scores of the reuses by distance, in blocks of the smaller size; share of the reuses: %s at least "
        "20%%, %s 5%%, %s 1%%, %s less",
        mark(0.2), mark(0.05), mark(0.01), mark(0))
        ->gap = false;
}
