// SPDX-License-Identifier: MIT
// Writes what a profile and its tallies have of spatial locality.
#include "profile/json.h"

// Bins from 0 to the highest one in use.
static unsigned bins_in_use(const dj_spatial_pair *pair)
{
    unsigned bins = DJ_SPATIAL_BINS;
    while (bins > 0 && pair->cold[bins - 1] == 0 && dj_spatial_row(pair, bins - 1).reuses == 0)
        bins--;
    return bins;
}

static void save_counts(dj_json_writer *json, const char *key, const uint64_t *counts, unsigned count)
{
    dj_json_begin_flat_list(json, key);
    for (unsigned i = 0; i < count; i++)
        dj_json_uint(json, NULL, counts[i]);
    dj_json_end_list(json);
}

static void save_map(dj_json_writer *json, const dj_spatial_pair *pair, unsigned bins)
{
    dj_json_begin_list(json, "map");
    for (unsigned i = 0; i < bins; i++)
        save_counts(json, NULL, pair->map[i], bins);
    dj_json_end_list(json);
}

static void save_cold(dj_json_writer *json, const dj_spatial_pair *pair, unsigned bins)
{
    uint64_t spatial = 0;
    for (unsigned j = 0; j < bins; j++)
        spatial += pair->cold[j];
    dj_json_begin_row(json, "cold_row");
    dj_json_uint(json, "cold", pair->cold_both);
    dj_json_uint(json, "spatial", spatial);
    save_counts(json, "bins", pair->cold, bins);
    dj_json_end_object(json);
}

static void save_scores(dj_json_writer *json, const dj_spatial_pair *pair, unsigned bins)
{
    dj_spatial_count whole = dj_spatial_whole(pair);
    dj_json_begin_flat_list(json, "score_by_bin");
    for (unsigned i = 0; i < bins; i++) {
        dj_spatial_count row = dj_spatial_row(pair, i);
        if (row.reuses)
            dj_json_real(json, NULL, dj_spatial_score(row.reuses, row.effective));
        else
            dj_json_null(json, NULL);
    }
    dj_json_end_list(json);
    dj_json_real(json, "score", dj_spatial_score(whole.reuses, whole.effective));
    dj_json_uint(json, "reuses", whole.reuses);
    dj_json_uint(json, "effective", whole.effective);
}

static void save_caches(dj_json_writer *json, const dj_spatial *spatial, const dj_spatial_pair *pair)
{
    dj_json_begin_list(json, "caches");
    for (size_t i = 0; i < spatial->cache_count; i++) {
        const dj_spatial_cache *cache = &pair->caches[i];
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "name", spatial->caches[i].name);
        dj_json_uint(json, "reuses", cache->own.reuses);
        dj_json_uint(json, "effective", cache->own.effective);
        dj_json_real(json, "score", dj_spatial_score(cache->own.reuses, cache->own.effective));
        dj_json_uint(json, "distance_sum", pair->cache_sum[i]);
        dj_json_uint(json, "misses", cache->all.reuses);
        dj_json_uint(json, "double_hits", cache->all.effective);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void save_pair(dj_json_writer *json, const dj_spatial *spatial, const dj_spatial_pair *pair)
{
    unsigned bins = bins_in_use(pair);
    dj_json_begin_object(json, NULL);
    dj_json_uint(json, "block", pair->block_bytes);
    dj_json_uint(json, "double_block", 2 * pair->block_bytes);
    save_scores(json, pair, bins);
    save_map(json, pair, bins);
    save_cold(json, pair, bins);
    save_counts(json, "intercepted", pair->intercepted, bins);
    save_counts(json, "distance_sum", pair->distance_sum, bins);
    save_caches(json, spatial, pair);
    dj_json_end_object(json);
}

void dj_json_spatial(dj_json_writer *json, const dj_spatial *spatial)
{
    dj_json_begin_list(json, "caches");
    for (size_t i = 0; i < spatial->cache_count; i++) {
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "name", spatial->caches[i].name);
        dj_json_uint(json, "bytes", spatial->caches[i].bytes);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    dj_json_uint(json, "usage_block", spatial->usage_block);
    dj_json_uint(json, "usage_cache", spatial->usage_cache);
    dj_json_real(json, "all_block_score", dj_spatial_all_blocks(spatial));
    dj_json_begin_list(json, "pairs");
    for (size_t i = 0; i < spatial->pair_count; i++)
        save_pair(json, spatial, &spatial->pairs[i]);
    dj_json_end_list(json);
}

static void save_count(dj_json_writer *json, const dj_spatial_count *count)
{
    dj_json_uint(json, NULL, count->reuses);
    dj_json_uint(json, NULL, count->effective);
}

static void save_tally_pair(dj_json_writer *json, const dj_spatial_counts *counts, size_t cache_count)
{
    dj_json_begin_list(json, NULL);
    dj_json_uint(json, NULL, counts->bin_first);
    dj_json_begin_list(json, NULL);
    for (uint32_t i = 0; i < counts->bin_count; i++)
        save_count(json, &counts->bins[i]);
    dj_json_end_list(json);
    dj_json_begin_list(json, NULL);
    for (size_t i = 0; i < cache_count; i++) {
        save_count(json, &counts->caches[i].own);
        save_count(json, &counts->caches[i].all);
    }
    dj_json_end_list(json);
    dj_json_end_list(json);
}

static void save_usage(dj_json_writer *json, const dj_usage *usage)
{
    dj_json_begin_list(json, NULL);
    dj_json_uint(json, NULL, usage->steps);
    dj_json_uint(json, NULL, usage->fetched);
    dj_json_uint(json, NULL, usage->used);
    dj_json_uint(json, NULL, usage->grain);
    dj_json_uint(json, NULL, usage->way);
    dj_json_begin_list(json, NULL);
    for (size_t i = 0; i < DJ_STRIDES && usage->stride_count[i]; i++) {
        dj_json_int(json, NULL, usage->stride[i]);
        dj_json_uint(json, NULL, usage->stride_count[i]);
    }
    dj_json_end_list(json);
    dj_json_end_list(json);
}

void dj_json_spatial_tally(dj_json_writer *json, const dj_spatial_tally *tally)
{
    dj_json_begin_list(json, NULL);
    dj_json_begin_list(json, NULL);
    for (size_t i = 0; i < tally->pair_count; i++)
        save_tally_pair(json, &tally->pairs[i], tally->cache_count);
    dj_json_end_list(json);
    save_usage(json, &tally->usage);
    dj_json_end_list(json);
}
