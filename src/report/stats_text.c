// SPDX-License-Identifier: MIT
// The rows bear the names of "Reuse Distance Calculation" (2024), section 4.3.
#include <inttypes.h>
#include <string.h>

#include "base/option.h"
#include "report/figure.h"
#include "report/ink.h"
#include "report/stats.h"

static void print_row(FILE *out, const char *name, const char *figure)
{
    fprintf(out, "  %-46s %20s\n", name, figure);
}

static void print_count(FILE *out, const char *name, uint64_t count)
{
    char figure[DJ_FIGURE];
    print_row(out, name, dj_figure_count(figure, count));
}

static void print_real(FILE *out, const char *name, double value)
{
    char figure[DJ_FIGURE];
    print_row(out, name, dj_figure_real(figure, value, value == (double)(uint64_t)value ? 0 : 4));
}

static void print_distances(const dj_lane_profile *lane, FILE *out)
{
    dj_moments m = dj_lane_moments(lane);
    if (m.count == 0) {
        print_row(out, "reuse distances", "none");
        return;
    }
    print_real(out, "average reuse distances", m.mean);
    print_real(out, "median reuse distances", m.median);
    print_real(out, "std reuse distances (population)", m.std);
    print_count(out, "min reuse distances", m.min);
    print_count(out, "max reuse distances", m.max);
}

static void print_strides(const dj_stride_profile *strides, const char *unit, FILE *out)
{
    char name[96], figure[DJ_FIGURE];
    dj_moments m = dj_histogram_moments(strides->stride);
    if (m.count == 0)
        return;
    snprintf(name, sizeof name, "consecutive accesses within %" PRIu64 " %s%s", strides->near_blocks, unit,
             strides->near_blocks == 1 ? "" : "s");
    print_row(out, name, dj_figure_percent(figure, (double)strides->within, (double)strides->pairs));
    snprintf(name, sizeof name, "average stride (%ss)", unit);
    print_real(out, name, m.mean);
    snprintf(name, sizeof name, "median stride (%ss)", unit);
    print_real(out, name, m.median);
}

static void print_addresses(const dj_key_profile *keys, const dj_report_style *style, FILE *out)
{
    dj_ink(out, style, DJ_INK_TITLE);
    fputs("\nreuse distances of each key, in order of first access\n", out);
    dj_ink(out, style, DJ_INK_PLAIN);
    for (size_t i = 0; i < keys->list_count; i++) {
        if (keys->list_device)
            fprintf(out, "device %" PRIu64 ", ", keys->list_device[i]);
        fprintf(out, "%" PRIu64 ":", keys->list_key[i]);
        for (uint64_t at = keys->list_offset[i]; at < keys->list_offset[i + 1]; at++)
            fprintf(out, " %" PRIu64, keys->list_distances[at]);
        fputc('\n', out);
    }
}

static void print_trace(const dj_trace_stats *trace, bool addresses, const dj_report_style *style, FILE *out)
{
    const dj_profile *profile = trace->profile;
    const dj_lane_profile *lane = &profile->lanes[0];
    dj_moments uses = dj_histogram_moments(dj_lane_keys(lane)->access_counts);
    char figure[DJ_FIGURE], seconds[DJ_FIGURE + 4];
    dj_report_title(profile, style, out);
    fputc('\n', out);
    print_count(out, "access count", lane->accesses);
    print_count(out, "distinct accesses", lane->distinct);
    print_real(out, "average access count per offset", uses.mean);
    print_real(out, "median access count per offset", uses.median);
    print_real(out, "std access count per offset (population)", uses.std);
    print_count(out, "max access count per offset", uses.max);
    print_count(out, "count of offsets with no reuse", dj_lane_keys(lane)->single_use);
    print_distances(lane, out);
    print_strides(dj_lane_strides(lane), profile->provenance.unit, out);
    snprintf(seconds, sizeof seconds, "%s s", dj_figure_real(figure, trace->seconds, 3));
    print_row(out, "time", seconds);
    if (addresses && dj_lane_keys(lane)->list_key)
        print_addresses(dj_lane_keys(lane), style, out);
}

static void print_ranking(const dj_trace_stats *traces, size_t count, const dj_report_style *style, FILE *out)
{
    dj_ink(out, style, DJ_INK_TITLE);
    fputs("temporal locality, best first\n", out);
    dj_ink(out, style, DJ_INK_FAINT);
    dj_text_print_wrapped(out, dj_stats_rule, 2, dj_style_width(style));
    fprintf(out, "  %4s  %14s  %14s  trace\n", "rank", "median/distinct", "mean/distinct");
    dj_ink(out, style, DJ_INK_PLAIN);
    for (size_t rank = 1; rank <= count; rank++)
        for (size_t i = 0; i < count; i++) {
            if (traces[i].rank != rank)
                continue;
            dj_locality locality = dj_temporal_locality(&traces[i].profile->lanes[0]);
            const char *name = traces[i].profile->provenance.inputs[0];
            if (locality.any)
                fprintf(out, "  %4zu  %15.4f  %14.4f  %s\n", rank, locality.median, locality.mean, name);
            else
                fprintf(out, "  %4zu  %15s  %14s  %s\n", rank, "no reuse", "no reuse", name);
        }
}

void dj_stats_text(const dj_trace_stats *traces, size_t count, bool addresses, const dj_report_style *style,
                   FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        print_trace(&traces[i], addresses, style, out);
        if (count > 1)
            fputc('\n', out);
    }
    if (count > 1)
        print_ranking(traces, count, style, out);
}
