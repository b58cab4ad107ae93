// SPDX-License-Identifier: MIT
// The report on spatial locality.
#include "report/spatial/spatial.h"

#include "base/human.h"
#include "model/costs.h"
#include "report/attribution.h"
#include "report/row_ranges.h"

// Scores, of which 1 is good: the highest possible one, and a range too wide to be useful.
#define SCORE_MOST 2
#define WIDE 0.5

const char *dj_spatial_pair_name(dj_document *document, const dj_profile *profile,
                                 const dj_spatial_pair *pair)
{
    char small[DJ_HUMAN_BYTES], large[DJ_HUMAN_BYTES];
    if (profile->provenance.unit_bytes > 0)
        return dj_document_format(document, "%s → %s", dj_human_bytes(small, pair->block_bytes),
                                  dj_human_bytes(large, 2 * pair->block_bytes));
    return dj_document_format(document, "%s → %s %ss", dj_human_size(small, pair->block_bytes),
                              dj_human_size(large, 2 * pair->block_bytes), profile->provenance.unit);
}

dj_datum dj_spatial_score_datum(dj_spatial_count count)
{
    if (count.reuses == 0)
        return dj_datum_none("-");
    return dj_datum_real(DJ_DATUM_REAL, dj_spatial_score(count.reuses, count.effective), 2);
}

dj_datum dj_spatial_range_datum(dj_document *document, dj_spatial_range range)
{
    const bool anything = range.low <= 0 && range.high >= SCORE_MOST;
    return dj_datum_text(anything ? "unknown"
                                  : dj_document_format(document, "%.2f–%.2f", range.low, range.high));
}

dj_datum dj_spatial_count_range_datum(dj_document *document, dj_spatial_range range, bool weak)
{
    const dj_row_range counts = {range.low, range.high};
    return dj_datum_text(
        dj_document_format(document, "%s%s", dj_name_range(document, &counts), weak ? "?" : ""));
}

dj_datum dj_spatial_mark(const dj_spatial_page *page, dj_datum datum)
{
    datum.about = dj_spatial_is_estimate(page->spatial);
    return datum;
}

bool dj_spatial_is_wide(dj_spatial_range range)
{
    return range.high - range.low > WIDE;
}

dj_spatial_range dj_spatial_far_range(const dj_spatial_page *page, size_t pair)
{
    const size_t cache = page->options.cache;
    if (cache < page->spatial->cache_count)
        return dj_spatial_cache_score_range(page->spatial, pair, cache, false);
    return dj_spatial_score_range(page->spatial, pair, dj_log2_bin(page->options.limits.near_blocks),
                                  DJ_SPATIAL_BINS);
}

dj_spatial_range dj_spatial_far_share(const dj_spatial_page *page, size_t pair)
{
    const size_t cache = page->options.cache;
    if (cache < page->spatial->cache_count)
        return dj_spatial_cache_share_range(page->spatial, pair, cache, false);
    return dj_spatial_share_range(page->spatial, pair, dj_log2_bin(page->options.limits.near_blocks),
                                  DJ_SPATIAL_BINS);
}

const char *dj_spatial_far_name(const dj_spatial_page *page)
{
    size_t cache = page->options.cache;
    return cache < page->spatial->cache_count ? page->spatial->caches[cache].name : "long";
}

const char *dj_spatial_far_plural(const dj_spatial_page *page)
{
    size_t cache = page->options.cache;
    return cache < page->spatial->cache_count
               ? dj_document_format(page->document, "%s misses", page->spatial->caches[cache].name)
               : "long reuses";
}

dj_spatial_counts dj_spatial_pair_counts(const dj_spatial_pair *pair, dj_spatial_count *bins)
{
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++)
        bins[i] = dj_spatial_row(pair, i);
    return (dj_spatial_counts){.bin_count = DJ_SPATIAL_BINS, .bins = bins, .caches = pair->caches};
}

bool dj_spatial_has_places(const dj_profile *profile)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    for (size_t i = 0; a && i < a->place_count; i++)
        if (a->places[i].tally.spatial)
            return true;
    return false;
}

static void add_legend(const dj_spatial_page *page)
{
    char near[DJ_HUMAN_BYTES];
    dj_document *document = page->document;
    dj_text *legend =
        &dj_document_say(
             document, DJ_TEXT_LEGEND, 0,
             "effective reuse: when the block size doubles, its distance in blocks shrinks to about an "
             "eighth or less. score: twice the share of the effective reuses; 1 for a walk through memory, "
             "where every second access is effective, 0 where none is. intercepted: the other half of the "
             "larger "
             "block was used in between. ")
             ->text;
    if (page->options.cache < page->spatial->cache_count)
        dj_text_add(document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                    "%s misses: effective if they hit when the block size doubles. ",
                    dj_spatial_far_name(page));
    else
        dj_text_add(document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                    "long: at a distance of %s blocks or more. ",
                    dj_human_count(near, dj_spatial_bin_lo(dj_log2_bin(page->options.limits.near_blocks))));
    if (dj_spatial_has_places(page->profile))
        dj_text_add(
            document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
            "poor reuses: %s minus twice the effective ones, that is, those whose other half block is "
            "not used in time.",
            dj_spatial_far_plural(page));
}

static int add_attribution(dj_context *context, const dj_spatial_page *page)
{
    int err = dj_add_ranking(context, page);
    for (size_t i = 0; !err && i < page->view->by_count; i++)
        err = dj_add_spatial_table(context, page, page->view->by[i]);
    return err;
}

// For csv: the requested breakdowns, or else bins and components.
static int add_data(dj_context *context, const dj_spatial_page *page)
{
    const dj_attribution_page attribution = {.profile = page->profile,
                                             .a = dj_profile_attribution(page->profile),
                                             .document = page->document,
                                             .ranked = page->options,
                                             .all = true};
    return page->view->by_count > 0
               ? dj_add_breakdown_data(context, &attribution, page->view->by, page->view->by_count)
               : dj_add_spatial_data(context, page);
}

static int add_parts(dj_context *context, const dj_spatial_page *page)
{
    dj_add_title(page->document, page->profile);
    dj_add_spatial_verdict(page);
    dj_add_scores(page);
    int err = dj_add_components(context, page);
    dj_add_map(page);
    dj_add_score_bins(page);
    if (!err && dj_spatial_has_places(page->profile))
        err = add_attribution(context, page);
    add_legend(page);
    return err || !page->view->all_rows ? err : add_data(context, page);
}

int dj_document_spatial(dj_context *context, const dj_profile *profile, const dj_spatial_view *view,
                        dj_document **out)
{
    enum { TOP = 10 };
    dj_spatial_page page = {.profile = profile,
                            .spatial = dj_profile_spatial(profile),
                            .view = view,
                            .top = view->top ? view->top : TOP};
    int err = dj_spatial_view_find(context, profile, view, &page.options);
    if (!err && (view->by_count > 0 || view->context) && !dj_profile_attribution(profile))
        err = dj_fail_attribution(context);
    if (!err)
        err = dj_document_create(context, &page.document);
    if (err)
        return err;
    err = add_parts(context, &page);
    return dj_document_finish(context, err, page.document, out);
}
