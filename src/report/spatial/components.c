// SPDX-License-Identifier: MIT
// Components of one pair: ranges of the reuse distance with their locality.
#include <stdlib.h>

#include "base/human.h"
#include "report/parts.h"
#include "report/spatial/spatial.h"

enum { RANK_STAYS, RANK_CLASS, RANK_BYTES, RANK_REUSES, RANK_INTERCEPT };

static dj_sheet *add_table(const dj_spatial_page *page, enum dj_component_kind kind)
{
    bool peaks = kind == DJ_COMPONENT_PEAK, bytes = page->profile->provenance.unit_bytes > 0;
    const char *range = dj_spatial_is_estimate(page->spatial) ? "probably" : NULL;
    dj_sheet *table = dj_document_table(page->document, DJ_NODE_TABLE,
                                        peaks ? "components by distance" : "components by cache");
    const dj_sheet_column columns[] = {DJ_COLUMN("", NULL, 0, RANK_STAYS),
                                       DJ_COLUMN("share", NULL, 5, RANK_STAYS),
                                       DJ_COLUMN(range, NULL, 5, RANK_BYTES),
                                       DJ_COLUMN("score", NULL, 5, RANK_STAYS),
                                       DJ_COLUMN(range, NULL, 9, RANK_STAYS),
                                       DJ_COLUMN("mean", NULL, 5, RANK_STAYS),
                                       DJ_COLUMN(bytes ? "in bytes" : NULL, NULL, 8, RANK_BYTES),
                                       DJ_COLUMN("reuses", NULL, 6, RANK_REUSES),
                                       DJ_COLUMN(peaks ? "intercepted" : NULL, NULL, 5, RANK_INTERCEPT),
                                       DJ_COLUMN("temporal", NULL, 5, RANK_CLASS),
                                       DJ_COLUMN("spatial", NULL, 5, RANK_CLASS),
                                       DJ_COLUMN("problem", NULL, 7, RANK_STAYS)};
    DJ_COLUMNS(table, columns);
    return table;
}

static dj_datum in_bytes(double blocks, uint64_t block)
{
    double bytes = blocks * (double)block;
    return bytes < 0x1p63 ? dj_datum_whole(DJ_DATUM_BYTES, (uint64_t)bytes) : dj_datum_none("-");
}

// The largest distance of a peak, without the empty bins of the trough after it.
static uint64_t peak_top(const dj_spatial_pair *pair, const dj_component *c)
{
    unsigned bin = dj_log2_bin(c->hi);
    while (bin > 0 && dj_spatial_bin_lo(bin) > c->lo && dj_spatial_row(pair, bin).reuses == 0)
        bin--;
    return dj_spatial_bin_hi(bin);
}

// "peak 1: 1K–4K" or "L1 misses: 512–16K".
static const char *name_component(const dj_spatial_page *page, const dj_component *c, size_t number)
{
    bool peak = c->kind == DJ_COMPONENT_PEAK;
    char range[DJ_HUMAN_BYTES];
    dj_human_range(range, c->lo, peak ? peak_top(&page->spatial->pairs[c->pair], c) : c->hi);
    if (peak)
        return dj_document_format(page->document, "peak %zu: %s", number, range);
    return dj_document_format(page->document, "%s misses: %s", page->spatial->caches[c->cache].name, range);
}

static dj_datum name_shares(const dj_spatial_page *page, dj_spatial_range range)
{
    char low[DJ_HUMAN_BYTES], high[DJ_HUMAN_BYTES];
    return dj_datum_text(dj_document_format(page->document, "%s–%s", dj_human_share(low, range.low, 1),
                                            dj_human_share(high, range.high, 1)));
}

static void add_row(const dj_spatial_page *page, dj_sheet *table, const dj_component *c, size_t number)
{
    const dj_datum none = dj_datum_none("-");
    const bool any = c->reuses > 0;
    const dj_datum cells[] = {
        dj_datum_text(name_component(page, c, number)),
        dj_datum_part(DJ_DATUM_SHARE, c->size, 1),
        name_shares(page, c->size_range),
        dj_spatial_score_datum((dj_spatial_count){c->reuses, c->effective}),
        dj_spatial_range_datum(page->document, c->score_range),
        any ? dj_datum_real(DJ_DATUM_SHORT_REAL, c->mean_distance, 0) : none,
        any ? in_bytes(c->mean_distance, page->spatial->pairs[c->pair].block_bytes) : none,
        any ? dj_datum_whole(DJ_DATUM_SHORT, c->reuses) : none,
        any ? dj_datum_part(DJ_DATUM_SHARE, (double)c->intercepted, (double)c->reuses) : none,
        any ? dj_datum_word(c->good_temporal ? "good" : "poor") : none,
        any ? dj_datum_word(c->good_spatial ? "good" : "poor") : none,
        any ? dj_datum_word(c->serious ? "serious" : "") : none};
    DJ_CELLS(table, cells)->style = c->serious ? DJ_STYLE_ALARM : DJ_STYLE_PLAIN;
}

// What peaks are, how many are serious, and what that means.
static void add_rule(const dj_spatial_page *page, const dj_component *list, size_t count)
{
    const dj_spatial_limits *limits = &page->options.limits;
    size_t serious = 0;
    char near[DJ_HUMAN_BYTES], size[DJ_HUMAN_BYTES];
    for (size_t i = 0; i < count; i++)
        serious += list[i].serious;
    dj_document_say(
        page->document, DJ_TEXT_LEGEND, 2,
        "a peak of the histogram of reuse distances in blocks, its share of the reuses and mean "
        "distance; serious (%zu of %zu): share at least %s, mean at least %s blocks, score at most "
        "%.4g",
        serious, count, dj_human_share(size, limits->size, 1), dj_human_count(near, limits->near_blocks),
        limits->good)
        ->gap = false;
}

static int add_kind(dj_context *context, const dj_spatial_page *page, enum dj_component_kind kind)
{
    dj_component *list = NULL;
    size_t count = 0;
    int err =
        dj_components(context, page->spatial, page->options.pair, kind, &page->options.limits, &list, &count);
    if (!err && count > 0) {
        dj_sheet *table = add_table(page, kind);
        for (size_t i = 0; i < count; i++)
            add_row(page, table, &list[i], i + 1);
        if (kind == DJ_COMPONENT_PEAK)
            add_rule(page, list, count);
        else
            dj_document_say(
                page->document, DJ_TEXT_LEGEND, 2,
                "reuses that miss in a cache but would hit in the next larger one; score: twice the "
                "share of those that hit when the block size doubles")
                ->gap = false;
    }
    free(list);
    return err;
}

int dj_add_components(dj_context *context, const dj_spatial_page *page)
{
    int err = add_kind(context, page, DJ_COMPONENT_PEAK);
    if (!err && page->spatial->cache_count > 0)
        err = add_kind(context, page, DJ_COMPONENT_CACHE);
    return err;
}
