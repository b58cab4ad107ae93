// SPDX-License-Identifier: MIT
// Reads the spatial part of a profile.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/json_load.h"
#include "profile/spatial_check.h"

// Members may stand in any order, so the caches that each pair has are compared
// with those of the whole when all have been read.
typedef struct draft {
    dj_spatial *spatial;
    uint64_t usage_block, usage_cache;
    size_t caches_of[DJ_SPATIAL_PAIRS_MOST];
} draft;

// The pair that is being read.
typedef struct pair_draft {
    dj_spatial_pair *pair;
    uint64_t block;
    size_t row_count, cache_count;
} pair_draft;

static int load_bins(dj_json_reader *reader, uint64_t *bins)
{
    dj_load_numbers to = {.numbers = bins, .most = DJ_SPATIAL_BINS, .what = "bins"};
    return dj_load_number_list(reader, &to);
}

static int load_map_row(dj_json_reader *reader, void *target)
{
    pair_draft *d = target;
    if (d->row_count == DJ_SPATIAL_BINS)
        return dj_json_fail(reader, "a map has more than %d rows", DJ_SPATIAL_BINS);
    return load_bins(reader, d->pair->map[d->row_count++]);
}

static int load_map(dj_json_reader *reader, void *value)
{
    return dj_json_read_list(reader, load_map_row, value);
}

static int load_cold_bins(dj_json_reader *reader, void *value)
{
    return load_bins(reader, ((dj_spatial_pair *)value)->cold);
}

static int load_cold(dj_json_reader *reader, void *value)
{
    static const dj_json_field fields[] = {
        {.name = "cold",
         .type = DJ_JSON_UINT,
         .required = true,
         .offset = offsetof(dj_spatial_pair, cold_both)},
        {.name = "bins", .type = DJ_JSON_CALL, .required = true, .call = load_cold_bins},
        {.name = NULL},
    };
    return dj_json_read_object(reader, fields, ((pair_draft *)value)->pair, NULL);
}

static int load_intercepted(dj_json_reader *reader, void *value)
{
    return load_bins(reader, ((pair_draft *)value)->pair->intercepted);
}

static int load_distance_sum(dj_json_reader *reader, void *value)
{
    return load_bins(reader, ((pair_draft *)value)->pair->distance_sum);
}

typedef struct cache_draft {
    dj_spatial_cache cache;
    uint64_t sum;
} cache_draft;

static int load_pair_cache(dj_json_reader *reader, void *target)
{
#define COUNT(name_, member)                                                                                 \
    {                                                                                                        \
        .name = (name_), .type = DJ_JSON_UINT, .required = true, .offset = offsetof(cache_draft, member)     \
    }
    static const dj_json_field fields[] = {
        COUNT("reuses", cache.own.reuses), COUNT("effective", cache.own.effective),
        COUNT("misses", cache.all.reuses), COUNT("double_hits", cache.all.effective),
        COUNT("distance_sum", sum),        {.name = NULL},
    };
#undef COUNT
    pair_draft *d = target;
    dj_spatial_pair *pair = d->pair;
    dj_spatial_cache *caches = dj_load_grown(reader, pair->caches, d->cache_count, sizeof *caches);
    if (!caches)
        return DJ_ERR_MEMORY;
    pair->caches = caches;
    uint64_t *sums = dj_load_grown(reader, pair->cache_sum, d->cache_count, sizeof *sums);
    if (!sums)
        return DJ_ERR_MEMORY;
    pair->cache_sum = sums;
    cache_draft read = {0};
    int err = dj_json_read_object(reader, fields, &read, NULL);
    caches[d->cache_count] = read.cache;
    sums[d->cache_count++] = read.sum;
    return err;
}

static int load_pair_caches(dj_json_reader *reader, void *value)
{
    return dj_json_read_list(reader, load_pair_cache, value);
}

static int load_pair(dj_json_reader *reader, void *target)
{
    static const dj_json_field fields[] = {
        {.name = "block", .type = DJ_JSON_UINT, .required = true, .offset = offsetof(pair_draft, block)},
        {.name = "map", .type = DJ_JSON_CALL, .required = true, .call = load_map},
        {.name = "cold_row", .type = DJ_JSON_CALL, .required = true, .call = load_cold},
        {.name = "intercepted", .type = DJ_JSON_CALL, .required = true, .call = load_intercepted},
        {.name = "distance_sum", .type = DJ_JSON_CALL, .required = true, .call = load_distance_sum},
        {.name = "caches", .type = DJ_JSON_CALL, .call = load_pair_caches},
        {.name = NULL},
    };
    draft *d = target;
    dj_spatial *spatial = d->spatial;
    if (spatial->pair_count == DJ_SPATIAL_PAIRS_MOST)
        return dj_json_fail(reader, "more than %d pairs of block sizes", DJ_SPATIAL_PAIRS_MOST);
    dj_spatial_pair *grown = dj_load_grown(reader, spatial->pairs, spatial->pair_count, sizeof *grown);
    if (!grown)
        return DJ_ERR_MEMORY;
    spatial->pairs = grown;
    pair_draft pair = {.pair = &grown[spatial->pair_count]};
    memset(pair.pair, 0, sizeof *grown);
    spatial->pair_count++; // from here on it is freed with the others
    int err = dj_json_read_object(reader, fields, &pair, NULL);
    pair.pair->block_bytes = pair.block;
    d->caches_of[spatial->pair_count - 1] = pair.cache_count;
    return err;
}

static int load_pairs(dj_json_reader *reader, void *value)
{
    return dj_json_read_list(reader, load_pair, value);
}

static int load_cache(dj_json_reader *reader, void *target)
{
    static const dj_json_field fields[] = {
        {.name = "name",
         .type = DJ_JSON_TEXT,
         .required = true,
         .offset = offsetof(dj_spatial_cache_size, name)},
        {.name = "bytes",
         .type = DJ_JSON_UINT,
         .required = true,
         .offset = offsetof(dj_spatial_cache_size, bytes)},
        {.name = NULL},
    };
    dj_spatial *spatial = ((draft *)target)->spatial;
    if (spatial->cache_count == DJ_SPATIAL_CACHES_MOST)
        return dj_json_fail(reader, "more than %d caches", DJ_SPATIAL_CACHES_MOST);
    dj_spatial_cache_size *grown =
        dj_load_grown(reader, spatial->caches, spatial->cache_count, sizeof *grown);
    if (!grown)
        return DJ_ERR_MEMORY;
    spatial->caches = grown;
    dj_spatial_cache_size *cache = &grown[spatial->cache_count++];
    memset(cache, 0, sizeof *cache);
    return dj_json_read_object(reader, fields, cache, NULL);
}

static int load_caches(dj_json_reader *reader, void *value)
{
    return dj_json_read_list(reader, load_cache, value);
}

int dj_load_spatial(dj_json_reader *reader, void *profile)
{
    static const dj_json_field fields[] = {
        {.name = "pairs", .type = DJ_JSON_CALL, .required = true, .call = load_pairs},
        {.name = "caches", .type = DJ_JSON_CALL, .call = load_caches},
        {.name = "usage_block", .type = DJ_JSON_UINT, .offset = offsetof(draft, usage_block)},
        {.name = "usage_cache", .type = DJ_JSON_UINT, .offset = offsetof(draft, usage_cache)},
        {.name = NULL},
    };
    dj_context *context = dj_json_context(reader);
    dj_spatial *spatial = NULL;
    int err = dj_spatial_create(context, 0, 0, &spatial);
    if (err == DJ_OK)
        err = dj_profile_give_section(context, profile, &dj_section_spatial, spatial);
    if (err != DJ_OK)
        return err;
    draft d = {.spatial = spatial};
    err = dj_json_read_object(reader, fields, &d, NULL);
    spatial->usage_block = d.usage_block;
    spatial->usage_cache = d.usage_cache;
    for (size_t i = 0; err == DJ_OK && i < d.spatial->pair_count; i++)
        if (d.caches_of[i] != d.spatial->cache_count)
            err = dj_json_fail(reader, "pairs[%zu] has %zu caches, not %zu", i, d.caches_of[i],
                               d.spatial->cache_count);
    if (err == DJ_OK)
        err = dj_spatial_check(context, spatial);
    return err == DJ_ERR_INPUT ? dj_json_fail(reader, "%s", dj_context_message(context)) : err;
}

// What lane `lane` says of itself is what the pair `pair` says of its rows.
static const char *unlike_lane(const dj_spatial_pair *pair, const dj_lane_profile *lane)
{
    uint64_t rows[DJ_SPATIAL_BINS] = {0}, cold = pair->cold_both;
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++)
        cold += pair->cold[i];
    if (pair->block_bytes != lane->id.block_bytes)
        return "its block is not that of the histogram";
    if (cold != lane->cold)
        return "it has another number of cold accesses than the histogram";
    if (lane->binned)
        return NULL;
    for (uint64_t value = 0, n; (n = dj_histogram_next(lane->distance, &value)) != 0; value++)
        rows[dj_log2_bin(value)] += n;
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++)
        if (rows[i] != dj_spatial_row(pair, i).reuses)
            return "its rows do not add up to the histogram";
    return NULL;
}

static int check_lanes(dj_json_reader *reader, const dj_profile *profile)
{
    const dj_spatial *spatial = dj_profile_spatial(profile);
    if (spatial->pair_count + 1 != profile->lane_count)
        return dj_json_fail(reader, "spatial: %zu pairs do not fit %zu block sizes", spatial->pair_count,
                            profile->lane_count);
    for (size_t i = 0; i < spatial->pair_count; i++) {
        const char *wrong = unlike_lane(&spatial->pairs[i], &profile->lanes[i]);
        if (wrong)
            return dj_json_fail(reader, "spatial.pairs[%zu]: %s", i, wrong);
    }
    return DJ_OK;
}

static int check_place(dj_json_reader *reader, const dj_spatial *spatial, const dj_spatial_tally *tally,
                       size_t place)
{
    uint64_t most = 0;
    if (!spatial || tally->pair_count != spatial->pair_count || tally->cache_count != spatial->cache_count)
        return dj_json_fail(reader, "places[%zu] has other pairs or caches than the profile", place);
    if (!__builtin_mul_overflow(tally->usage.fetched, spatial->usage_block, &most) &&
        tally->usage.used > most)
        return dj_json_fail(reader, "places[%zu] uses more of its blocks than they hold", place);
    return DJ_OK;
}

int dj_load_finish_spatial(dj_json_reader *reader, const dj_profile *profile)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    uint64_t accesses = 0;
    int err = dj_profile_spatial(profile) && profile->provenance.exact ? check_lanes(reader, profile) : DJ_OK;
    for (size_t i = 0; err == DJ_OK && a && i < a->place_count; i++)
        if (a->places[i].tally.spatial) {
            accesses += a->places[i].tally.accesses; // all places together hold less than 2^64
            err = check_place(reader, dj_profile_spatial(profile), a->places[i].tally.spatial, i);
        }
    if (err == DJ_OK && accesses > DJ_SPATIAL_ACCESSES_MOST)
        err = dj_json_fail(reader, "the places hold more accesses than can be");
    return err;
}
