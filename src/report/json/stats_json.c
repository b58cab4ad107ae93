// SPDX-License-Identifier: MIT
// The format is described in docs/formats.md.
#include "profile/json.h"
#include "report/stats.h"

static void write_trace(dj_json_writer *json, const dj_trace_stats *trace, bool addresses)
{
    const dj_profile *profile = trace->profile;
    const dj_lane_profile *lane = &profile->lanes[0];
    dj_moments uses = dj_histogram_moments(dj_lane_keys(lane)->access_counts),
               distance = dj_lane_moments(lane), stride = dj_histogram_moments(dj_lane_strides(lane)->stride);
    dj_locality locality = dj_temporal_locality(lane);
    dj_json_begin_object(json, NULL);
    dj_json_provenance(json, &profile->provenance);
    dj_json_uint(json, "block_bytes", lane->id.block_bytes);
    dj_json_uint(json, "accesses", lane->accesses);
    dj_json_uint(json, "requests", profile->requests);
    dj_json_uint(json, "distinct", lane->distinct);
    dj_json_uint(json, "cold", lane->cold);
    dj_json_moments(json, "access_count", &uses);
    dj_json_uint(json, "no_reuse", dj_lane_keys(lane)->single_use);
    dj_json_moments(json, "distance", &distance);
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
        dj_json_end_object(json);
    } else {
        dj_json_null(json, "locality");
    }
    dj_json_uint(json, "rank", trace->rank);
    dj_json_real(json, "seconds", trace->seconds);
    if (addresses && dj_lane_keys(lane)->list_key)
        dj_json_addresses(json, "addresses", dj_lane_keys(lane));
    dj_json_end_object(json);
}

void dj_stats_json(const dj_trace_stats *traces, size_t count, bool addresses, FILE *out)
{
    dj_json_writer json = {.out = out};
    dj_json_begin_object(&json, NULL);
    dj_json_text(&json, "schema", "deja-stats");
    dj_json_uint(&json, "version", 1);
    dj_json_text(&json, "rule", dj_stats_rule);
    dj_json_text(&json, "std", "population");
    dj_json_begin_list(&json, "traces");
    for (size_t i = 0; i < count; i++)
        write_trace(&json, &traces[i], addresses);
    dj_json_end_list(&json);
    dj_json_end_object(&json);
    dj_json_finish(&json);
}
