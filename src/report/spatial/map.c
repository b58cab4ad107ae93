// SPDX-License-Identifier: MIT
// One pair of block sizes as a heat map: a row for each bin of the distances at b, a
// column for each bin at 2b, shaded by the share of the row, with the row's share and score.
#include <math.h>

#include "report/spatial/spatial.h"

static uint64_t sum(const uint64_t *cells)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++)
        all += cells[i];
    return all;
}

// The non-empty rows and columns, and the number of reuses.
typedef struct extent {
    unsigned first, last, columns;
    double reuses;
} extent;

static extent find_extent(const dj_spatial_pair *pair)
{
    extent e = {.first = DJ_SPATIAL_BINS};
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++) {
        uint64_t reuses = sum(pair->map[i]);
        e.reuses += (double)reuses;
        if (reuses > 0) {
            e.first = e.first < i ? e.first : i;
            e.last = i;
        }
        for (unsigned j = 0; j < DJ_SPATIAL_BINS; j++)
            if ((pair->map[i][j] > 0 || pair->cold[j] > 0) && j >= e.columns)
                e.columns = j + 1;
    }
    return e;
}

static const double *shares(dj_document *document, const uint64_t *cells, unsigned count, uint64_t whole)
{
    double *out = dj_document_take(document, count, sizeof *out);
    for (unsigned j = 0; out && j < count; j++)
        out[j] = whole > 0 ? (double)cells[j] / (double)whole : 0;
    return out;
}

static dj_heat_row make_row(dj_document *document, const dj_spatial_pair *pair, const extent *e, unsigned bin)
{
    dj_spatial_count row = dj_spatial_row(pair, bin);
    bool scored = bin >= DJ_SPATIAL_STEP; // shorter distances cannot shrink by that much
    return (dj_heat_row){.at = dj_spatial_bin_lo(bin),
                         .cells = shares(document, pair->map[bin], e->columns, row.reuses),
                         .border = scored ? bin - DJ_SPATIAL_STEP + 1 : 0,
                         .share = dj_datum_part(DJ_DATUM_SHARE, (double)row.reuses, e->reuses),
                         .score = scored ? dj_spatial_score_datum(row) : dj_datum_none("-"),
                         .bar =
                             row.effective > 0 ? fmin(dj_spatial_score(row.reuses, row.effective), 1) : -1};
}

// Accesses that are cold at b but not at 2b, by their distance at 2b.
static dj_heat_row make_cold(dj_document *document, const dj_spatial_pair *pair, const extent *e)
{
    uint64_t spatial = sum(pair->cold), cold = spatial + pair->cold_both;
    return (dj_heat_row){.label = "cold",
                         .cells = shares(document, pair->cold, e->columns, cold),
                         .share = dj_datum_whole(DJ_DATUM_SHORT, cold),
                         .score = dj_datum_part(DJ_DATUM_SHARE, (double)spatial, (double)cold),
                         .bar = -1,
                         .note = "not cold"};
}

static void fill(dj_document *document, const dj_spatial_pair *pair, const extent *e, dj_heat *heat)
{
    uint64_t *columns = dj_document_take(document, e->columns, sizeof *columns);
    heat->rows = dj_document_take(document, DJ_SPATIAL_BINS + 1, sizeof *heat->rows);
    if (!columns || !heat->rows)
        return;
    for (unsigned j = 0; j < e->columns; j++)
        columns[j] = dj_spatial_bin_lo(j);
    heat->columns = columns;
    heat->column_count = e->columns;
    bool gap = false;
    for (unsigned bin = e->first; bin <= e->last && bin < DJ_SPATIAL_BINS; bin++) {
        bool empty = bin < e->last && dj_spatial_row(pair, bin).reuses == 0;
        if (!empty) {
            dj_heat_row row = make_row(document, pair, e, bin);
            row.gap = gap;
            heat->rows[heat->row_count++] = row;
        }
        gap = empty;
    }
    if (sum(pair->cold) + pair->cold_both > 0)
        heat->rows[heat->row_count++] = make_cold(document, pair, e);
}

void dj_add_map(const dj_spatial_page *page)
{
    dj_document *document = page->document;
    const dj_spatial_pair *pair = &page->spatial->pairs[page->options.pair];
    extent e = find_extent(pair);
    dj_node *node = dj_document_add(document, DJ_NODE_HEAT);
    dj_heat *heat = &node->heat;
    heat->title = dj_document_format(document, "map %s", dj_spatial_pair_name(document, page->profile, pair));
    heat->subtitle = "rows: distance before, columns: after; in blocks";
    heat->empty = "no block was reused";
    heat->at_bytes = page->profile->provenance.unit_bytes > 0 ? pair->block_bytes : 0;
    if (e.columns > 0)
        fill(document, pair, &e, heat);
    if (heat->row_count > 0 && heat->rows[heat->row_count - 1].label)
        dj_document_say(document, DJ_TEXT_LEGEND, 2,
                        "cold: first accesses, and the share of them that the larger block turns into reuses")
            ->gap = false;
}
