// SPDX-License-Identifier: MIT
// A profile with a spatial section, in total and by place, counted with one
// naive stack for each block size: 32, 64 and 128 bytes, caches of 256 and 1024.
#ifndef DEJA_TESTS_SPATIAL_PROFILE_H
#define DEJA_TESTS_SPATIAL_PROFILE_H

#include "unit/attribution_json.h"

enum { SPATIAL_LANES = 3, SPATIAL_PLACES = 3, SPATIAL_CACHES = 2 };

static const dj_spatial_cache_size spatial_caches[SPATIAL_CACHES] = {{(char *)"L1", 256},
                                                                     {(char *)"L2", 1024}};

// Two functions: the first two places are lines of a loop of one, the third is in the other.
static dj_attribution *spatial_program(void)
{
    dj_attribution *a = NULL;
    assert_int_equal(dj_attribution_create(context, &a), DJ_OK);
    hand_edges(a, 12);
    hand_cut(a, "L1", 8);
    hand_cut(a, "L2", 32);
    hand_module(a, "/opt/grid");
    uint32_t file = hand_file(a, "/src/grid.c");
    uint32_t sweep = hand_function(a, "sweep", file, 3), whole = hand_function(a, "main", file, 9);
    uint32_t loop = hand_loop(a, sweep, DJ_NOWHERE, 4, 6);
    uint32_t top = hand_cct_node(a, hand_root(a, hand_thread(a, 1, "")), whole, DJ_NOWHERE);
    uint32_t call = hand_site(a, whole, 10, DJ_NOWHERE);
    uint32_t inner = hand_cct_node(a, top, sweep, call);
    uint32_t grid = hand_object(a, "grid", DJ_OBJECT_GLOBAL, 100),
             list = hand_object(a, "list", DJ_OBJECT_HEAP, 9);
    hand_place(a, hand_site(a, sweep, 5, loop), inner, grid);
    hand_place(a, hand_site(a, sweep, 6, loop), inner, list);
    hand_place(a, hand_site(a, whole, 11, DJ_NOWHERE), top, list);
    return a;
}

static void spatial_count(dj_spatial_count *count, bool effective)
{
    count->reuses++;
    count->effective += effective;
}

// One reuse with distance `d` at blocks of `block` and `e` at twice that.
static void spatial_count_caches(dj_spatial_cache *caches, uint64_t block, uint64_t d, uint64_t e)
{
    for (size_t k = 0; k < SPATIAL_CACHES; k++) {
        bool effective = e < spatial_caches[k].bytes / (2 * block);
        if (d < spatial_caches[k].bytes / block)
            continue;
        spatial_count(&caches[k].all, effective);
        if (k + 1 == SPATIAL_CACHES || d < spatial_caches[k + 1].bytes / block)
            spatial_count(&caches[k].own, effective);
    }
}

static void spatial_count_access(dj_spatial_pair *pair, dj_spatial_counts *counts, uint64_t d, uint64_t e)
{
    if (d == DJ_COLD) {
        if (e == DJ_COLD)
            pair->cold_both++;
        else
            pair->cold[dj_log2_bin(e)]++;
        return;
    }
    unsigned i = dj_log2_bin(d), j = dj_log2_bin(e);
    pair->map[i][j]++;
    pair->distance_sum[i] += d;
    pair->intercepted[i] += d % 2;
    spatial_count_caches(pair->caches, pair->block_bytes, d, e);
    spatial_count_caches(counts->caches, pair->block_bytes, d, e);
    for (size_t k = 0; k < SPATIAL_CACHES; k++)
        if (d >= spatial_caches[k].bytes / pair->block_bytes &&
            (k + 1 == SPATIAL_CACHES || d < spatial_caches[k + 1].bytes / pair->block_bytes))
            pair->cache_sum[k] += d;
    assert_int_equal(dj_spatial_counts_widen(counts, context, i, i + 1), DJ_OK);
    spatial_count(&counts->bins[i - counts->bin_first], j + 3 <= i);
}

static void spatial_fill(dj_profile *profile, uint64_t *const *distances, const uint32_t *places,
                         size_t count)
{
    dj_attribution *a = dj_profile_attribution(profile);
    for (size_t i = 0; i < count; i++) {
        dj_tally *tally = &a->places[places[i]].tally;
        if (distances[0][i] == DJ_COLD)
            hand_cold(tally, 1, 0);
        else
            hand_reuses(tally, a, distances[0][i], 1, 0);
        for (size_t k = 0; k + 1 < SPATIAL_LANES; k++)
            spatial_count_access(&dj_profile_spatial(profile)->pairs[k], &tally->spatial->pairs[k],
                                 distances[k][i], distances[k + 1][i]);
    }
}

static dj_profile *spatial_empty(void)
{
    dj_profile *profile = make_profile(context, 32);
    profile->lanes = realloc(profile->lanes, SPATIAL_LANES * sizeof *profile->lanes);
    assert_non_null(profile->lanes);
    for (size_t k = 1; k < SPATIAL_LANES; k++) {
        profile->lanes[k] = (dj_lane_profile){.id = {.block_bytes = UINT64_C(32) << k, .sampling = 1}};
        assert_int_equal(dj_histogram_create(context, &profile->lanes[k].distance), DJ_OK);
    }
    profile->lane_count = SPATIAL_LANES;
    dj_spatial *spatial = NULL;
    assert_int_equal(dj_spatial_create(context, SPATIAL_LANES - 1, SPATIAL_CACHES, &spatial), DJ_OK);
    assert_int_equal(dj_profile_give_section(context, profile, &dj_section_spatial, spatial), DJ_OK);
    for (size_t k = 0; k + 1 < SPATIAL_LANES; k++)
        dj_profile_spatial(profile)->pairs[k].block_bytes = UINT64_C(32) << k;
    for (size_t k = 0; k < SPATIAL_CACHES; k++)
        dj_profile_spatial(profile)->caches[k] =
            (dj_spatial_cache_size){strdup(spatial_caches[k].name), spatial_caches[k].bytes};
    dj_profile_spatial(profile)->usage_block = 64;
    dj_profile_spatial(profile)->usage_cache = 1024;
    assert_int_equal(dj_profile_give_section(context, profile, &dj_section_attribution, spatial_program()),
                     DJ_OK);
    for (size_t p = 0; p < SPATIAL_PLACES; p++)
        assert_int_equal(dj_spatial_tally_create(context, SPATIAL_LANES - 1, SPATIAL_CACHES,
                                                 &dj_profile_attribution(profile)->places[p].tally.spatial),
                         DJ_OK);
    return profile;
}

static dj_profile *spatial_profile(const uint64_t *addresses, const uint32_t *places, size_t count)
{
    dj_profile *profile = spatial_empty();
    uint64_t *distances[SPATIAL_LANES], *keys = malloc((count + 1) * sizeof *keys);
    assert_non_null(keys);
    for (size_t k = 0; k < SPATIAL_LANES; k++) {
        dj_lane_profile *lane = &profile->lanes[k];
        distances[k] = malloc((count + 1) * sizeof *keys);
        assert_non_null(distances[k]);
        for (size_t i = 0; i < count; i++)
            keys[i] = addresses[i] / lane->id.block_bytes;
        lane->distinct = stack_distances(keys, count, distances[k]);
        assert_int_equal(dj_histogram_add_all(lane->distance, context, distances[k], count, &lane->cold),
                         DJ_OK);
    }
    spatial_fill(profile, distances, places, count);
    profile->accesses = profile->requests = count;
    for (size_t k = 0; k < SPATIAL_LANES; k++)
        profile->lanes[k].accesses = count;
    for (size_t k = 0; k < SPATIAL_LANES; k++)
        free(distances[k]);
    free(keys);
    return profile;
}

// Near and far steps, so that all rows have something.
static dj_profile *spatial_random(uint64_t seed, size_t count)
{
    uint64_t *addresses = malloc(count * sizeof *addresses), at = 0;
    uint32_t *places = malloc(count * sizeof *places);
    assert_true(addresses && places);
    for (size_t i = 0; i < count; i++) {
        at = next_random(&seed) % 3 ? (at + next_random(&seed) % 40) % 65536 : next_random(&seed) % 65536;
        addresses[i] = at;
        places[i] = (uint32_t)(next_random(&seed) % SPATIAL_PLACES);
    }
    dj_profile *profile = spatial_profile(addresses, places, count);
    dj_usage *usage = &dj_profile_attribution(profile)->places[1].tally.spatial->usage;
    *usage = (dj_usage){.steps = 40,
                        .stride = {-8, INT64_MIN, INT64_MAX},
                        .stride_count = {20, 10, 10},
                        .grain = 1,
                        .step_sum = UINT64_MAX};
    usage->fetched = 7;
    usage->used = 7 * 64;
    free(addresses);
    free(places);
    return profile;
}

#endif
