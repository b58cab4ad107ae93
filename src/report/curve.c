// SPDX-License-Identifier: MIT
// The miss-ratio curves of a profile, sampled for the plot.
#include <stdlib.h>
#include <string.h>

#include "report/ink.h"
#include "report/plot.h"

// Sizes and ratios at the places of a plot.
typedef struct samples {
    unsigned places;
    uint64_t size[2 * DJ_WIDTH_MOST];
    double ratio[2 * DJ_WIDTH_MOST];
} samples;

static void take_sizes(samples *s, dj_curve *curve, const dj_report_style *style)
{
    curve->columns = dj_plot_curve_columns(dj_style_width(style));
    curve->ratio = s->ratio;
    curve->marks = style->marks;
    curve->mark_count = style->mark_count;
    s->places = 2 * curve->columns;
    for (unsigned i = 0; i < s->places; i++)
        s->size[i] = dj_plot_curve_size(curve, i);
}

static void print_title(FILE *out, const dj_report_style *style, const char *title, const char *model)
{
    dj_ink(out, style, DJ_INK_TITLE);
    fputs(title, out);
    dj_ink(out, style, DJ_INK_FAINT);
    fprintf(out, "  %s\n", model);
    dj_ink(out, style, DJ_INK_PLAIN);
}

int dj_report_curve(dj_context *context, const dj_profile *profile, const dj_report_style *style, FILE *out)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    dj_moments moments = dj_lane_moments(lane);
    bool keys = strcmp(profile->provenance.unit, "key") == 0;
    samples s;
    dj_mrc_point points[2 * DJ_WIDTH_MOST];
    // One doubling beyond the last drop shows that it was the last.
    dj_curve curve = {.first = 1,
                      .last = moments.count == 0 ? 2 : 2 * (moments.max + 1),
                      .unit = keys ? "keys" : "blocks",
                      .unit_bytes = profile->provenance.unit_bytes > 0 ? lane->id.block_bytes : 0};
    take_sizes(&s, &curve, style);
    int err = dj_mrc_lru(context, lane, s.size, s.places, points);
    if (err != DJ_OK)
        return err;
    for (unsigned i = 0; i < s.places; i++)
        s.ratio[i] = points[i].ratio;
    print_title(out, style, "miss ratio", "fully associative LRU cache");
    dj_plot_curve(out, style, &curve);
    if (lane->binned)
        fputs("  (from bins: exact at their ends, at most too high between them)\n", out);
    return DJ_OK;
}

int dj_report_byte_curve(dj_context *context, const dj_profile *profile, const dj_report_style *style,
                         FILE *out)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    samples s;
    dj_byte_point points[2 * DJ_WIDTH_MOST];
    uint64_t *spread = NULL;
    size_t count = 0;
    int err = dj_mrc_byte_sizes(context, lane, 1, &spread, &count);
    if (err != DJ_OK)
        return err;
    dj_curve curve = {.first = spread[0], .last = 2 * spread[count - 1], .unit = "bytes"};
    free(spread);
    dj_report_style unmarked = *style;
    unmarked.mark_count = 0;
    take_sizes(&s, &curve, &unmarked);
    err = dj_mrc_bytes(context, lane, s.size, s.places, points);
    if (err != DJ_OK)
        return err;
    for (unsigned i = 0; i < s.places; i++)
        s.ratio[i] = points[i].ratio;
    print_title(out, style, "miss ratio by capacity in bytes", "requests, LRU");
    dj_plot_curve(out, style, &curve);
    for (unsigned i = 0; i < s.places; i++)
        s.ratio[i] = points[i].byte_ratio;
    fputc('\n', out);
    print_title(out, style, "byte miss ratio by capacity in bytes", "bytes asked for, LRU");
    dj_plot_curve(out, style, &curve);
    return DJ_OK;
}
