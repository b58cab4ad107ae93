// SPDX-License-Identifier: MIT
// The text report of a profile.
#include <stdlib.h>
#include <string.h>

#include "report/figure.h"
#include "report/ink.h"

// "  name   figure   note"
static void print_figure(FILE *out, const char *name, const char *figure, const char *note)
{
    fprintf(out, "  %-16s %18s%s%s\n", name, figure, *note ? "   " : "", note);
}

static void print_count(FILE *out, const char *name, uint64_t count, const char *note)
{
    char figure[DJ_FIGURE];
    print_figure(out, name, dj_figure_count(figure, count), note);
}

static void print_requests(const dj_profile *profile, FILE *out)
{
    char note[128] = "", figure[DJ_FIGURE], bytes[DJ_FIGURE];
    if (profile->requests != profile->accesses)
        snprintf(note, sizeof note, "in %s requests", dj_figure_count(figure, profile->requests));
    if (profile->bytes > 0) {
        size_t used = strlen(note);
        snprintf(note + used, sizeof note - used, "%s%s asked for", used > 0 ? ", " : "",
                 dj_figure_bytes(bytes, profile->bytes));
    }
    print_count(out, "accesses", profile->lanes[0].accesses, note);
    if (profile->reads + profile->writes > 0) {
        print_count(out, "reads", profile->reads, "");
        print_count(out, "writes", profile->writes, "");
    }
    if (profile->outside > 0)
        print_count(out, "outside", profile->outside, "told of, but in no recorded data: not counted");
}

// What was first accessed by a warm-up is not cold.
static void print_cold(const dj_lane_profile *lane, FILE *out)
{
    char note[128], figure[DJ_FIGURE], filled[DJ_FIGURE];
    dj_figure_percent(figure, (double)lane->cold, (double)lane->accesses);
    if (lane->distinct > lane->cold)
        snprintf(note, sizeof note, "%s; %s more were first accessed in the warm-up", figure,
                 dj_figure_count(filled, lane->distinct - lane->cold));
    else
        snprintf(note, sizeof note, "%s", figure);
    print_count(out, "cold", lane->cold, note);
}

static void print_figures(const dj_profile *profile, FILE *out)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    char note[128] = "", name[64], figure[DJ_FIGURE];
    double accesses = (double)lane->accesses;
    print_requests(profile, out);
    // All elements that are counted were accessed.
    snprintf(name, sizeof name, strcmp(profile->provenance.unit, "element") == 0 ? "%ss" : "distinct %ss",
             profile->provenance.unit);
    if (profile->provenance.unit_bytes > 0 && lane->distinct <= UINT64_MAX / lane->id.block_bytes)
        snprintf(note, sizeof note, "%s", dj_figure_bytes(figure, lane->distinct * lane->id.block_bytes));
    print_count(out, name, lane->distinct, note);
    print_cold(lane, out);
    dj_moments m = dj_lane_moments(lane);
    print_count(out, "reuses", m.count, dj_figure_percent(figure, (double)m.count, accesses));
    if (m.count == 0)
        return;
    fputs("  reuse distance\n", out);
    print_figure(out, "  mean", dj_figure_real(figure, m.mean, 2), "");
    print_figure(out, "  median", dj_figure_real(figure, m.median, 1), "");
    print_figure(out, "  std", dj_figure_real(figure, m.std, 2), "population");
    print_count(out, "  min", m.min, "");
    print_count(out, "  max", m.max, "");
}

static void print_hashes(const dj_lane_profile *lane, FILE *out)
{
    if (dj_lane_has_fingerprint(lane))
        fprintf(out, "  %-16s   %016llx\n", "fingerprint", (unsigned long long)dj_lane_fingerprint(lane));
    if (dj_lane_has_digest(lane))
        fprintf(out, "  %-16s   %016llx\n", "digest", (unsigned long long)dj_lane_digest(lane));
}

static void print_further_lanes(const dj_profile *profile, const dj_report_style *style, FILE *out)
{
    char distinct[DJ_FIGURE], block[DJ_FIGURE], median[DJ_FIGURE], mean[DJ_FIGURE];
    if (profile->lane_count < 2)
        return;
    dj_ink(out, style, DJ_INK_TITLE);
    fprintf(out, "\n%-14s%16s%16s%16s\n", "block size", "distinct", "median", "mean distance");
    dj_ink(out, style, DJ_INK_PLAIN);
    for (size_t i = 0; i < profile->lane_count; i++) {
        const dj_lane_profile *lane = &profile->lanes[i];
        dj_moments m = dj_lane_moments(lane);
        fprintf(out, "  %-12s%16s%16s%16s\n",
                profile->provenance.unit_bytes > 0 ? dj_figure_bytes(block, lane->id.block_bytes)
                                                   : dj_figure_count(block, lane->id.block_bytes),
                dj_figure_count(distinct, lane->distinct), dj_figure_real(median, m.median, 1),
                dj_figure_real(mean, m.mean, 2));
        if (i > 0)
            print_hashes(lane, out);
    }
}

int dj_report_profile(dj_context *context, const dj_profile *profile, const dj_report_style *style, FILE *out)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    dj_report_title(profile, style, out);
    fputc('\n', out);
    print_figures(profile, out);
    print_hashes(lane, out);
    fputc('\n', out);
    int err = dj_report_histogram(context, "reuse distance", lane->distance, lane->cold, style, out);
    if (err == DJ_OK && dj_lane_time(lane)) {
        fputc('\n', out);
        err = dj_report_histogram(context, "time distance", dj_lane_time(lane), lane->cold, style, out);
    }
    if (err == DJ_OK && dj_lane_moments(lane).count > 0) {
        fputc('\n', out);
        err = dj_report_curve(context, profile, style, out);
        fputc('\n', out);
        if (err == DJ_OK)
            err = dj_report_effective(context, profile, style, out);
    }
    print_further_lanes(profile, style, out);
    return err;
}
