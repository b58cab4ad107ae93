// SPDX-License-Identifier: MIT
// What was measured and how. Every text report opens with it.
#include <string.h>

#include "report/figure.h"
#include "report/ink.h"

static void print_inputs(const dj_provenance *from, FILE *out)
{
    enum { NAMED = 3 };
    for (size_t i = 0; i < from->input_count && i < NAMED; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "", from->inputs[i]);
    if (from->input_count > NAMED)
        fprintf(out, " and %zu more", from->input_count - NAMED);
    if (from->input_count == 0)
        fputs("profile", out);
}

static void print_block(const dj_profile *profile, FILE *out)
{
    const dj_provenance *from = &profile->provenance;
    uint64_t block = profile->lanes[0].id.block_bytes;
    char figure[DJ_FIGURE];
    if (from->unit_bytes > 0)
        fprintf(out, "blocks of %s", dj_figure_bytes(figure, block));
    else if (block > 1)
        fprintf(out, "blocks of %s %ss", dj_figure_count(figure, block), from->unit);
    else
        fprintf(out, "%ss", from->unit);
}

static void print_alarm(const dj_report_style *style, FILE *out, const char *what, const char *why)
{
    dj_ink(out, style, DJ_INK_ALARM);
    fputs(what, out);
    dj_ink(out, style, DJ_INK_PLAIN);
    fprintf(out, " %s\n", why);
}

// Which accesses count, where not all do, and what has a stack of its own.
static void print_selection(const dj_profile *profile, FILE *out)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    char counted[DJ_FIGURE], read[DJ_FIGURE];
    if (*dj_lane_filter(lane))
        fprintf(out, "counted: %s (%s of %s accesses read)\n", dj_lane_filter(lane),
                dj_figure_count(counted, lane->accesses), dj_figure_count(read, profile->accesses));
    if (*dj_lane_partition(lane))
        fprintf(out, "each %s has a stack of its own\n", dj_lane_partition(lane));
}

// How it was measured, in one paragraph.
static void print_provenance(const dj_profile *profile, const dj_report_style *style, FILE *out)
{
    const dj_provenance *from = &profile->provenance;
    const char *dot = style->unicode ? " · " : ", ";
    fprintf(out, "%s%s", from->format, *from->format ? dot : "");
    print_block(profile, out);
    if (strcmp(from->unit, "block") == 0)
        fprintf(out, "%s%s", dot, from->split ? "accesses split at blocks" : "accesses not split");
    fprintf(out, "%sengine %s%s%s\n", dot, from->engine, dot, from->exact ? "exact" : "ESTIMATE");
    if (*from->statements)
        fprintf(out, "statements: %s\n", from->statements);
    print_selection(profile, out);
    fprintf(out, "deja %s%s%s\n", from->version, *from->command ? ": " : "", from->command);
}

void dj_report_title(const dj_profile *profile, const dj_report_style *style, FILE *out)
{
    const dj_provenance *from = &profile->provenance;
    char bound[64];
    dj_ink(out, style, DJ_INK_TITLE);
    print_inputs(from, out);
    fputc('\n', out);
    dj_ink(out, style, DJ_INK_PLAIN);
    dj_ink(out, style, DJ_INK_FAINT);
    print_provenance(profile, style, out);
    dj_ink(out, style, DJ_INK_PLAIN);
    if (!from->exact) {
        snprintf(bound, sizeof bound, "miss ratios are within %.3g points of the true ones",
                 100 * from->error_bound);
        print_alarm(style, out, "ESTIMATE",
                    from->error_bound > 0 ? bound : "no bound is known of how far it is from the truth");
    }
    if (from->partial)
        print_alarm(style, out, "PARTIAL", from->partial_reason);
}
