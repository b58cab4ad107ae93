// SPDX-License-Identifier: MIT
// Parts of the report on spatial locality.
#ifndef DEJA_REPORT_SPATIAL_SPATIAL_H
#define DEJA_REPORT_SPATIAL_SPATIAL_H

#include <deja/report.h>

#include "base/json/writer.h"

typedef struct dj_spatial_page {
    const dj_profile *profile;
    const dj_spatial *spatial;
    const dj_spatial_view *view;
    dj_ranking_options options; // the resolved view
    size_t top;
    dj_document *document;
} dj_spatial_page;

void dj_add_scores(const dj_spatial_page *page);
// A conclusion from the scores, for readers who do not know them; NULL: nothing is reused.
const char *dj_spatial_verdict(const dj_spatial_page *page);
void dj_add_spatial_verdict(const dj_spatial_page *page);
// Components of the selected pair, by peaks and by caches.
int dj_add_components(dj_context *context, const dj_spatial_page *page);
// The map of that pair as a heat map, with the share and score of each row.
void dj_add_map(const dj_spatial_page *page);
// Scores by distance, a column for each pair, if there are several.
void dj_add_score_bins(const dj_spatial_page *page);
// The worst lines and loops, with advice.
int dj_add_ranking(dj_context *context, const dj_spatial_page *page);
// The advice for the first `rows` of a ranking.
void dj_add_spatial_advice(const dj_spatial_page *page, const dj_ranking *ranking, size_t rows);
int dj_add_spatial_table(dj_context *context, const dj_spatial_page *page, enum dj_by by);
// The figures as data for csv.
int dj_add_spatial_data(dj_context *context, const dj_spatial_page *page);

// "32 B → 64 B", "1 → 2 keys".
const char *dj_spatial_pair_name(dj_document *document, const dj_profile *profile,
                                 const dj_spatial_pair *pair);
// 0.35; "-" without reuses.
dj_datum dj_spatial_score_datum(dj_spatial_count count);
// "0.21–0.47", or "unknown".
dj_datum dj_spatial_range_datum(dj_document *document, dj_spatial_range range);
// "1.2M–1.5M", or "0–3.1M?" if it is too wide to be useful.
dj_datum dj_spatial_count_range_datum(dj_document *document, dj_spatial_range range, bool weak);
// ≈, if it is estimated.
dj_datum dj_spatial_mark(const dj_spatial_page *page, dj_datum datum);
// Too wide to be useful.
bool dj_spatial_is_wide(dj_spatial_range range);
// Of the score of the reuses of a pair that are ranked, and of their share of all.
dj_spatial_range dj_spatial_far_range(const dj_spatial_page *page, size_t pair);
dj_spatial_range dj_spatial_far_share(const dj_spatial_page *page, size_t pair);
// Which reuses are ranked: "long" or the name of a cache.
const char *dj_spatial_far_name(const dj_spatial_page *page);
// "long reuses", "L2 misses".
const char *dj_spatial_far_plural(const dj_spatial_page *page);

// The smallest and the largest distance in a bin of the map.
static inline uint64_t dj_spatial_bin_lo(unsigned bin)
{
    return bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
}

static inline uint64_t dj_spatial_bin_hi(unsigned bin)
{
    return bin == 0 ? 0 : UINT64_MAX >> (64 - bin);
}

// The counts of a pair in the form of those of a tally; `bins` has space for DJ_SPATIAL_BINS.
dj_spatial_counts dj_spatial_pair_counts(const dj_spatial_pair *pair, dj_spatial_count *bins);

// Whether the places of the attribution have a spatial part.
bool dj_spatial_has_places(const dj_profile *profile);

// The members "limits", "components" and, with an attribution, "ranked",
// "ranking" … of the open object "spatial".
int dj_json_spatial_models(dj_json_writer *json, dj_context *context, const dj_profile *profile,
                           const dj_ranking_options *options);
// The members "steps", "strides", "fetched" and "used".
void dj_json_usage(dj_json_writer *json, const dj_usage *usage);

#endif
