// SPDX-License-Identifier: MIT
// Histograms and miss-ratio curves of a profile.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/json.h"
#include "report/parts.h"

// More bins do not make a readable histogram, and more points no better curve.
enum {
    BARS_MOST = 66,
    POINTS_MOST = 1 << 15,
    POINTS_PER_DOUBLING = 256,
    BAND_PER_DOUBLING = 32,
    BAND_SIZES = 64 * BAND_PER_DOUBLING
};

static dj_node *add_bars(dj_document *document, const char *title, const dj_bin *bins, size_t count,
                         uint64_t cold, bool always)
{
    dj_node *node = dj_document_add(document, DJ_NODE_BARS);
    dj_bar *list = dj_document_take(document, count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        list[i] = (dj_bar){bins[i].lo, bins[i].hi, bins[i].count, NULL};
    bool with_cold = cold > 0 || always;
    if (list && with_cold)
        list[count] = (dj_bar){.count = cold, .label = "cold"};
    node->bars = (dj_bars){dj_document_copy(document, title), "accesses", list, list ? count + with_cold : 0};
    return node;
}

int dj_add_histogram(dj_context *context, dj_document *document, const char *title,
                     const dj_histogram *histogram, uint64_t cold, const dj_profile_view *view, bool data)
{
    dj_bin *bins = NULL;
    size_t count = 0;
    int err = dj_histogram_bins(histogram, context, view->binning, view->bin_width, &bins, &count);
    if (!err && data) {
        dj_node *all = add_bars(document, title, bins, count, cold, true);
        all->data = all->hidden = true;
    }
    bool many = count > BARS_MOST;
    if (!err && many) {
        free(bins);
        bins = NULL;
        err = dj_histogram_bins(histogram, context, DJ_BINS_LOG2, 0, &bins, &count);
    }
    if (!err)
        add_bars(document, title, bins, count, cold, false);
    if (!err && many)
        dj_document_say(document, DJ_TEXT_LINE, 2,
                        "(too many bins to draw: grouped by powers of two; --json has all of them)");
    free(bins);
    return err;
}

// Thins a curve with too many steps to a fixed number of points for each doubling of the size.
static size_t thin(const dj_mrc_point *steps, size_t count, dj_mrc_point *out)
{
    size_t kept = 0;
    double last = -1;
    for (size_t i = 0; i < count; i++) {
        double place = floor(log2((double)(steps[i].size + 1)) * POINTS_PER_DOUBLING);
        kept -= place == last;
        out[kept++] = steps[i];
        last = place;
    }
    return kept;
}

int dj_add_lru(dj_context *context, dj_chart *chart, const dj_lane_profile *lane, const char *name,
               double unit)
{
    dj_mrc_point *steps = NULL;
    size_t count = 0;
    int err = dj_mrc_steps(context, lane, &steps, &count);
    if (err)
        return err;
    if (count > POINTS_MOST)
        count = thin(steps, count, steps);
    dj_series *series = dj_chart_add_series(chart, DJ_SERIES_STEPS, name, count);
    for (size_t i = 0; i < series->count; i++) {
        series->x[i] = (double)steps[i].size * unit;
        series->y[i] = steps[i].ratio;
    }
    free(steps);
    return DJ_OK;
}

// Draws an end of the band, unless it looks the same as the curve. Between two sizes the curves may fall, so
// the high end is that of the smaller one, and the low end that of the larger one.
static void add_end(dj_chart *chart, const uint64_t *sizes, const double *ratios, const dj_band *bands,
                    size_t count, bool high)
{
    static const double visible = 0.01;
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs((high ? bands[i].high : bands[i].low) - ratios[i]));
    if (most < visible)
        return;
    dj_series *series = dj_chart_add_series(chart, DJ_SERIES_STEPS, high ? "at most" : "at least", count);
    for (size_t i = 0; i < series->count; i++) {
        series->x[i] = (double)sizes[i];
        series->y[i] = high ? bands[i].high : bands[i + 1 < count ? i + 1 : i].low;
    }
}

// Draws both ends, and describes the band in words.
static void draw_band(dj_chart *chart, const uint64_t *sizes, const double *ratios, const dj_band *bands,
                      size_t count, double widest, bool certified)
{
    add_end(chart, sizes, ratios, bands, count, false);
    add_end(chart, sizes, ratios, bands, count, true);
    // A certified band is wide only at cliffs.
    static const double useful = 0.5;
    const bool wide = !certified && widest > useful;
    dj_document_say(chart->document, DJ_TEXT_LINE, 2,
                    "(the exact curve is %s in a band of at most %.*g percentage points%s)",
                    certified ? "certainly" : "probably", widest < 0.995 ? 2 : 3, 100 * widest,
                    wide ? ", too wide to be useful at some sizes" : "");
}

// Sizes up to the end of the chart. Returns their number.
static size_t list_band_sizes(const dj_chart *chart, uint64_t *sizes)
{
    size_t count = 0;
    for (unsigned step = 0; step <= BAND_SIZES; step++) {
        double size = round(exp2((double)step / BAND_PER_DOUBLING));
        if (size > fmin(chart->last, 0x1p62))
            break;
        if (count == 0 || (uint64_t)size > sizes[count - 1])
            sizes[count++] = (uint64_t)size;
    }
    return count;
}

// The band in which the exact curve lies, in the chart and in words.
static int add_band(dj_context *context, dj_chart *chart, const dj_profile *profile,
                    const dj_lane_profile *lane)
{
    double widest = 0;
    uint64_t *sizes = calloc(BAND_SIZES + 1, sizeof *sizes);
    dj_mrc_point *points = calloc(BAND_SIZES + 1, sizeof *points);
    dj_band *bands = calloc(BAND_SIZES + 1, sizeof *bands);
    double *ratios = calloc(BAND_SIZES + 1, sizeof *ratios);
    int err = sizes && points && bands && ratios ? DJ_OK : dj_fail_memory(context, "a miss-ratio curve", 0);
    size_t count = err ? 0 : list_band_sizes(chart, sizes);
    if (!err)
        err = dj_mrc_lru(context, lane, sizes, count, points);
    if (!err)
        err = dj_mrc_band(context, profile, lane, sizes, count, bands);
    if (!err)
        err = dj_mrc_band_widest(context, profile, lane, &widest);
    for (size_t i = 0; !err && i < count; i++)
        ratios[i] = points[i].ratio;
    if (!err)
        draw_band(chart, sizes, ratios, bands, count, widest, dj_lane_band_origin(profile, lane).certified);
    free(sizes);
    free(points);
    free(bands);
    free(ratios);
    return err;
}

// A line for each simulated policy.
static void add_policies(dj_chart *chart, const dj_lane_profile *lane, uint64_t accesses)
{
    const dj_simulated *list = dj_lane_simulated(lane);
    size_t count = dj_lane_simulated_count(lane);
    for (unsigned policy = 0; accesses > 0 && policy <= DJ_POLICY_LFU; policy++) {
        size_t sizes = 0;
        for (size_t i = 0; i < count; i++)
            sizes += list[i].policy == policy;
        if (sizes == 0)
            continue;
        dj_series *series = dj_chart_add_series(
            chart, DJ_SERIES_LINE,
            dj_document_format(chart->document, "%s, simulated", dj_policy_names[policy]), sizes);
        for (size_t i = 0, at = 0; i < count && at < series->count; i++)
            if (list[i].policy == policy) {
                series->x[at] = (double)list[i].size_blocks;
                series->y[at++] = (double)list[i].misses / (double)accesses;
            }
    }
}

int dj_add_curve(dj_context *context, dj_document *document, const dj_profile *profile,
                 const dj_profile_view *view)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    dj_moments moments = dj_lane_moments(lane);
    dj_chart *chart = dj_document_chart(document, "miss ratio",
                                        lane->binned ? "fully associative LRU cache, computed from bins"
                                                     : "fully associative LRU cache");
    chart->x_unit = strcmp(profile->provenance.unit, "key") == 0 ? "keys" : "blocks";
    chart->x_name = "cache size";
    chart->y_name = "miss ratio";
    chart->x_bytes = profile->provenance.unit_bytes > 0 ? lane->id.block_bytes : 0;
    chart->first = 1;
    // One doubling beyond the last drop, so that the curve is seen to stay flat.
    chart->last = moments.count == 0 ? 2 : (double)(2 * (moments.max + 1));
    for (size_t i = 0; i < view->mark_count; i++)
        dj_chart_add_mark(chart, view->marks[i].label, (double)view->marks[i].size);
    int err = dj_add_lru(context, chart, lane, "LRU", 1);
    if (!err && dj_lane_band_origin(profile, lane).known)
        err = add_band(context, chart, profile, lane);
    add_policies(chart, lane, lane->accesses);
    if (!err && lane->binned)
        dj_document_say(document, DJ_TEXT_LINE, 2,
                        "(computed from bins: exact at their ends, an upper bound in between)");
    return err;
}

static dj_chart *add_byte_chart(dj_document *document, const char *title, const char *subtitle, double first,
                                double last)
{
    dj_chart *chart = dj_document_chart(document, title, subtitle);
    chart->x_name = "cache size";
    chart->x_unit = "bytes";
    chart->y_name = title[0] == 'b' ? "byte miss ratio" : "miss ratio";
    chart->first = first;
    chart->last = last;
    return chart;
}

// The capacities at which some request starts to hit.
static int byte_steps(dj_context *context, const dj_lane_profile *lane, uint64_t **out, size_t *out_count)
{
    dj_bin *bins = NULL;
    size_t count = 0, kept = 1;
    int err = dj_histogram_bins(dj_lane_byte_distance(lane), context, DJ_BINS_EXACT, 0, &bins, &count);
    uint64_t *sizes = err ? NULL : calloc(count + 1, sizeof *sizes);
    if (!err && !sizes)
        err = dj_fail_memory(context, "a miss-ratio curve", count * sizeof *sizes);
    uint64_t every = count / POINTS_MOST + 1;
    for (size_t i = 0; !err && i < count; i++)
        if ((i + 1) % every == 0 && bins[i].lo > 0)
            sizes[kept++] = bins[i].lo;
    free(bins);
    *out = sizes;
    *out_count = kept;
    return err;
}

static int add_byte_band(dj_context *context, dj_chart *chart, const dj_lane_profile *lane, bool by_bytes)
{
    uint64_t *sizes = calloc(BAND_SIZES + 1, sizeof *sizes);
    dj_byte_point *points = calloc(BAND_SIZES + 1, sizeof *points);
    dj_band *bands = calloc(2 * BAND_SIZES + 2, sizeof *bands), *byte_bands = bands + BAND_SIZES + 1;
    double *ratios = calloc(BAND_SIZES + 1, sizeof *ratios);
    int err = sizes && points && bands && ratios ? DJ_OK : dj_fail_memory(context, "a miss-ratio curve", 0);
    size_t count = err ? 0 : list_band_sizes(chart, sizes);
    if (!err)
        err = dj_mrc_bytes(context, lane, sizes, count, points);
    if (!err)
        err = dj_mrc_byte_bands(context, lane, sizes, count, bands, byte_bands);
    for (size_t i = 0; !err && i < count; i++)
        ratios[i] = by_bytes ? points[i].byte_ratio : points[i].ratio;
    const dj_band *shown = by_bytes ? byte_bands : bands;
    if (!err)
        draw_band(chart, sizes, ratios, shown, count, dj_band_widest(shown, count), false);
    free(sizes);
    free(points);
    free(bands);
    free(ratios);
    return err;
}

int dj_add_byte_curves(dj_context *context, dj_document *document, const dj_profile *profile)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    uint64_t *spread = NULL, *sizes = NULL;
    dj_byte_point *points = NULL;
    size_t count = 0, steps = 0;
    int err = dj_mrc_byte_sizes(context, lane, 1, &spread, &count);
    if (!err)
        err = byte_steps(context, lane, &sizes, &steps);
    if (!err && !(points = calloc(steps + 1, sizeof *points)))
        err = dj_fail_memory(context, "a miss-ratio curve", steps * sizeof *points);
    if (!err)
        err = dj_mrc_bytes(context, lane, sizes, steps, points);
    for (unsigned bytes = 0; !err && bytes < 2; bytes++) {
        dj_chart *chart = add_byte_chart(
            document, bytes ? "byte miss ratio by capacity in bytes" : "miss ratio by capacity in bytes",
            bytes ? "bytes requested, LRU" : "requests, LRU", (double)spread[0],
            2 * (double)spread[count - 1]);
        dj_series *series = dj_chart_add_series(chart, DJ_SERIES_STEPS, "LRU", steps);
        for (size_t i = 0; i < series->count; i++) {
            series->x[i] = (double)points[i].size_bytes;
            series->y[i] = bytes ? points[i].byte_ratio : points[i].ratio;
        }
        if (dj_lane_has_byte_bands(lane))
            err = add_byte_band(context, chart, lane, bytes);
    }
    free(points);
    free(sizes);
    free(spread);
    return err;
}
