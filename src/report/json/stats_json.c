// SPDX-License-Identifier: MIT
// The format is described in docs/formats.md.
#include "profile/json.h"
#include "report/stats.h"

static int write_sampling(dj_context *context, dj_json_writer *json, const dj_profile *profile)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    const dj_band_origin origin = dj_lane_band_origin(profile, lane);
    double widest = 0;
    int err = origin.known ? dj_mrc_band_widest(context, profile, lane, &widest) : DJ_OK;
    if (err || !origin.known)
        return err;
    dj_json_begin_row(json, "sampling");
    dj_json_real(json, "rate", origin.rate);
    dj_json_uint(json, "keys", origin.keys);
    dj_json_real(json, "max_error", widest);
    dj_json_bool(json, "certified", origin.certified);
    dj_json_end_object(json);
    return DJ_OK;
}

static void write_mode(dj_json_writer *json, const char *key, dj_mode mode)
{
    if (mode.count == 0) {
        dj_json_null(json, key);
        return;
    }
    dj_json_begin_row(json, key);
    dj_json_uint(json, "value", mode.value);
    dj_json_uint(json, "count", mode.count);
    dj_json_end_object(json);
}

static void write_sizes(dj_json_writer *json, const dj_profile *profile)
{
    const dj_histogram *sizes = dj_profile_sizes(profile);
    const dj_moments moments = sizes ? dj_histogram_moments(sizes) : (dj_moments){0};
    if (moments.count == 0)
        return;
    dj_json_moments(json, "request_size", &moments);
    write_mode(json, "request_size_mode", dj_histogram_mode(sizes));
}

static int write_verdict(dj_context *context, dj_json_writer *json, const dj_trace_stats *traces,
                         size_t count, enum dj_locality_rule rule)
{
    dj_document *document = NULL, *finished = NULL;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    dj_json_text(json, "verdict", dj_stats_verdict(document, traces, count, rule));
    err = dj_document_finish(context, err, document, &finished);
    dj_document_destroy(finished);
    return err;
}

static int write_trace(dj_context *context, dj_json_writer *json, const dj_trace_stats *trace, bool addresses)
{
    const dj_profile *profile = trace->profile;
    const dj_lane_profile *lane = &profile->lanes[0];
    dj_moments uses = dj_stats_uses(lane), distance = dj_lane_moments(lane),
               stride = dj_histogram_moments(dj_lane_strides(lane)->stride);
    dj_locality locality = dj_temporal_locality(lane);
    dj_json_begin_object(json, NULL);
    dj_json_provenance(json, &profile->provenance);
    int err = write_sampling(context, json, profile);
    dj_json_uint(json, "block_bytes", lane->id.block_bytes);
    dj_json_uint(json, "accesses", lane->accesses);
    dj_json_uint(json, "requests", profile->requests);
    dj_json_uint(json, "distinct", lane->distinct);
    dj_json_uint(json, "cold", lane->cold);
    dj_json_moments(json, "access_count", &uses);
    dj_json_uint(json, "no_reuse", dj_lane_keys(lane)->single_use);
    dj_json_moments(json, "distance", &distance);
    write_mode(json, "distance_mode", dj_stats_mode(lane));
    write_sizes(json, profile);
    dj_json_begin_row(json, "strides");
    dj_json_uint(json, "pairs", dj_lane_strides(lane)->pairs);
    dj_json_uint(json, "near_blocks", dj_lane_strides(lane)->near_blocks);
    dj_json_uint(json, "within", dj_lane_strides(lane)->within);
    dj_json_real(json, "share_within",
                 dj_lane_strides(lane)->pairs == 0
                     ? 0
                     : (double)dj_lane_strides(lane)->within / (double)dj_lane_strides(lane)->pairs);
    dj_json_moments(json, "stride", &stride);
    dj_json_end_object(json);
    if (locality.any) {
        dj_json_begin_row(json, "locality");
        dj_json_real(json, "median", locality.median);
        dj_json_real(json, "mean", locality.mean);
        dj_json_real(json, "distance", locality.distance);
        dj_json_end_object(json);
    } else {
        dj_json_null(json, "locality");
    }
    dj_json_uint(json, "rank", trace->rank);
    dj_json_real(json, "seconds", trace->seconds);
    if (addresses && dj_lane_keys(lane)->list_key)
        dj_json_addresses(json, "addresses", dj_lane_keys(lane));
    dj_json_end_object(json);
    return err;
}

int dj_stats_json(dj_context *context, const dj_trace_stats *traces, size_t count, const dj_stats_view *view,
                  FILE *out)
{
    dj_json_writer json = {.out = out};
    int err = DJ_OK;
    dj_json_begin_object(&json, NULL);
    dj_json_text(&json, "schema", "deja-stats");
    dj_json_uint(&json, "version", 1);
    dj_json_text(&json, "rule", dj_stats_rule(view->rule));
    dj_json_text(&json, "rank_by", dj_stats_rules[view->rule]);
    dj_json_text(&json, "std", "population");
    dj_json_begin_list(&json, "traces");
    for (size_t i = 0; !err && i < count; i++)
        err = write_trace(context, &json, &traces[i], view->addresses);
    dj_json_end_list(&json);
    if (!err && count > 1)
        err = write_verdict(context, &json, traces, count, view->rule);
    dj_json_end_object(&json);
    dj_json_finish(&json);
    return err;
}
