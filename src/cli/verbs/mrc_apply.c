// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/size.h"
#include "cli/verbs/mrc.h"
#include "model/curve/estimate_band.h"

// The bands at these points, which increase.
static int apply_bands(dj_context *context, const dj_mrc_report *report, const dj_mrc_point *points,
                       size_t count, dj_band *out)
{
    uint64_t *sizes = calloc(count + 1, sizeof *sizes);
    if (!sizes)
        return dj_fail_memory(context, "a miss-ratio curve", count * sizeof *sizes);
    for (size_t i = 0; i < count; i++)
        sizes[i] = points[i].size;
    int err = dj_mrc_band(context, report->profile, &report->profile->lanes[0], sizes, count, out);
    free(sizes);
    return err;
}

static int apply_byte_bands(dj_context *context, const dj_sizes *sizes, dj_mrc_report *out)
{
    const dj_lane_profile *lane = &out->profile->lanes[0];
    if (out->byte_count == 0 || !dj_lane_has_byte_bands(lane))
        return DJ_OK;
    out->request_bands = calloc(out->byte_count, sizeof *out->request_bands);
    out->byte_bands = calloc(out->byte_count, sizeof *out->byte_bands);
    if (!out->request_bands || !out->byte_bands)
        return dj_fail_memory(context, "a miss-ratio curve", 0);
    return dj_mrc_byte_bands(context, lane, sizes->bytes, out->byte_count, out->request_bands,
                             out->byte_bands);
}

static int apply_curves(dj_context *context, const dj_sizes *sizes, dj_mrc_report *out)
{
    const dj_lane_profile *lane = &out->profile->lanes[0];
    out->point_count = sizes->block_count;
    out->byte_count = sizes->byte_count;
    out->points = calloc(out->point_count + 1, sizeof *out->points);
    out->byte_points = calloc(out->byte_count + 1, sizeof *out->byte_points);
    if (!out->points || !out->byte_points)
        return dj_fail_memory(context, "a miss-ratio curve", out->point_count * sizeof *out->points);
    int err = dj_mrc_lru(context, lane, sizes->blocks, out->point_count, out->points);
    if (!err && out->byte_count > 0)
        err = dj_mrc_bytes(context, lane, sizes->bytes, out->byte_count, out->byte_points);
    if (!err)
        err = apply_byte_bands(context, sizes, out);
    if (err || !out->origin.known)
        return err;
    out->bands = calloc(out->point_count + 1, sizeof *out->bands);
    return out->bands ? apply_bands(context, out, out->points, out->point_count, out->bands)
                      : dj_fail_memory(context, "a miss-ratio curve", 0);
}

static int apply_cache(dj_context *context, const dj_mrc_report *report, dj_mrc_cache *cache)
{
    const dj_lane_profile *lane = &report->profile->lanes[0];
    int err = dj_mrc_lru(context, lane, &cache->size_blocks, 1, &cache->full);
    if (!err && report->origin.known)
        err = apply_bands(context, report, &cache->full, 1, &cache->band);
    if (!err && report->origin.known)
        err = dj_smith_band(context, report->profile, lane, cache->sets, cache->ways, &cache->estimate_band);
    return err ? err : dj_mrc_smith(context, lane, cache->sets, cache->ways, &cache->estimate);
}

// A cache with fewer blocks than the requested ways is fully associative.
static int apply_ways(dj_context *context, uint64_t ways, dj_mrc_report *out)
{
    if (ways == 0 || out->point_count == 0)
        return DJ_OK;
    out->sets = calloc(out->point_count, sizeof *out->sets);
    if (!out->sets)
        return dj_fail_memory(context, "a miss-ratio curve", 0);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < out->point_count; i++) {
        uint64_t size = out->points[i].size, used = ways < size ? ways : size;
        out->sets[i] = (dj_mrc_cache){.sets = size / used, .ways = used, .size_blocks = size / used * used};
        err = apply_cache(context, out, &out->sets[i]);
    }
    return err;
}

static int apply_caches(dj_context *context, const dj_caches *caches, dj_mrc_report *out)
{
    out->cache_count = caches->count;
    out->caches = calloc(caches->count + 1, sizeof *out->caches);
    if (!out->caches)
        return dj_fail_memory(context, "caches", 0);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < caches->count; i++) {
        const dj_cache_shape *shape = &caches->shapes[i];
        out->caches[i] = (dj_mrc_cache){.name = shape->name,
                                        .bytes = shape->bytes,
                                        .size_blocks = shape->size_blocks,
                                        .sets = shape->sets,
                                        .ways = shape->ways};
        err = apply_cache(context, out, &out->caches[i]);
    }
    return err;
}

// "SIZE:RATIO"; the ratio is a fraction, or a percentage with a percent sign.
static int parse_threshold(dj_context *context, const char *text, char *size, size_t capacity, double *limit)
{
    const char *colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0;
    if (length == 0 || length >= capacity || !dj_number_parse_share(colon + 1, limit))
        return dj_fail(context, DJ_ERR_USAGE,
                       "--threshold: '%s' is not SIZE:RATIO, as in 32K:0.1 or 1000:10%%", text);
    memcpy(size, text, length);
    size[length] = 0;
    return DJ_OK;
}

static int apply_threshold(dj_context *context, const char *text, dj_mrc_report *report)
{
    const dj_profile *profile = report->profile;
    const dj_lane_profile *lane = &profile->lanes[0];
    dj_mrc_threshold *out = &report->threshold;
    dj_band band = {0, 0};
    char typed[64];
    int err = parse_threshold(context, text, typed, sizeof typed, &out->limit);
    dj_size size = {0, false};
    if (!err)
        err = dj_size_parse(context, "--threshold", typed, &size);
    if (err)
        return err;
    uint64_t block_bytes = profile->provenance.unit_bytes > 0 ? lane->id.block_bytes : 0;
    out->bytes = size.bytes && block_bytes == 0 && dj_lane_byte_weight(lane);
    out->size = size.value;
    if (out->bytes) {
        dj_byte_point point;
        dj_band by_bytes;
        err = dj_mrc_bytes(context, lane, &out->size, 1, &point);
        out->ratio = err ? 0 : point.ratio;
        band = (dj_band){out->ratio, out->ratio};
        if (!err && dj_lane_has_byte_bands(lane))
            err = dj_mrc_byte_bands(context, lane, &out->size, 1, &band, &by_bytes);
    } else {
        dj_mrc_point point;
        err = dj_size_to_blocks(context, "--threshold", typed, size, block_bytes, &out->size);
        if (!err)
            err = dj_mrc_lru(context, lane, &out->size, 1, &point);
        out->ratio = err ? 0 : point.ratio;
        if (!err && report->origin.known)
            err = apply_bands(context, report, &point, 1, &band);
    }
    out->set = true;
    out->low = report->origin.known ? band.low : out->ratio;
    out->high = report->origin.known ? band.high : out->ratio;
    out->crossed = out->high > out->limit;
    return err;
}

int dj_mrc_apply(dj_context *context, const dj_mrc_options *o, const dj_profile *profile,
                 const dj_sizes *sizes, const dj_caches *caches, dj_mrc_report *out)
{
    *out = (dj_mrc_report){
        .profile = profile, .ways = o->ways, .origin = dj_lane_band_origin(profile, &profile->lanes[0])};
    int err = apply_curves(context, sizes, out);
    if (!err)
        err = apply_ways(context, o->ways, out);
    if (!err)
        err = apply_caches(context, caches, out);
    if (!err && o->threshold)
        err = apply_threshold(context, o->threshold, out);
    if (!err)
        err = dj_fail_if_check(context, &o->fail_if, profile, "the profile", &out->crossings);
    return err;
}

void dj_mrc_report_free(dj_mrc_report *report)
{
    free(report->points);
    free(report->bands);
    free(report->byte_points);
    free(report->request_bands);
    free(report->byte_bands);
    free(report->sets);
    free(report->caches);
    dj_crossings_destroy(report->crossings);
}
