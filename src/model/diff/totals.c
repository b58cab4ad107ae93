// SPDX-License-Identifier: MIT
#include "model/diff/totals.h"

#include <deja/model.h>
#include <deja/sample.h>
#include <deja/tracing.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"

static const dj_cut *find_cut(const dj_attribution *a, const dj_cut *cut)
{
    for (size_t i = 0; i < a->cut_count; i++)
        if (a->cuts[i].blocks == cut->blocks)
            return &a->cuts[i];
    return NULL;
}

static int add_cache(dj_context *context, dj_diff *diff, const dj_attribution *const a[DJ_SIDES],
                     const dj_cut *before, const dj_cut *after)
{
    dj_diff_cache *cache = &diff->caches[diff->cache_count];
    cache->name = strdup(after->name);
    cache->blocks = after->blocks;
    cache->cuts[DJ_BEFORE] = (size_t)(before - a[DJ_BEFORE]->cuts);
    cache->cuts[DJ_AFTER] = (size_t)(after - a[DJ_AFTER]->cuts);
    diff->cache_count += cache->name != NULL;
    return cache->name ? DJ_OK : dj_fail_memory(context, "a comparison", 0);
}

static void name_missing(const dj_attribution *one, const dj_attribution *other, const char *which,
                         dj_text_stream *text, bool *any)
{
    for (size_t i = 0; i < one->cut_count; i++)
        if (!find_cut(other, &one->cuts[i])) {
            fprintf(text->file, "%s%s (%s)", *any ? ", " : "", one->cuts[i].name, which);
            *any = true;
        }
}

int dj_diff_find_caches(dj_context *context, const dj_diff_request *request, dj_diff *diff)
{
    const dj_attribution *const a[DJ_SIDES] = {dj_profile_attribution(request->profiles[DJ_BEFORE]),
                                               dj_profile_attribution(request->profiles[DJ_AFTER])};
    dj_text_stream text;
    bool any = false;
    if (!a[DJ_BEFORE] || !a[DJ_AFTER])
        return DJ_OK;
    diff->caches = calloc(a[DJ_AFTER]->cut_count + 1, sizeof *diff->caches);
    int err = diff->caches ? DJ_OK : dj_fail_memory(context, "a comparison", 0);
    for (size_t i = 0; !err && i < a[DJ_AFTER]->cut_count; i++) {
        const dj_cut *after = &a[DJ_AFTER]->cuts[i], *before = find_cut(a[DJ_BEFORE], after);
        if (before)
            err = add_cache(context, diff, a, before, after);
    }
    if (err)
        return err;
    if (!dj_text_stream_open(&text))
        return dj_fail_memory(context, "a comparison", 0);
    name_missing(a[DJ_BEFORE], a[DJ_AFTER], "before", &text, &any);
    name_missing(a[DJ_AFTER], a[DJ_BEFORE], "after", &text, &any);
    diff->not_compared = dj_text_stream_close(&text, NULL);
    if (diff->not_compared && any)
        return DJ_OK;
    err = diff->not_compared ? DJ_OK : dj_fail_memory(context, "a comparison", 0);
    free(diff->not_compared);
    diff->not_compared = NULL;
    return err;
}

// Misses of one run at increasing sizes, and how far they may be off.
static int misses_of(dj_context *context, const dj_profile *profile, const uint64_t *sizes, size_t count,
                     dj_mrc_point *points, double *errors)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    int err = count > 0 ? dj_mrc_lru(context, lane, sizes, count, points) : DJ_OK;
    memset(errors, 0, count * sizeof *errors);
    if (err || count == 0 || !dj_lane_band_origin(profile, lane).known)
        return err;
    dj_band *bands = malloc(count * sizeof *bands);
    if (!bands)
        return dj_fail_memory(context, "a comparison", count * sizeof *bands);
    err = dj_mrc_band(context, profile, lane, sizes, count, bands);
    for (size_t i = 0; !err && i < count; i++)
        errors[i] =
            fmax(bands[i].high - points[i].ratio, points[i].ratio - bands[i].low) * (double)lane->accesses;
    free(bands);
    return err;
}

// The points of both curves at the same sizes.
static int compare_at(dj_context *context, const dj_diff_request *request, const dj_diff *diff,
                      const uint64_t *sizes, size_t count, dj_diff_point *out)
{
    dj_mrc_point *points = calloc(count + 1, sizeof *points);
    double *errors = calloc(count + 1, sizeof *errors);
    int err = points && errors ? DJ_OK : dj_fail_memory(context, "a comparison", count * sizeof *points);
    for (int run = 0; !err && run < DJ_SIDES; run++) {
        err = misses_of(context, request->profiles[run], sizes, count, points, errors);
        for (size_t i = 0; !err && i < count; i++) {
            out[i].size = sizes[i];
            out[i].ratios[run] = points[i].ratio;
            out[i].misses.runs[run] = points[i].misses;
            out[i].misses.errors[run] = errors[i] / diff->work[run];
        }
    }
    free(points);
    free(errors);
    return err;
}

// The rows add up to these. They are exact at the caches even if the distances were saved in bins.
static int count_rows(dj_context *context, const dj_profile *profile, int run, dj_diff *diff)
{
    dj_breakdown *any = NULL;
    int err = dj_breakdown_create(context, dj_profile_attribution(profile), DJ_BY_THREAD, &any);
    for (size_t c = 0; !err && c < diff->cache_count; c++)
        diff->misses[c].runs[run] = any->total_misses[diff->caches[c].cuts[run]];
    dj_breakdown_destroy(any);
    return err;
}

static int count_misses(dj_context *context, const dj_diff_request *request, dj_diff *diff)
{
    const size_t count = diff->cache_count;
    diff->misses = calloc(count + 1, sizeof *diff->misses);
    dj_diff_point *points = calloc(count + 1, sizeof *points);
    uint64_t *sizes = calloc(count + 1, sizeof *sizes);
    int err = diff->misses && points && sizes ? DJ_OK : dj_fail_memory(context, "a comparison", 0);
    for (size_t c = 0; !err && c < count; c++)
        sizes[c] = diff->caches[c].blocks;
    if (!err)
        err = compare_at(context, request, diff, sizes, count, points);
    for (size_t c = 0; !err && c < count; c++)
        diff->misses[c] = points[c].misses;
    for (int run = 0; !err && count > 0 && run < DJ_SIDES; run++)
        if (!dj_lane_sample(&request->profiles[run]->lanes[0]))
            err = count_rows(context, request->profiles[run], run, diff);
    free(points);
    free(sizes);
    return err;
}

static double error_of_accesses(const dj_profile *profile)
{
    enum { STANDARD_ERRORS = 3 };
    const dj_lane_profile *lane = &profile->lanes[0];
    const dj_tracing *tracing = dj_lane_tracing(lane);
    return tracing ? STANDARD_ERRORS * tracing->error * (double)lane->accesses : 0;
}

// In a cache that holds everything, only first accesses miss: the end of the band is that of the data, too.
static int estimate_cold(dj_context *context, const dj_diff_request *request, dj_diff *diff)
{
    const uint64_t everything = UINT64_C(1) << 62;
    dj_diff_point end = {0};
    int err = diff->estimated ? compare_at(context, request, diff, &everything, 1, &end) : DJ_OK;
    for (int run = 0; run < DJ_SIDES; run++)
        diff->cold.errors[run] = diff->distinct.errors[run] = end.misses.errors[run];
    return err;
}

int dj_diff_count_totals(dj_context *context, const dj_diff_request *request, dj_diff *diff)
{
    for (int run = 0; run < DJ_SIDES; run++) {
        const dj_profile *profile = request->profiles[run];
        const dj_lane_profile *lane = &profile->lanes[0];
        diff->accesses.runs[run] = lane->accesses;
        diff->accesses.errors[run] = error_of_accesses(profile) / diff->work[run];
        diff->distinct.runs[run] = lane->distinct;
        diff->cold.runs[run] = lane->cold;
        diff->estimated |= !profile->provenance.exact || dj_lane_tracing(lane) != NULL;
    }
    const int err = estimate_cold(context, request, diff);
    return err ? err : count_misses(context, request, diff);
}

static bool is_exact_at(const dj_diff_request *request, uint64_t size)
{
    return dj_mrc_is_exact_at(&request->profiles[DJ_BEFORE]->lanes[0], size) &&
           dj_mrc_is_exact_at(&request->profiles[DJ_AFTER]->lanes[0], size);
}

static int check_sizes(dj_context *context, const dj_diff_request *request)
{
    for (size_t i = 0; i < request->size_count; i++)
        if (!is_exact_at(request, request->sizes[i]))
            return dj_fail(context, DJ_ERR_USAGE,
                           "misses at %" PRIu64 " are not known: the distances were saved in bins. Choose a "
                           "power of two, or save the profiles with -o FILE.dejap",
                           request->sizes[i]);
    return DJ_OK;
}

int dj_diff_at(dj_context *context, const dj_diff_request *request, const dj_diff *diff, uint64_t size,
               dj_diff_point *out)
{
    const dj_diff_request at = {.profiles = {request->profiles[DJ_BEFORE], request->profiles[DJ_AFTER]},
                                .sizes = &size,
                                .size_count = 1};
    *out = (dj_diff_point){0};
    int err = check_sizes(context, &at);
    return err ? err : compare_at(context, &at, diff, &size, 1, out);
}

// Beyond the last point, only first accesses miss.
static size_t trim(const dj_diff_point *points, size_t count)
{
    while (count > 1 && memcmp(points[count - 1].misses.runs, points[count - 2].misses.runs,
                               sizeof points->misses.runs) == 0)
        count--;
    return count;
}

int dj_diff_compare_curves(dj_context *context, const dj_diff_request *request, dj_diff *diff)
{
    enum { POWERS = 64 };
    uint64_t powers[POWERS];
    size_t power_count = 0;
    for (unsigned bit = 0; bit < POWERS; bit++)
        if (is_exact_at(request, UINT64_C(1) << bit))
            powers[power_count++] = UINT64_C(1) << bit;
    const uint64_t *sizes = request->sizes ? request->sizes : powers;
    const size_t count = request->sizes ? request->size_count : power_count;
    int err = check_sizes(context, request);
    if (err)
        return err;
    diff->points = calloc(count + 1, sizeof *diff->points);
    if (!diff->points)
        return dj_fail_memory(context, "a comparison", count * sizeof *diff->points);
    err = compare_at(context, request, diff, sizes, count, diff->points);
    if (!err)
        diff->point_count = request->sizes ? count : trim(diff->points, count);
    return err;
}

// A change counts by its size, and by how large it is for this cache: a million more misses where there were
// few are worse than where there were a hundred millions.
static double importance(const dj_diff *diff, const dj_diff_count *count)
{
    const double before = dj_diff_value(diff, count, DJ_BEFORE), after = dj_diff_value(diff, count, DJ_AFTER);
    const double least = 1 / fmax(diff->work[DJ_BEFORE], diff->work[DJ_AFTER]);
    const double change = fabs(after - before) - dj_diff_error(count);
    return change > 0 ? change * fabs(log((after + least) / (before + least))) : 0;
}

void dj_diff_rank(dj_diff *diff)
{
    double most = importance(diff, &diff->accesses);
    diff->ranked = DJ_DIFF_ACCESSES;
    for (size_t c = 0; c < diff->cache_count; c++)
        if (importance(diff, &diff->misses[c]) > most) {
            most = importance(diff, &diff->misses[c]);
            diff->ranked = (int)c;
        }
    const bool same = most <= 0; // in all that rows are known of
    for (size_t i = 0; (diff->cache_count == 0 || same) && i < diff->point_count; i++)
        if (importance(diff, &diff->points[i].misses) > most) {
            most = importance(diff, &diff->points[i].misses);
            diff->ranked = DJ_DIFF_CURVE;
            diff->worst = i;
        }
}
