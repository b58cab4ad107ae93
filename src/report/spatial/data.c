// SPDX-License-Identifier: MIT
// The figures of spatial locality as one table for csv: sizes and scores by distance, and components with
// their mean distances.
#include <stdlib.h>

#include "report/parts.h"
#include "report/spatial/spatial.h"

static dj_datum flag(bool known, bool value)
{
    return known ? dj_datum_count(value) : dj_datum_none("");
}

// Bins are not classified as good, poor or serious.
static void add_row(dj_sheet *table, const dj_spatial_pair *pair, const char *kind, const char *name,
                    const dj_component *c, bool classed)
{
    const bool any = c->reuses > 0;
    const dj_datum none = dj_datum_none("");
    const dj_datum cells[] = {dj_datum_count(pair->block_bytes),
                              dj_datum_count(2 * pair->block_bytes),
                              dj_datum_word(kind),
                              dj_datum_text(name),
                              dj_datum_count(c->lo),
                              c->hi != UINT64_MAX ? dj_datum_count(c->hi) : none,
                              dj_datum_count(c->reuses),
                              dj_datum_count(c->effective),
                              c->kind == DJ_COMPONENT_PEAK ? dj_datum_count(c->intercepted) : none,
                              dj_datum_real(DJ_DATUM_REAL, c->size, 2),
                              any ? dj_datum_real(DJ_DATUM_REAL, c->score, 2) : none,
                              any ? dj_datum_real(DJ_DATUM_REAL, c->mean_distance, 2) : none,
                              flag(classed && any, c->good_temporal),
                              flag(classed && any, c->good_spatial),
                              flag(classed && any, c->serious),
                              dj_datum_real(DJ_DATUM_REAL, c->size_range.low, 2),
                              dj_datum_real(DJ_DATUM_REAL, c->size_range.high, 2),
                              dj_datum_real(DJ_DATUM_REAL, c->score_range.low, 2),
                              dj_datum_real(DJ_DATUM_REAL, c->score_range.high, 2)};
    dj_sheet_row *row = dj_sheet_add_row(table);
    for (size_t i = 0; i < sizeof cells / sizeof *cells && i < table->column_count; i++)
        dj_row_put(table, row, cells[i]);
}

static void add_bins(dj_sheet *table, const dj_spatial *spatial, size_t number)
{
    const dj_spatial_pair *pair = &spatial->pairs[number];
    uint64_t whole = dj_spatial_whole(pair).reuses;
    for (unsigned bin = 0; bin < DJ_SPATIAL_BINS; bin++) {
        dj_spatial_count row = dj_spatial_row(pair, bin);
        if (row.reuses == 0)
            continue;
        dj_component c = {.lo = dj_spatial_bin_lo(bin),
                          .hi = dj_spatial_bin_hi(bin),
                          .reuses = row.reuses,
                          .effective = row.effective,
                          .intercepted = pair->intercepted[bin],
                          .size = (double)row.reuses / (double)whole,
                          .score = dj_spatial_score(row.reuses, row.effective),
                          .mean_distance = (double)pair->distance_sum[bin] / (double)row.reuses};
        if (dj_spatial_is_estimate(spatial)) {
            c.size_range = dj_spatial_share_range(spatial, number, bin, bin + 1);
            c.score_range = dj_spatial_score_range(spatial, number, bin, bin + 1);
        }
        add_row(table, pair, "bin", dj_document_format(table->document, "%u", bin), &c, false);
    }
}

static int add_components(dj_context *context, const dj_spatial_page *page, dj_sheet *table, size_t pair,
                          enum dj_component_kind kind)
{
    const dj_spatial *spatial = page->spatial;
    dj_component *list = NULL;
    size_t count = 0;
    bool peak = kind == DJ_COMPONENT_PEAK;
    int err = dj_components(context, spatial, pair, kind, &page->options.limits, &list, &count);
    for (size_t i = 0; !err && i < count; i++)
        add_row(table, &spatial->pairs[pair], peak ? "peak" : "cache",
                peak ? dj_document_format(table->document, "c%zu", i + 1)
                     : spatial->caches[list[i].cache].name,
                &list[i], true);
    free(list);
    return err;
}

int dj_add_spatial_data(dj_context *context, const dj_spatial_page *page)
{
    static const char *const names[] = {"block", "double_block", "kind", "name", "lo", "hi", "reuses",
                                        "effective", "intercepted", "size", "score", "mean_distance",
                                        "good_temporal", "good_spatial", "serious",
                                        // of an estimate
                                        "size_low", "size_high", "score_low", "score_high"};
    const size_t exact = sizeof names / sizeof *names - 4;
    const size_t count = dj_spatial_is_estimate(page->spatial) ? sizeof names / sizeof *names : exact;
    dj_sheet *table = dj_document_table(page->document, DJ_NODE_TABLE, "");
    dj_sheet_node(table)->data = dj_sheet_node(table)->hidden = true;
    for (size_t i = 0; i < count; i++)
        dj_sheet_add_column(table, (dj_sheet_column){.name = names[i]});
    int err = DJ_OK;
    for (size_t i = 0; !err && i < page->spatial->pair_count; i++) {
        add_bins(table, page->spatial, i);
        err = add_components(context, page, table, i, DJ_COMPONENT_PEAK);
        if (!err)
            err = add_components(context, page, table, i, DJ_COMPONENT_CACHE);
    }
    return err;
}
