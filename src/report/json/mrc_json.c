// SPDX-License-Identifier: MIT
// Miss-ratio curves as JSON; docs/formats.md describes the format.
#include "model/curve/estimate_band.h"
#include "profile/json.h"
#include "report/crossings.h"
#include "report/json/json.h"
#include "report/mrc.h"

static void write_points(dj_json_writer *json, const dj_mrc_report *report)
{
    dj_json_begin_list(json, "points");
    for (size_t i = 0; i < report->point_count; i++) {
        dj_json_begin_row(json, NULL);
        dj_json_uint(json, "size", report->points[i].size);
        dj_json_uint(json, "misses", report->points[i].misses);
        dj_json_real(json, "ratio", report->points[i].ratio);
        if (report->bands) {
            dj_json_real(json, "low", report->bands[i].low);
            dj_json_real(json, "high", report->bands[i].high);
        }
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void write_origin(dj_json_writer *json, const dj_mrc_report *report)
{
    dj_json_begin_row(json, "sampling");
    dj_json_real(json, "rate", report->origin.rate);
    dj_json_uint(json, "keys", report->origin.keys);
    if (report->point_count > 0)
        dj_json_real(json, "max_error", dj_band_widest(report->bands, report->point_count));
    if (report->byte_bands) {
        dj_json_real(json, "max_request_error", dj_band_widest(report->request_bands, report->byte_count));
        dj_json_real(json, "max_byte_error", dj_band_widest(report->byte_bands, report->byte_count));
    }
    dj_json_bool(json, "certified", report->origin.certified);
    dj_json_end_object(json);
}

static void write_byte_points(dj_json_writer *json, const dj_mrc_report *report)
{
    dj_json_begin_list(json, "byte_points");
    for (size_t i = 0; i < report->byte_count; i++) {
        const dj_byte_point *point = &report->byte_points[i];
        dj_json_begin_row(json, NULL);
        dj_json_uint(json, "size_bytes", point->size_bytes);
        dj_json_uint(json, "misses", point->misses);
        dj_json_real(json, "ratio", point->ratio);
        dj_json_uint(json, "miss_bytes", point->miss_bytes);
        dj_json_real(json, "byte_ratio", point->byte_ratio);
        if (report->byte_bands) {
            dj_json_real(json, "low", report->request_bands[i].low);
            dj_json_real(json, "high", report->request_bands[i].high);
            dj_json_real(json, "byte_low", report->byte_bands[i].low);
            dj_json_real(json, "byte_high", report->byte_bands[i].high);
        }
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void write_caches(dj_json_writer *json, const char *key, const dj_mrc_cache *caches, size_t count,
                         bool banded)
{
    dj_json_begin_list(json, key);
    for (size_t i = 0; i < count; i++) {
        const dj_mrc_cache *cache = &caches[i];
        dj_json_begin_row(json, NULL);
        if (cache->name)
            dj_json_text(json, "name", cache->name);
        if (cache->bytes > 0)
            dj_json_uint(json, "bytes", cache->bytes);
        dj_json_uint(json, "size", cache->size_blocks);
        dj_json_uint(json, "sets", cache->sets);
        dj_json_uint(json, "ways", cache->ways);
        dj_json_real(json, "misses", cache->estimate.misses);
        dj_json_real(json, "ratio", cache->estimate.ratio);
        dj_json_uint(json, "full_misses", cache->full.misses);
        dj_json_real(json, "full_ratio", cache->full.ratio);
        if (banded) {
            dj_json_real(json, "full_low", cache->band.low);
            dj_json_real(json, "full_high", cache->band.high);
            dj_json_real(json, "low", cache->estimate_band.low);
            dj_json_real(json, "high", cache->estimate_band.high);
        }
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static int write_simulated(dj_context *context, dj_json_writer *json, const dj_profile *profile)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    int err = DJ_OK;
    dj_json_begin_list(json, "simulated");
    for (size_t i = 0; err == DJ_OK && i < dj_lane_simulated_count(lane); i++) {
        const dj_simulated *cache = &dj_lane_simulated(lane)[i];
        dj_estimate estimate;
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "policy", dj_policy_names[cache->policy]);
        dj_json_uint(json, "size", cache->size_blocks);
        dj_json_uint(json, "sets", cache->sets);
        dj_json_uint(json, "ways", cache->ways);
        dj_json_uint(json, "misses", cache->misses);
        dj_json_real(json, "ratio", (double)cache->misses / (double)lane->accesses);
        if (cache->policy == DJ_POLICY_LRU) {
            err = dj_mrc_smith(context, lane, cache->sets, cache->ways, &estimate);
            dj_json_real(json, "formula_ratio", estimate.ratio);
        }
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    return err;
}

// `bands` may be NULL.
static void write_effective(dj_json_writer *json, const dj_effective *effective,
                            const dj_effective_band *bands)
{
    dj_json_begin_object(json, "effective");
    dj_json_uint(json, "long_reuses", effective->long_reuses);
    dj_json_real(json, "long_share", effective->long_share);
    dj_json_real(json, "covered", effective->covered);
    dj_json_uint(json, "ranges", effective->range_count);
    dj_json_begin_list(json, "sizes");
    for (size_t i = 0; i < effective->count; i++) {
        const dj_effective_size *size = &effective->sizes[i];
        dj_json_begin_row(json, NULL);
        dj_json_uint(json, "lo", size->lo);
        dj_json_uint(json, "hi", size->hi);
        dj_json_real(json, "share", size->share);
        dj_json_uint(json, "size", size->size);
        dj_json_real(json, "ratio", size->ratio);
        dj_json_real(json, "drop_before", size->drop_before);
        if (bands) {
            dj_json_uint(json, "smallest", bands[i].smaller);
            dj_json_uint(json, "largest", bands[i].larger);
            dj_json_real(json, "low", bands[i].ratio.low);
            dj_json_real(json, "high", bands[i].ratio.high);
        }
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    dj_json_end_object(json);
}

static void write_threshold(dj_json_writer *json, const dj_mrc_threshold *threshold)
{
    dj_json_begin_row(json, "threshold");
    dj_json_uint(json, threshold->bytes ? "size_bytes" : "size", threshold->size);
    dj_json_real(json, "limit", threshold->limit);
    dj_json_real(json, "ratio", threshold->ratio);
    if (threshold->high > threshold->ratio)
        dj_json_real(json, "high", threshold->high);
    dj_json_bool(json, "crossed", threshold->crossed);
    dj_json_end_object(json);
}

int dj_mrc_json(dj_context *context, const dj_mrc_report *report, FILE *out)
{
    const dj_profile *profile = report->profile;
    const dj_lane_profile *lane = &profile->lanes[0];
    dj_json_writer json = {.out = out};
    dj_effective effective;
    dj_effective_band bands[DJ_EFFECTIVE_MAX];
    int err = dj_effective_sizes(context, lane, &effective);
    if (!err && report->origin.known)
        err = dj_effective_bands(context, profile, lane, &effective, bands);
    if (err != DJ_OK)
        return err;
    dj_json_begin_object(&json, NULL);
    dj_json_text(&json, "schema", "deja-mrc");
    dj_json_uint(&json, "version", 1);
    dj_json_provenance(&json, &profile->provenance);
    dj_json_bool(&json, "binned", lane->binned);
    dj_json_uint(&json, "block_bytes", lane->id.block_bytes);
    dj_json_uint(&json, "accesses", lane->accesses);
    dj_json_uint(&json, "distinct", lane->distinct);
    dj_json_uint(&json, "cold", lane->cold);
    write_points(&json, report);
    if (report->bands)
        write_origin(&json, report);
    if (report->byte_count > 0)
        write_byte_points(&json, report);
    if (report->sets)
        write_caches(&json, "set_associative", report->sets, report->point_count, report->bands);
    write_caches(&json, "caches", report->caches, report->cache_count, report->bands);
    if (dj_lane_simulated_count(lane) > 0)
        err = write_simulated(context, &json, profile);
    write_effective(&json, &effective, report->origin.known ? bands : NULL);
    if (!err)
        err = dj_json_phases(&json, context, profile);
    if (report->threshold.set)
        write_threshold(&json, &report->threshold);
    if (report->crossings)
        dj_crossings_json(&json, report->crossings);
    dj_json_end_object(&json);
    dj_json_finish(&json);
    return err;
}
