// SPDX-License-Identifier: MIT
// The report of spatial locality.
#include "report/spatial.h"

#include "base/option.h"
#include "report/costs.h"
#include "report/figure.h"
#include "report/ink.h"

const char *dj_spatial_pair_name(char to[DJ_SPATIAL_TEXT], const dj_profile *profile,
                                 const dj_report_style *style, const dj_spatial_pair *pair)
{
    char small[DJ_FIGURE], large[DJ_FIGURE];
    const char *arrow = style->unicode ? "→" : "->";
    if (profile->provenance.unit_bytes > 0)
        snprintf(to, DJ_SPATIAL_TEXT, "%s %s %s", dj_figure_bytes(small, pair->block_bytes), arrow,
                 dj_figure_bytes(large, 2 * pair->block_bytes));
    else
        snprintf(to, DJ_SPATIAL_TEXT, "%s %s %s %.16ss", dj_figure_size(small, pair->block_bytes), arrow,
                 dj_figure_size(large, 2 * pair->block_bytes), profile->provenance.unit);
    return to;
}

const char *dj_spatial_score_text(char to[DJ_SPATIAL_TEXT], dj_spatial_count count)
{
    if (count.reuses > 0)
        snprintf(to, DJ_SPATIAL_TEXT, "%.2f", dj_spatial_score(count.reuses, count.effective));
    else
        snprintf(to, DJ_SPATIAL_TEXT, "-");
    return to;
}

const char *dj_spatial_range(char to[DJ_SPATIAL_TEXT], const dj_report_style *style, uint64_t lo, uint64_t hi)
{
    char first[DJ_FIGURE], last[DJ_FIGURE];
    dj_figure_size(first, lo);
    if (hi == UINT64_MAX)
        snprintf(to, DJ_SPATIAL_TEXT, "%s and more", first);
    else if (lo == hi)
        snprintf(to, DJ_SPATIAL_TEXT, "%s", first);
    else if (hi < 1024)
        snprintf(to, DJ_SPATIAL_TEXT, "%s%s%s", first, style->unicode ? "–" : "-", dj_figure_size(last, hi));
    else // "1K-2K" is easier to read than "1024-2047"
        snprintf(to, DJ_SPATIAL_TEXT, "%s%s%s", first, style->unicode ? "–" : "-",
                 dj_figure_size(last, hi + 1));
    return to;
}

const char *dj_spatial_far_name(const dj_spatial_page *page)
{
    size_t cache = page->options.cache;
    return cache < page->spatial->cache_count ? page->spatial->caches[cache].name : "long";
}

dj_spatial_counts dj_spatial_pair_counts(const dj_spatial_pair *pair, dj_spatial_count *bins)
{
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++)
        bins[i] = dj_spatial_row(pair, i);
    return (dj_spatial_counts){.bin_count = DJ_SPATIAL_BINS, .bins = bins, .caches = pair->caches};
}

void dj_page_heading(const dj_spatial_page *page, const char *text)
{
    fputc('\n', page->out);
    dj_ink(page->out, page->style, DJ_INK_TITLE);
    fputs(text, page->out);
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
    fputc('\n', page->out);
}

bool dj_spatial_has_places(const dj_profile *profile)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    for (size_t i = 0; a && i < a->place_count; i++)
        if (a->places[i].tally.spatial)
            return true;
    return false;
}

static void print_legend(const dj_spatial_page *page)
{
    char text[1024], near[DJ_FIGURE];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "score: reuses whose distance in blocks becomes at least about 8 times shorter when the block size "
        "doubles, relative to a half, which is what a walk through memory has: 1 is perfect, 0 none. ");
    if (page->options.cache < page->spatial->cache_count)
        used +=
            (size_t)snprintf(text + used, sizeof text - used,
                             "%.16s: reuses that miss in it, effective if they hit with the double block. ",
                             dj_spatial_far_name(page));
    else
        used += (size_t)snprintf(
            text + used, sizeof text - used, "long: distances from %s blocks on. ",
            dj_figure_count(near, dj_spatial_bin_lo(dj_log2_bin(page->options.limits.near_blocks))));
    if (dj_spatial_has_places(page->profile))
        snprintf(
            text + used, sizeof text - used,
            "poor: such reuses less twice the effective ones among them, which is those without a partner.");
    fputc('\n', page->out);
    dj_ink(page->out, page->style, DJ_INK_FAINT);
    dj_text_print_wrapped(page->out, text, 0, dj_style_width(page->style));
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
}

static int print_attribution(dj_context *context, const dj_spatial_page *page)
{
    int err = dj_page_ranking(context, page);
    for (size_t i = 0; !err && i < page->view->by_count; i++)
        err = dj_page_spatial_table(context, page, page->view->by[i]);
    return err;
}

int dj_report_spatial(dj_context *context, const dj_profile *profile, const dj_spatial_view *view,
                      const dj_report_style *style, FILE *out)
{
    enum { TOP = 10 };
    dj_spatial_page page = {.profile = profile,
                            .spatial = dj_profile_spatial(profile),
                            .view = view,
                            .top = view->top ? view->top : TOP,
                            .style = style,
                            .out = out};
    int err = dj_spatial_view_find(context, profile, view, &page.options);
    if (!err && (view->by_count > 0 || view->context) && !dj_profile_attribution(profile))
        err = dj_fail_attribution(context);
    if (err)
        return err;
    dj_report_title(profile, style, out);
    fputc('\n', out);
    dj_page_scores(&page);
    dj_page_verdict(&page);
    err = dj_page_components(context, &page);
    dj_page_map(&page);
    dj_page_bins(&page);
    if (!err && dj_spatial_has_places(profile))
        err = print_attribution(context, &page);
    print_legend(&page);
    return err;
}
