// SPDX-License-Identifier: MIT
// The first table: a row for each doubling of the block size.
#include "report/parts.h"
#include "report/spatial/spatial.h"

// Narrow pages drop columns of higher rank first.
enum { NAME_GOOD = 28 };
enum { RANK_STAYS, RANK_LONG, RANK_CACHE, RANK_REUSES, RANK_INTERCEPT, RANK_COLD };

static dj_sheet *add_table(const dj_spatial_page *page)
{
    const dj_spatial *s = page->spatial;
    const char *far = dj_spatial_far_name(page);
    dj_sheet *table = dj_document_table(page->document, DJ_NODE_TABLE, "when the block size doubles");
    const char *range = dj_spatial_is_estimate(s) ? "probably" : NULL;
    const dj_sheet_column first[] = {
        DJ_COLUMN("", NULL, 0, RANK_STAYS),
        DJ_COLUMN("score", NULL, 5, RANK_STAYS),
        DJ_COLUMN(range, NULL, 9, RANK_STAYS),
        DJ_COLUMN(dj_document_format(page->document, "%% %s", far), NULL, 5, RANK_LONG),
        DJ_COLUMN(dj_document_format(page->document, "%s score", far), NULL, 5, RANK_LONG),
        DJ_COLUMN(range, NULL, 9, RANK_LONG)};
    static const dj_sheet_column last[] = {
        DJ_COLUMN("reuses", NULL, 6, RANK_REUSES), DJ_COLUMN("intercepted", NULL, 5, RANK_INTERCEPT),
        DJ_COLUMN("cold", NULL, 5, RANK_COLD), DJ_COLUMN("cold spatial", NULL, 5, RANK_COLD)};
    table->good = NAME_GOOD;
    DJ_COLUMNS(table, first);
    for (size_t i = 0; i < s->cache_count; i++)
        if (i != page->options.cache)
            dj_sheet_add_column(table, (dj_sheet_column)DJ_COLUMN(s->caches[i].name, NULL, 5, RANK_CACHE));
    DJ_COLUMNS(table, last);
    return table;
}

static uint64_t sum(const uint64_t *counts)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++)
        all += counts[i];
    return all;
}

// Where the score probably is, if it is estimated.
static void put_range(const dj_spatial_page *page, dj_sheet *table, dj_sheet_row *row, dj_spatial_range range)
{
    dj_row_put(table, row,
               dj_spatial_is_estimate(page->spatial) ? dj_spatial_range_datum(page->document, range)
                                                     : dj_datum_none(""));
}

static void put_pair(const dj_spatial_page *page, dj_sheet *table, dj_sheet_row *row, size_t number)
{
    const dj_spatial_pair *pair = &page->spatial->pairs[number];
    dj_spatial_count bins[DJ_SPATIAL_BINS];
    dj_spatial_counts counts = dj_spatial_pair_counts(pair, bins);
    dj_spatial_count all = dj_spatial_all(&counts), far = dj_spatial_far(&counts, &page->options);
    uint64_t spatial = sum(pair->cold), cold = spatial + pair->cold_both;
    dj_row_put(table, row, dj_spatial_score_datum(all));
    put_range(page, table, row, dj_spatial_score_range(page->spatial, number, 0, DJ_SPATIAL_BINS));
    dj_row_put(table, row, dj_datum_part(DJ_DATUM_SHARE, (double)far.reuses, (double)all.reuses));
    dj_row_put(table, row, dj_spatial_score_datum(far));
    put_range(page, table, row, dj_spatial_far_range(page, number));
    for (size_t i = 0; i < page->spatial->cache_count; i++)
        if (i != page->options.cache)
            dj_row_put(table, row, dj_spatial_score_datum(pair->caches[i].all));
    dj_row_put(table, row, dj_datum_whole(DJ_DATUM_SHORT, all.reuses));
    dj_row_put(table, row, dj_datum_part(DJ_DATUM_SHARE, (double)sum(pair->intercepted), (double)all.reuses));
    dj_row_put(table, row, dj_datum_whole(DJ_DATUM_SHORT, cold));
    dj_row_put(table, row, dj_datum_part(DJ_DATUM_SHARE, (double)spatial, (double)cold));
}

// What a doubling means in caches with lines of 64 bytes.
static const char *role(const dj_spatial_page *page, const dj_spatial_pair *pair)
{
    if (page->profile->provenance.unit_bytes != 1)
        return "";
    return pair->block_bytes == 32 ? "  within a line" : pair->block_bytes == 64 ? "  adjacent lines" : "";
}

static void add_legend(const dj_spatial_page *page)
{
    dj_document *document = page->document;
    const char *far = dj_spatial_far_name(page), *caches = "";
    for (size_t i = 0; i < page->spatial->cache_count; i++)
        if (i != page->options.cache)
            caches = dj_document_format(document, "%s%s%s", caches, *caches ? ", " : "",
                                        page->spatial->caches[i].name);
    dj_node *node = dj_document_say(document, DJ_TEXT_LEGEND, 2,
                                    "score: 1 if both halves of the larger block are used together, 0 if "
                                    "only one is; %% %s, %s score: share of the %s, and their score",
                                    far, far, dj_spatial_far_plural(page));
    dj_text *legend = &node->text;
    node->gap = false;
    if (dj_spatial_is_estimate(page->spatial))
        dj_text_add(
            document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
            "; probably: where the exact score is, from how much bursts differ and from the distances "
            "that they leave open; a range of more than 0.5 is too wide to be useful");
    if (*caches)
        dj_text_add(document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE, "; %s: score of the misses there",
                    caches);
}

void dj_add_scores(const dj_spatial_page *page)
{
    const dj_spatial *s = page->spatial;
    dj_sheet *table = add_table(page);
    bool any = false;
    for (size_t i = 0; i < s->pair_count; i++) {
        dj_sheet_row *row = dj_sheet_add_row(table);
        row->style = i == page->options.pair && s->pair_count > 1 ? DJ_STYLE_STRONG : DJ_STYLE_PLAIN;
        dj_row_put(table, row,
                   dj_datum_text(
                       dj_document_format(page->document, "%s%s",
                                          dj_spatial_pair_name(page->document, page->profile, &s->pairs[i]),
                                          role(page, &s->pairs[i]))));
        put_pair(page, table, row, i);
        any |= dj_spatial_whole(&s->pairs[i]).reuses > 0;
    }
    if (s->pair_count > 1 && any) {
        dj_sheet_row *row = dj_sheet_add_row(table);
        dj_row_put(table, row, dj_datum_text("all, weighted by 1/size"));
        dj_row_put(table, row, dj_datum_real(DJ_DATUM_REAL, dj_spatial_all_blocks(s), 2));
        put_range(page, table, row, dj_spatial_all_blocks_range(s));
    }
    add_legend(page);
}
