// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "profile/json.h"
#include "report/figure.h"
#include "report/ink.h"
#include "report/mrc.h"

static void print_heading(const dj_report_style *style, FILE *out, const char *text)
{
    dj_ink(out, style, DJ_INK_TITLE);
    fprintf(out, "%s\n", text);
    dj_ink(out, style, DJ_INK_PLAIN);
}

// "1,024" and, where blocks have bytes, "64 KiB".
static void print_size(const dj_profile *profile, uint64_t size, FILE *out)
{
    char figure[DJ_FIGURE];
    uint64_t block = profile->lanes[0].id.block_bytes;
    fprintf(out, "  %16s", dj_figure_count(figure, size));
    if (profile->provenance.unit_bytes > 0)
        fprintf(out, "  %10s", size <= UINT64_MAX / block ? dj_figure_bytes(figure, size * block) : "");
}

static void print_points(const dj_mrc_report *report, const dj_report_style *style, FILE *out)
{
    const dj_profile *profile = report->profile;
    char heading[128], misses[DJ_FIGURE], ratio[DJ_FIGURE], unit[32];
    snprintf(unit, sizeof unit, "size in %ss", profile->provenance.unit);
    snprintf(heading, sizeof heading, "%18s%s%18s%14s", unit,
             profile->provenance.unit_bytes > 0 ? "       bytes" : "", "misses", "miss ratio");
    size_t used = strlen(heading);
    if (report->sets)
        snprintf(heading + used, sizeof heading - used, "%10" PRIu64 " way%s", report->ways,
                 report->ways == 1 ? "" : "s");
    print_heading(style, out, heading);
    for (size_t i = 0; i < report->point_count; i++) {
        const dj_mrc_point *point = &report->points[i];
        print_size(profile, point->size, out);
        fprintf(out, "%18s%14s", dj_figure_count(misses, point->misses),
                dj_figure_percent(ratio, point->ratio, 1));
        if (report->sets)
            fprintf(out, "%15s", dj_figure_percent(ratio, report->sets[i].estimate.ratio, 1));
        fputc('\n', out);
    }
}

static void print_byte_points(const dj_mrc_report *report, const dj_report_style *style, FILE *out)
{
    char size[DJ_FIGURE], misses[DJ_FIGURE], ratio[DJ_FIGURE], bytes[DJ_FIGURE], byte_ratio[DJ_FIGURE];
    char heading[128];
    snprintf(heading, sizeof heading, "%14s%18s%14s%14s%17s", "size in bytes", "misses", "miss ratio",
             "bytes missed", "byte miss ratio");
    print_heading(style, out, heading);
    for (size_t i = 0; i < report->byte_count; i++) {
        const dj_byte_point *point = &report->byte_points[i];
        fprintf(out, "  %12s%18s%14s%14s%17s\n", dj_figure_bytes(size, point->size_bytes),
                dj_figure_count(misses, point->misses), dj_figure_percent(ratio, point->ratio, 1),
                dj_figure_bytes(bytes, point->miss_bytes),
                dj_figure_percent(byte_ratio, point->byte_ratio, 1));
    }
}

static void print_caches(const dj_mrc_report *report, const dj_report_style *style, FILE *out)
{
    char bytes[DJ_FIGURE], count[DJ_FIGURE], full[DJ_FIGURE], sets[DJ_FIGURE];
    char heading[128];
    snprintf(heading, sizeof heading, "%-8s%10s%14s%7s%18s%19s", "cache", "size", "blocks", "ways",
             "fully associative", "set-associative");
    print_heading(style, out, heading);
    for (size_t i = 0; i < report->cache_count; i++) {
        const dj_mrc_cache *cache = &report->caches[i];
        fprintf(out, "  %-6s%10s%14s%7" PRIu64 "%18s%19s\n", cache->name,
                dj_figure_bytes(bytes, cache->bytes), dj_figure_count(count, cache->size_blocks), cache->ways,
                dj_figure_percent(full, cache->full.ratio, 1),
                dj_figure_percent(sets, cache->estimate.ratio, 1));
    }
}

static int print_simulated(dj_context *context, const dj_mrc_report *report, const dj_report_style *style,
                           FILE *out)
{
    const dj_lane_profile *lane = &report->profile->lanes[0];
    char size[DJ_FIGURE], sets[DJ_FIGURE], misses[DJ_FIGURE], ratio[DJ_FIGURE], formula[DJ_FIGURE];
    char heading[128];
    snprintf(heading, sizeof heading, "%-9s%15s%11s%11s%13s%10s%10s", "simulated", "size", "sets", "ways",
             "misses", "ratio", "formula");
    print_heading(style, out, heading);
    for (size_t i = 0; i < dj_lane_simulated_count(lane); i++) {
        const dj_simulated *cache = &dj_lane_simulated(lane)[i];
        double found = (double)cache->misses / (double)lane->accesses;
        fprintf(out, "  %-7s%15s%11s%11" PRIu64 "%13s%10s", dj_policy_names[cache->policy],
                dj_figure_count(size, cache->size_blocks), dj_figure_count(sets, cache->sets), cache->ways,
                dj_figure_count(misses, cache->misses), dj_figure_percent(ratio, found, 1));
        if (cache->policy == DJ_POLICY_LRU) {
            dj_estimate estimate;
            int err = dj_mrc_smith(context, lane, cache->sets, cache->ways, &estimate);
            if (err != DJ_OK)
                return err;
            fprintf(out, "%10s", dj_figure_percent(formula, estimate.ratio, 1));
        }
        fputc('\n', out);
    }
    return DJ_OK;
}

static int print_tables(dj_context *context, const dj_mrc_report *report, const dj_report_style *style,
                        FILE *out)
{
    if (report->point_count > 0) {
        fputc('\n', out);
        print_points(report, style, out);
    }
    if (report->byte_count > 0) {
        fputc('\n', out);
        print_byte_points(report, style, out);
    }
    if (report->cache_count > 0) {
        fputc('\n', out);
        print_caches(report, style, out);
    }
    if (dj_lane_simulated_count(&report->profile->lanes[0]) == 0)
        return DJ_OK;
    fputc('\n', out);
    return print_simulated(context, report, style, out);
}

int dj_mrc_text(dj_context *context, const dj_mrc_report *report, const dj_report_style *style, FILE *out)
{
    dj_report_title(report->profile, style, out);
    fputc('\n', out);
    int err = dj_report_curve(context, report->profile, style, out);
    if (err == DJ_OK && report->byte_count > 0) {
        fputc('\n', out);
        err = dj_report_byte_curve(context, report->profile, style, out);
    }
    if (err == DJ_OK)
        err = print_tables(context, report, style, out);
    fputc('\n', out);
    return err != DJ_OK ? err : dj_report_effective(context, report->profile, style, out);
}
