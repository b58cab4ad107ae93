// SPDX-License-Identifier: MIT
// Writes a profile as JSON; the format is described in docs/formats.md.
#include "profile/json.h"

#include <deja/partitions.h>
#include <inttypes.h>
#include <stdlib.h>

typedef struct saver {
    dj_context *context;
    dj_json_writer *json;
    enum dj_binning binning;
    uint64_t width;
} saver;

static void save_bin(saver *s, uint64_t lo, uint64_t hi, uint64_t count)
{
    dj_json_begin_row(s->json, NULL);
    dj_json_uint(s->json, "lo", lo);
    dj_json_uint(s->json, "hi", hi);
    dj_json_uint(s->json, "count", count);
    dj_json_end_object(s->json);
}

// Exact bins are written as they are walked, since there may be millions.
static int save_histogram(saver *s, const char *key, const dj_histogram *histogram, enum dj_binning binning)
{
    dj_bin *bins = NULL;
    size_t count = 0;
    if (binning != DJ_BINS_EXACT) {
        int err = dj_histogram_bins(histogram, s->context, binning, s->width, &bins, &count);
        if (err != DJ_OK)
            return err;
    }
    dj_json_begin_list(s->json, key);
    if (binning == DJ_BINS_EXACT)
        for (uint64_t value = 0, n; (n = dj_histogram_next(histogram, &value)) != 0; value++)
            save_bin(s, value, value, n);
    for (size_t i = 0; i < count; i++)
        save_bin(s, bins[i].lo, bins[i].hi, bins[i].count);
    dj_json_end_list(s->json);
    free(bins);
    return DJ_OK;
}

static int save_keys(saver *s, const dj_key_profile *keys)
{
    dj_json_begin_object(s->json, "keys");
    dj_moments moments = dj_histogram_moments(keys->access_counts);
    dj_json_moments(s->json, "access_count", &moments);
    dj_json_uint(s->json, "single_use", keys->single_use);
    int err = save_histogram(s, "histogram", keys->access_counts, DJ_BINS_EXACT);
    if (err == DJ_OK && keys->list_key)
        dj_json_addresses(s->json, "addresses", keys);
    dj_json_end_object(s->json);
    return err;
}

static int save_strides(saver *s, const dj_stride_profile *strides)
{
    dj_json_begin_object(s->json, "strides");
    dj_json_uint(s->json, "pairs", strides->pairs);
    dj_json_uint(s->json, "near_blocks", strides->near_blocks);
    dj_json_uint(s->json, "within", strides->within);
    dj_moments moments = dj_histogram_moments(strides->stride);
    dj_json_moments(s->json, "stride", &moments);
    int err = save_histogram(s, "histogram", strides->stride, s->binning);
    dj_json_end_object(s->json);
    return err;
}

static void save_simulated(saver *s, const dj_lane_profile *lane)
{
    dj_json_begin_list(s->json, "simulated");
    for (size_t i = 0; i < lane->simulated_count; i++) {
        const dj_simulated *cache = &lane->simulated[i];
        dj_json_begin_row(s->json, NULL);
        dj_json_text(s->json, "policy", dj_policy_names[cache->policy]);
        dj_json_uint(s->json, "size", cache->size_blocks);
        dj_json_uint(s->json, "sets", cache->sets);
        dj_json_uint(s->json, "ways", cache->ways);
        dj_json_uint(s->json, "misses", cache->misses);
        dj_json_end_object(s->json);
    }
    dj_json_end_list(s->json);
}

static int save_bytes(saver *s, const dj_lane_profile *lane)
{
    int err = save_histogram(s, "byte_histogram", lane->byte_distance, s->binning);
    if (err == DJ_OK && lane->byte_weight) {
        dj_json_uint(s->json, "cold_bytes", lane->cold_bytes);
        err = save_histogram(s, "byte_weights", lane->byte_weight, s->binning);
    }
    return err;
}

static int save_partitions(saver *s, const dj_partitions *partitions)
{
    int err = DJ_OK;
    dj_json_begin_list(s->json, "partitions");
    for (size_t i = 0; !err && i < partitions->count; i++) {
        const dj_partition_profile *row = &partitions->rows[i];
        dj_moments moments = dj_lane_moments(&row->lane);
        dj_json_begin_object(s->json, NULL);
        dj_json_uint(s->json, "id", row->id);
        dj_json_text(s->json, "name", row->name);
        dj_json_uint(s->json, "accesses", row->lane.accesses);
        dj_json_uint(s->json, "distinct", row->lane.distinct);
        dj_json_uint(s->json, "cold", row->lane.cold);
        dj_json_moments(s->json, "distance", &moments);
        err = save_histogram(s, "histogram", row->lane.distance, s->binning);
        dj_json_end_object(s->json);
    }
    dj_json_end_list(s->json);
    return err;
}

static void save_identity(saver *s, const dj_lane_id *id)
{
    dj_json_uint(s->json, "block_bytes", id->block_bytes);
    if (id->filter && *id->filter)
        dj_json_text(s->json, "filter", id->filter);
    if (id->partition && *id->partition)
        dj_json_text(s->json, "partition", id->partition);
    if (id->sampling != 1)
        dj_json_real(s->json, "sampling", id->sampling);
}

static int save_lane(saver *s, const dj_lane_profile *lane)
{
    dj_moments moments = dj_lane_moments(lane);
    save_identity(s, &lane->id);
    dj_json_uint(s->json, "distinct", lane->distinct);
    dj_json_uint(s->json, "cold", lane->cold);
    dj_json_moments(s->json, "distance", &moments);
    if (lane->has_fingerprint)
        dj_json_hex(s->json, "fingerprint", lane->fingerprint);
    if (lane->has_digest)
        dj_json_hex(s->json, "digest", lane->digest);
    int err = save_histogram(s, "histogram", lane->distance, s->binning);
    if (err == DJ_OK && lane->time_distance)
        err = save_histogram(s, "time_histogram", lane->time_distance, s->binning);
    if (err == DJ_OK && lane->byte_distance)
        err = save_bytes(s, lane);
    if (err == DJ_OK && lane->keys)
        err = save_keys(s, lane->keys);
    if (err == DJ_OK && lane->strides)
        err = save_strides(s, lane->strides);
    if (err == DJ_OK && lane->simulated)
        save_simulated(s, lane);
    if (err == DJ_OK && dj_lane_partitions(lane))
        err = save_partitions(s, dj_lane_partitions(lane));
    return err;
}

static void save_head(saver *s, const dj_profile *profile)
{
    static const char *const bins[] = {
        [DJ_BINS_LOG2] = "log2", [DJ_BINS_LINEAR] = "linear", [DJ_BINS_EXACT] = "exact"};
    dj_json_text(s->json, "schema", DJ_PROFILE_SCHEMA);
    dj_json_uint(s->json, "version", DJ_PROFILE_VERSION);
    dj_json_provenance(s->json, &profile->provenance);
    dj_json_text(s->json, "bins", bins[s->binning]);
    dj_json_uint(s->json, "accesses", profile->lanes[0].accesses);
    if (profile->accesses != profile->lanes[0].accesses)
        dj_json_uint(s->json, "read", profile->accesses);
    dj_json_uint(s->json, "requests", profile->requests);
    dj_json_uint(s->json, "bytes", profile->bytes);
    if (profile->outside)
        dj_json_uint(s->json, "outside", profile->outside);
    dj_json_uint(s->json, "reads", profile->reads);
    dj_json_uint(s->json, "writes", profile->writes);
}

static int check(dj_context *context, const dj_profile *profile, enum dj_binning binning, uint64_t width)
{
    if (profile->lane_count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "the profile is empty");
    if (binning == DJ_BINS_LINEAR && width == 0)
        return dj_fail(context, DJ_ERR_USAGE, "linear bins need a width of at least 1");
    for (size_t i = 0; i < profile->lane_count; i++)
        if (profile->lanes[i].binned && binning != DJ_BINS_LOG2)
            return dj_fail(context, DJ_ERR_USAGE,
                           "the profile was loaded from bins and cannot be given finer ones; save it from "
                           "the trace with --bins exact");
    return DJ_OK;
}

static int save_profile(saver *s, const dj_profile *profile)
{
    save_head(s, profile);
    int err = save_lane(s, &profile->lanes[0]);
    if (err == DJ_OK && profile->lane_count > 1) {
        dj_json_begin_list(s->json, "blocks");
        for (size_t i = 1; err == DJ_OK && i < profile->lane_count; i++) {
            dj_json_begin_object(s->json, NULL);
            if (profile->lanes[i].accesses != profile->lanes[0].accesses)
                dj_json_uint(s->json, "accesses", profile->lanes[i].accesses);
            err = save_lane(s, &profile->lanes[i]);
            dj_json_end_object(s->json);
        }
        dj_json_end_list(s->json);
    }
    if (err == DJ_OK && profile->attribution)
        dj_json_attribution(s->json, "attribution", profile->attribution);
    return err;
}

int dj_json_begin_profile(dj_json_writer *json, dj_context *context, const dj_profile *profile,
                          enum dj_binning binning, uint64_t width)
{
    saver s = {.context = context, .json = json, .binning = binning, .width = width};
    int err = check(context, profile, binning, width);
    if (err != DJ_OK)
        return err;
    dj_json_begin_object(json, NULL);
    return save_profile(&s, profile);
}

int dj_profile_save(dj_context *context, const dj_profile *profile, enum dj_binning binning, uint64_t width,
                    FILE *out)
{
    dj_json_writer json = {.out = out};
    int err = dj_json_begin_profile(&json, context, profile, binning, width);
    if (err != DJ_OK)
        return err;
    if (profile->spatial) {
        dj_json_begin_object(&json, "spatial");
        dj_json_spatial(&json, profile->spatial);
        dj_json_end_object(&json);
    }
    dj_json_end_object(&json);
    dj_json_finish(&json);
    return ferror(out) ? dj_fail(context, DJ_ERR_IO, "cannot write the profile") : DJ_OK;
}
