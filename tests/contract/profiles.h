// SPDX-License-Identifier: MIT
// Whether two profiles are the same, down to the last count.
#ifndef TESTS_CONTRACT_PROFILES_H
#define TESTS_CONTRACT_PROFILES_H

#include <deja/elements.h>
#include <deja/profile.h>

#include <stddef.h>
#include <string.h>

static bool same_histogram(const dj_histogram *a, const dj_histogram *b)
{
    if (!a || !b)
        return a == b;
    for (uint64_t va = 0, vb = 0;; va++, vb++) {
        uint64_t na = dj_histogram_next(a, &va), nb = dj_histogram_next(b, &vb);
        if (na != nb || (na != 0 && va != vb))
            return false;
        if (na == 0)
            return true;
    }
}

static bool same_keys(const dj_key_profile *a, const dj_key_profile *b)
{
    if (!a || !b)
        return a == b;
    if (a->single_use != b->single_use || a->list_count != b->list_count ||
        !same_histogram(a->access_counts, b->access_counts))
        return false;
    if (a->list_count == 0)
        return true;
    size_t n = a->list_count;
    if (!a->list_device != !b->list_device ||
        (a->list_device && memcmp(a->list_device, b->list_device, n * sizeof *a->list_device) != 0))
        return false;
    return memcmp(a->list_key, b->list_key, n * sizeof *a->list_key) == 0 &&
           memcmp(a->list_offset, b->list_offset, (n + 1) * sizeof *a->list_offset) == 0 &&
           memcmp(a->list_distances, b->list_distances, a->list_offset[n] * sizeof *a->list_distances) == 0;
}

static bool same_strides(const dj_stride_profile *a, const dj_stride_profile *b)
{
    if (!a || !b)
        return a == b;
    return a->pairs == b->pairs && a->within == b->within && a->near_blocks == b->near_blocks &&
           same_histogram(a->stride, b->stride);
}

static bool same_simulated(const dj_lane_profile *a, const dj_lane_profile *b)
{
    return dj_lane_simulated_count(a) == dj_lane_simulated_count(b) &&
           (dj_lane_simulated_count(a) == 0 ||
            memcmp(dj_lane_simulated(a), dj_lane_simulated(b),
                   dj_lane_simulated_count(a) * sizeof *dj_lane_simulated(a)) == 0);
}

static bool same_lane(const dj_lane_profile *a, const dj_lane_profile *b)
{
    return a->id.block_bytes == b->id.block_bytes && strcmp(dj_lane_filter(a), dj_lane_filter(b)) == 0 &&
           strcmp(dj_lane_partition(a), dj_lane_partition(b)) == 0 && a->accesses == b->accesses &&
           a->distinct == b->distinct && a->cold == b->cold &&
           dj_lane_cold_bytes(a) == dj_lane_cold_bytes(b) &&
           dj_lane_has_fingerprint(a) == dj_lane_has_fingerprint(b) &&
           dj_lane_fingerprint(a) == dj_lane_fingerprint(b) &&
           dj_lane_has_digest(a) == dj_lane_has_digest(b) && dj_lane_digest(a) == dj_lane_digest(b) &&
           same_histogram(a->distance, b->distance) && same_histogram(dj_lane_time(a), dj_lane_time(b)) &&
           same_histogram(dj_lane_byte_distance(a), dj_lane_byte_distance(b)) &&
           same_histogram(dj_lane_byte_weight(a), dj_lane_byte_weight(b)) &&
           same_keys(dj_lane_keys(a), dj_lane_keys(b)) &&
           same_strides(dj_lane_strides(a), dj_lane_strides(b)) && same_simulated(a, b);
}

static bool same_pair(const dj_spatial_pair *a, const dj_spatial_pair *b, size_t cache_count)
{
    return memcmp(a, b, offsetof(dj_spatial_pair, caches)) == 0 &&
           memcmp(a->caches, b->caches, cache_count * sizeof *a->caches) == 0 &&
           memcmp(a->cache_sum, b->cache_sum, cache_count * sizeof *a->cache_sum) == 0;
}

static bool same_spatial(const dj_spatial *a, const dj_spatial *b)
{
    if (!a || !b)
        return a == b;
    bool same = a->pair_count == b->pair_count && a->cache_count == b->cache_count &&
                a->usage_block == b->usage_block && a->usage_cache == b->usage_cache;
    for (size_t i = 0; same && i < a->pair_count; i++)
        same = same_pair(&a->pairs[i], &b->pairs[i], a->cache_count);
    for (size_t i = 0; same && i < a->cache_count; i++)
        same = a->caches[i].bytes == b->caches[i].bytes && strcmp(a->caches[i].name, b->caches[i].name) == 0;
    return same;
}

static bool same_counts(const dj_spatial_tally *a, const dj_spatial_tally *b)
{
    if (!a || !b)
        return a == b;
    bool same = a->pair_count == b->pair_count && a->cache_count == b->cache_count &&
                memcmp(&a->usage, &b->usage, sizeof a->usage) == 0;
    for (size_t i = 0; same && i < a->pair_count; i++) {
        const dj_spatial_counts *x = &a->pairs[i], *y = &b->pairs[i];
        same = x->bin_first == y->bin_first && x->bin_count == y->bin_count &&
               (x->bin_count == 0 || memcmp(x->bins, y->bins, x->bin_count * sizeof *x->bins) == 0) &&
               memcmp(x->caches, y->caches, a->cache_count * sizeof *x->caches) == 0;
    }
    return same;
}

static bool same_tally(const dj_tally *a, const dj_tally *b)
{
    return memcmp(a, b, offsetof(dj_tally, bins)) == 0 &&
           (a->bin_count == 0 || memcmp(a->bins, b->bins, a->bin_count * sizeof *a->bins) == 0) &&
           same_counts(a->spatial, b->spatial);
}

static bool same_sketch(const dj_sketch *a, const dj_sketch *b)
{
    return a && b ? memcmp(a, b, sizeof *a) == 0 : a == b;
}

static bool same_rows(const dj_attribution *a, const dj_attribution *b)
{
    bool same = a->place_count == b->place_count && a->pair_count == b->pair_count;
    for (size_t i = 0; same && i < a->place_count; i++)
        same = a->places[i].address == b->places[i].address &&
               same_tally(&a->places[i].tally, &b->places[i].tally);
    for (size_t i = 0; same && i < a->pair_count; i++)
        same = a->pairs[i].from == b->pairs[i].from && a->pairs[i].to == b->pairs[i].to &&
               same_tally(&a->pairs[i].tally, &b->pairs[i].tally);
    return same;
}

static bool same_places(const dj_attribution *a, const dj_attribution *b)
{
    if (!a || !b)
        return a == b;
    bool same = same_rows(a, b) && a->object_count == b->object_count && a->thread_count == b->thread_count &&
                a->site_count == b->site_count && a->cct_count == b->cct_count;
    for (size_t i = 0; same && i < a->object_count; i++)
        same = a->objects[i].distinct == b->objects[i].distinct;
    for (size_t i = 0; same && i < a->thread_count; i++)
        same = a->threads[i].distinct == b->threads[i].distinct;
    for (size_t i = 0; same && i < a->site_count; i++)
        same = same_sketch(a->sites[i].sketch, b->sites[i].sketch);
    for (size_t i = 0; same && i < a->cct_count; i++)
        same = same_sketch(a->cct[i].sketch, b->cct[i].sketch);
    return same;
}

static bool same_elements(const dj_element_maps *a, const dj_element_maps *b)
{
    if (!a || !b)
        return a == b;
    bool same = a->long_from == b->long_from && a->left_out == b->left_out && a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const dj_element_map *x = &a->maps[i], *y = &b->maps[i];
        same = x->object == y->object && x->segment_bytes == y->segment_bytes && x->count == y->count &&
               memcmp(x->list, y->list, x->count * sizeof *x->list) == 0;
    }
    return same;
}

static bool same_profile(const dj_profile *a, const dj_profile *b)
{
    if (a->accesses != b->accesses || a->requests != b->requests || a->bytes != b->bytes ||
        a->reads != b->reads || a->writes != b->writes || a->lane_count != b->lane_count)
        return false;
    for (size_t i = 0; i < a->lane_count; i++)
        if (!same_lane(&a->lanes[i], &b->lanes[i]))
            return false;
    return same_spatial(dj_profile_spatial(a), dj_profile_spatial(b)) &&
           same_elements(dj_profile_elements(a), dj_profile_elements(b)) &&
           same_places(dj_profile_attribution(a), dj_profile_attribution(b));
}

#endif
