// SPDX-License-Identifier: MIT
// Components of one pair: ranges of the reuse distance with their locality.
#include <stdlib.h>

#include "report/ink.h"
#include "report/paragraph.h"
#include "report/sheet.h"
#include "report/spatial.h"

enum { RANK_STAYS, RANK_CLASS, RANK_BYTES, RANK_REUSES, RANK_INTERCEPT };

static void add_columns(dj_sheet *sheet, const dj_spatial_page *page, enum dj_component_kind kind)
{
    dj_sheet_add(sheet, "size", 5, RANK_STAYS);
    dj_sheet_add(sheet, "score", 5, RANK_STAYS);
    dj_sheet_add(sheet, "mean", 5, RANK_STAYS);
    if (page->profile->provenance.unit_bytes > 0)
        dj_sheet_add(sheet, "in bytes", 8, RANK_BYTES);
    dj_sheet_add(sheet, "reuses", 6, RANK_REUSES);
    if (kind == DJ_COMPONENT_PEAK)
        dj_sheet_add(sheet, "intercepted", 5, RANK_INTERCEPT);
    dj_sheet_add(sheet, "temporal", 5, RANK_CLASS);
    dj_sheet_add(sheet, "spatial", 5, RANK_CLASS);
    dj_sheet_add(sheet, "problem", 7, RANK_STAYS);
}

static void put_bytes(char *to, double blocks, uint64_t block)
{
    double bytes = blocks * (double)block;
    if (bytes < 0x1p63)
        dj_figure_bytes(to, (uint64_t)bytes);
    else
        snprintf(to, DJ_CELL, "-");
}

static void fill(char (*cells)[DJ_CELL], const dj_spatial_page *page, const dj_component *c)
{
    unsigned at = 0;
    for (unsigned i = 0; i < DJ_SHEET_COLUMNS; i++)
        snprintf(cells[i], DJ_CELL, "-");
    dj_figure_share(cells[at++], c->size, 1);
    if (c->reuses == 0)
        return;
    dj_spatial_score_text(cells[at++], (dj_spatial_count){c->reuses, c->effective});
    dj_figure_short(cells[at++], c->mean_distance);
    if (page->profile->provenance.unit_bytes > 0)
        put_bytes(cells[at++], c->mean_distance, page->spatial->pairs[c->pair].block_bytes);
    dj_figure_short(cells[at++], (double)c->reuses);
    if (c->kind == DJ_COMPONENT_PEAK)
        dj_figure_share(cells[at++], (double)c->intercepted, (double)c->reuses);
    snprintf(cells[at++], DJ_CELL, "%s", c->good_temporal ? "good" : "poor");
    snprintf(cells[at++], DJ_CELL, "%s", c->good_spatial ? "good" : "poor");
    snprintf(cells[at], DJ_CELL, "%s", c->serious ? "serious" : "");
}

// The largest distance of a peak, without the empty bins of the trough behind it.
static uint64_t peak_top(const dj_spatial_pair *pair, const dj_component *c)
{
    unsigned bin = dj_log2_bin(c->hi);
    while (bin > 0 && dj_spatial_bin_lo(bin) > c->lo && dj_spatial_row(pair, bin).reuses == 0)
        bin--;
    return dj_spatial_bin_hi(bin);
}

// Peaks are numbered as in "c1  1K–4K", caches named as in "past L1  512–16K".
static void name_component(char *to, size_t room, const dj_spatial_page *page, const dj_component *c,
                           size_t number)
{
    char range[DJ_SPATIAL_TEXT];
    bool peak = c->kind == DJ_COMPONENT_PEAK;
    dj_spatial_range(range, page->style, c->lo, peak ? peak_top(&page->spatial->pairs[c->pair], c) : c->hi);
    if (peak)
        snprintf(to, room, "c%zu  %s", number, range);
    else
        snprintf(to, room, "past %.16s  %s", page->spatial->caches[c->cache].name, range);
}

static void print_table(const dj_spatial_page *page, enum dj_component_kind kind, const dj_component *list,
                        size_t count)
{
    char cells[DJ_SHEET_COLUMNS][DJ_CELL], name[DJ_SPATIAL_TEXT + 32];
    dj_sheet sheet = {.style = page->style,
                      .out = page->out,
                      .name_title =
                          kind == DJ_COMPONENT_PEAK ? "components by peaks" : "components by caches"};
    unsigned widest = 0;
    add_columns(&sheet, page, kind);
    for (size_t i = 0; i < count; i++) {
        name_component(name, sizeof name, page, &list[i], i + 1);
        unsigned columns = dj_fit_columns(name);
        widest = columns > widest ? columns : widest;
    }
    dj_sheet_lay_out(&sheet, widest);
    dj_sheet_print_head(&sheet);
    for (size_t i = 0; i < count; i++) {
        name_component(name, sizeof name, page, &list[i], i + 1);
        fill(cells, page, &list[i]);
        dj_ink(page->out, page->style, list[i].serious ? DJ_INK_ALARM : DJ_INK_PLAIN);
        dj_sheet_print_row(&sheet, name, cells);
        dj_ink(page->out, page->style, DJ_INK_PLAIN);
    }
}

// How many are serious, and what that means.
static void print_rule(const dj_spatial_page *page, const dj_component *list, size_t count)
{
    const dj_spatial_limits *limits = &page->options.limits;
    size_t serious = 0;
    char near[DJ_FIGURE], size[DJ_FIGURE];
    for (size_t i = 0; i < count; i++)
        serious += list[i].serious;
    char text[256], many[64];
    snprintf(many, sizeof many, "%zu of %zu %s", serious, count, serious == 1 ? "is" : "are");
    snprintf(text, sizeof text, "%s serious: size from %s, mean from %s blocks, score up to %.4g",
             serious == 0 ? "none is" : many, dj_figure_share(size, limits->size, 1),
             dj_figure_count(near, limits->near_blocks), limits->good);
    dj_ink(page->out, page->style, DJ_INK_FAINT);
    dj_paragraph(page->out, page->style, text, 2);
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
}

static int print_kind(dj_context *context, const dj_spatial_page *page, enum dj_component_kind kind)
{
    dj_component *list = NULL;
    size_t count = 0;
    int err =
        dj_components(context, page->spatial, page->options.pair, kind, &page->options.limits, &list, &count);
    if (!err && count > 0) {
        fputc('\n', page->out);
        print_table(page, kind, list, count);
        if (kind == DJ_COMPONENT_PEAK)
            print_rule(page, list, count);
    }
    free(list);
    return err;
}

int dj_page_components(dj_context *context, const dj_spatial_page *page)
{
    int err = print_kind(context, page, DJ_COMPONENT_PEAK);
    if (!err && page->spatial->cache_count > 0)
        err = print_kind(context, page, DJ_COMPONENT_CACHE);
    return err;
}
