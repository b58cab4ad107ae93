// SPDX-License-Identifier: MIT
// A line for each doubling of the block size.
#include "report/ink.h"
#include "report/sheet.h"
#include "report/spatial.h"

// Columns that matter less go first.
enum { RANK_STAYS, RANK_LONG, RANK_CACHE, RANK_REUSES, RANK_INTERCEPT, RANK_COLD };

static void add_columns(dj_sheet *sheet, const dj_spatial_page *page)
{
    const dj_spatial *s = page->spatial;
    dj_sheet_add(sheet, "score", 5, RANK_STAYS);
    dj_sheet_add(sheet, dj_spatial_far_name(page), 5, RANK_LONG);
    dj_sheet_add(sheet, "score", 5, RANK_LONG);
    for (size_t i = 0; i < s->cache_count; i++)
        if (i != page->options.cache)
            dj_sheet_add(sheet, s->caches[i].name, 5, RANK_CACHE);
    dj_sheet_add(sheet, "reuses", 6, RANK_REUSES);
    dj_sheet_add(sheet, "intercepted", 5, RANK_INTERCEPT);
    dj_sheet_add(sheet, "cold", 5, RANK_COLD);
    dj_sheet_add(sheet, "cold spatial", 5, RANK_COLD);
}

static uint64_t sum(const uint64_t *counts)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++)
        all += counts[i];
    return all;
}

static void fill(char (*cells)[DJ_CELL], const dj_spatial_page *page, const dj_spatial_pair *pair)
{
    dj_spatial_count bins[DJ_SPATIAL_BINS];
    dj_spatial_counts counts = dj_spatial_pair_counts(pair, bins);
    dj_spatial_count all = dj_spatial_all(&counts), far = dj_spatial_far(&counts, &page->options);
    unsigned at = 0;
    dj_spatial_score_text(cells[at++], all);
    dj_figure_share(cells[at++], (double)far.reuses, (double)all.reuses);
    dj_spatial_score_text(cells[at++], far);
    for (size_t i = 0; i < page->spatial->cache_count && at < DJ_SHEET_COLUMNS; i++)
        if (i != page->options.cache)
            dj_spatial_score_text(cells[at++], pair->caches[i].all);
    uint64_t spatial = sum(pair->cold), cold = spatial + pair->cold_both;
    if (at + 4 > DJ_SHEET_COLUMNS)
        return;
    dj_figure_short(cells[at++], (double)all.reuses);
    dj_figure_share(cells[at++], (double)sum(pair->intercepted), (double)all.reuses);
    dj_figure_short(cells[at++], (double)cold);
    dj_figure_share(cells[at], (double)spatial, (double)cold);
}

// What a doubling tells in caches with lines of 64 bytes.
static const char *role(const dj_spatial_page *page, const dj_spatial_pair *pair)
{
    if (page->profile->provenance.unit_bytes != 1)
        return "";
    return pair->block_bytes == 32 ? "  intra-block" : pair->block_bytes == 64 ? "  adjacent" : "";
}

static void name_pair(char *to, size_t room, const dj_spatial_page *page, const dj_spatial_pair *pair)
{
    char name[DJ_SPATIAL_TEXT];
    snprintf(to, room, "%s%s", dj_spatial_pair_name(name, page->profile, page->style, pair),
             role(page, pair));
}

void dj_page_scores(const dj_spatial_page *page)
{
    const dj_spatial *s = page->spatial;
    char cells[DJ_SHEET_COLUMNS][DJ_CELL], name[DJ_SPATIAL_TEXT + 32];
    dj_sheet sheet = {.style = page->style, .out = page->out, .name_title = "when the block size doubles"};
    unsigned widest = 0;
    add_columns(&sheet, page);
    for (size_t i = 0; i < s->pair_count; i++) {
        name_pair(name, sizeof name, page, &s->pairs[i]);
        unsigned columns = dj_fit_columns(name);
        widest = columns > widest ? columns : widest;
    }
    dj_sheet_lay_out(&sheet, widest);
    dj_sheet_print_head(&sheet);
    for (size_t i = 0; i < s->pair_count; i++) {
        name_pair(name, sizeof name, page, &s->pairs[i]);
        fill(cells, page, &s->pairs[i]);
        if (i == page->options.pair && s->pair_count > 1)
            dj_ink(page->out, page->style, DJ_INK_TITLE);
        dj_sheet_print_row(&sheet, name, cells);
        dj_ink(page->out, page->style, DJ_INK_PLAIN);
    }
    bool any = false;
    for (size_t i = 0; i < s->pair_count; i++)
        any = any || dj_spatial_whole(&s->pairs[i]).reuses > 0;
    if (s->pair_count > 1 && any) {
        for (unsigned i = 0; i < DJ_SHEET_COLUMNS; i++)
            cells[i][0] = 0;
        snprintf(cells[0], DJ_CELL, "%.2f", dj_spatial_all_blocks(s));
        dj_sheet_print_row(&sheet, "all of these", cells);
    }
}
