// SPDX-License-Identifier: MIT
// Effective cache sizes, said in sentences as the paper says them.
#include <inttypes.h>
#include <stdlib.h>

#include "base/option.h"
#include "report/figure.h"
#include "report/ink.h"

static void say_size(FILE *to, const dj_profile *profile, uint64_t size)
{
    char count[DJ_FIGURE], bytes[DJ_FIGURE];
    uint64_t block = profile->lanes[0].block_bytes;
    fputs(dj_figure_count(count, size), to);
    if (profile->provenance.unit_bytes > 0 && size <= UINT64_MAX / block)
        fprintf(to, " (%s)", dj_figure_bytes(bytes, size * block));
}

static const char *between(size_t i, size_t count)
{
    if (i == 0)
        return "";
    return i + 1 < count ? ", " : count == 2 ? " and " : ", and ";
}

static void say_ranges(FILE *to, const dj_effective *e, const dj_report_style *style)
{
    char lo[DJ_FIGURE], hi[DJ_FIGURE];
    fprintf(
        to,
        "%.0f%% of the accesses are long reuses (distance %d and more); %.0f%% of these lie in %zu of the %u "
        "ranges up to the longest distance: ",
        100 * e->long_share, DJ_LONG_DISTANCE, 100 * e->covered, e->count, e->range_count);
    for (size_t i = 0; i < e->count; i++)
        fprintf(to, "%s%.0f%% in %s%s%s", between(i, e->count), 100 * e->sizes[i].share,
                dj_figure_count(lo, e->sizes[i].lo), style->unicode ? "–" : "-",
                dj_figure_count(hi, e->sizes[i].hi));
    fputs(". ", to);
}

static void say_sizes(FILE *to, const dj_profile *profile, const dj_effective *e)
{
    fprintf(to, "The most effective cache size%s: ", e->count > 1 ? "s are" : " is");
    for (size_t i = 0; i < e->count; i++) {
        fputs(between(i, e->count), to);
        say_size(to, profile, e->sizes[i].size);
    }
    fprintf(to, " %ss, with a miss ratio of ", profile->provenance.unit);
    for (size_t i = 0; i < e->count; i++)
        fprintf(to, "%s%.1f%%", between(i, e->count), 100 * e->sizes[i].ratio);
    double most = 0;
    for (size_t i = 1; i < e->count; i++)
        most = e->sizes[i].drop_before > most ? e->sizes[i].drop_before : most;
    if (e->count > 1)
        fprintf(
            to,
            "; from each of them to where the next range begins the miss ratio falls by at most %.1f points",
            100 * most);
    fputs(".", to);
}

int dj_report_effective(dj_context *context, const dj_profile *profile, const dj_report_style *style,
                        FILE *out)
{
    dj_effective found;
    int err = dj_effective_sizes(context, &profile->lanes[0], &found);
    if (err != DJ_OK)
        return err;
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        return dj_fail_memory(context, "a sentence", 0);
    if (found.count == 0) {
        fprintf(to, "No reuse is long (distance %d and more): a cache of %d %ss catches all of them.",
                DJ_LONG_DISTANCE, DJ_LONG_DISTANCE, profile->provenance.unit);
    } else {
        say_ranges(to, &found, style);
        say_sizes(to, profile, &found);
    }
    if (fclose(to) != 0 || !text) {
        free(text);
        return dj_fail_memory(context, "a sentence", 0);
    }
    dj_ink(out, style, DJ_INK_TITLE);
    fputs("effective cache sizes\n", out);
    dj_ink(out, style, DJ_INK_PLAIN);
    dj_text_print_wrapped(out, text, 2, dj_style_width(style));
    free(text);
    return DJ_OK;
}
