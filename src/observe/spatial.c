// SPDX-License-Identifier: MIT
// What becomes of each reuse distance from one block size to the next, twice as
// large: the map, the cold row, intercepts and what the caches see of it.
//
// All of that is one count by the classes of both distances. The class of a
// distance is its bin plus the number of caches that it does not fit into: it
// grows with the distance and changes wherever either does, so bins and caches
// are ranges of classes, and adding them up waits for the end.
//
// A distance of 0 stays 0 when blocks grow. Accesses leave the list of those at
// hand when they get there, and the larger lanes have little to look at.
#include "observe/doubling.h"
#include "observe/observers.h"

#include <deja/observer_options.h>

#include <stdlib.h>
#include <string.h>

typedef struct spatial_state {
    const dj_spatial_cache_size *caches;
    size_t cache_count;
    uint32_t pair_count;
    size_t classes;  // the last one is that of cold accesses
    uint64_t *block; // of each lane
    uint64_t *cuts;  // [lane][cache], in blocks
    uint64_t *cells; // [pair][class at b][class at 2b][intercepted]
    uint64_t *sums;  // [pair][class at b], of the distances at b
    // Accesses of the batch whose distance in the lane at hand is not 0, and their classes there.
    uint16_t at[DJ_BATCH_CAPACITY], class_at[DJ_BATCH_CAPACITY];
} spatial_state;

static void destroy(void *state)
{
    spatial_state *s = state;
    if (!s)
        return;
    free(s->block);
    free(s->cuts);
    free(s->cells);
    free(s->sums);
    free(s);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    static const dj_spatial_options defaults = {0};
    const dj_spatial_options *options = setup->options ? setup->options : &defaults;
    int err = dj_doubling_check(context, setup, options->caches, options->cache_count);
    if (err)
        return err;
    size_t pairs = setup->lane_count - 1, classes = DJ_SPATIAL_BINS + options->cache_count;
    spatial_state *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "observer spatial", sizeof *s);
    s->caches = options->caches;
    s->cache_count = options->cache_count;
    s->pair_count = (uint32_t)pairs;
    s->classes = classes;
    s->block = calloc(setup->lane_count, sizeof *s->block);
    s->cells = calloc(pairs, classes * classes * 2 * sizeof *s->cells);
    s->sums = calloc(pairs, classes * sizeof *s->sums);
    err = s->block && s->cells && s->sums
              ? dj_doubling_cuts(context, setup, s->caches, s->cache_count, &s->cuts)
              : dj_fail_memory(context, "observer spatial", pairs * classes * classes * 2 * sizeof *s->cells);
    if (err) {
        destroy(s);
        return err;
    }
    memcpy(s->block, setup->block_bytes, setup->lane_count * sizeof *s->block);
    *state = s;
    return DJ_OK;
}

static inline uint16_t class_of(const uint64_t *cuts, size_t cut_count, uint64_t distance)
{
    unsigned class = dj_log2_bin(distance);
    for (size_t k = 0; k < cut_count; k++)
        class += distance >= cuts[k];
    return (uint16_t) class;
}

static uint32_t list_first(spatial_state *s, const dj_lane_view *lane, uint32_t count)
{
    uint32_t listed = 0;
    for (uint32_t i = 0; i < count; i++) {
        s->at[listed] = (uint16_t)i;
        s->class_at[listed] = class_of(s->cuts, s->cache_count, lane->distance[i]);
        listed += lane->distance[i] != 0;
    }
    return listed;
}

// Counts those listed, from lane[0] to lane[1], and lists those that are not 0 there.
static uint32_t count_listed(spatial_state *s, uint32_t pair, const dj_lane_view *lane, uint32_t listed)
{
    const uint64_t *cuts = s->cuts + (pair + 1) * s->cache_count;
    uint64_t *cells = s->cells + pair * s->classes * s->classes * 2, *sums = s->sums + pair * s->classes;
    const uint64_t *distance = lane[0].distance, *larger = lane[1].distance;
    const uint64_t *key = lane[0].key;
    const uint32_t *last = lane[1].prev_tag;
    uint32_t left = 0;
    for (uint32_t k = 0; k < listed; k++) {
        uint32_t i = s->at[k];
        uint16_t here = s->class_at[k], there = class_of(cuts, s->cache_count, larger[i]);
        cells[(here * s->classes + there) * 2 + (last[i] != (uint32_t)key[i])]++;
        sums[here] += distance[i];
        s->at[left] = (uint16_t)i;
        s->class_at[left] = there;
        left += larger[i] != 0;
    }
    return left;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    (void)context;
    spatial_state *s = state;
    uint32_t count = view->batch->count;
    uint32_t listed = list_first(s, view->lanes, count);
    for (uint32_t pair = 0; pair < s->pair_count; pair++) {
        s->cells[pair * s->classes * s->classes * 2] += count - listed;
        listed = count_listed(s, pair, &view->lanes[pair], listed);
    }
    return DJ_OK;
}

static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)context;
    (void)position;
    spatial_state *s = state;
    const spatial_state *o = other;
    for (size_t i = 0; i < s->pair_count * s->classes * s->classes * 2; i++)
        s->cells[i] += o->cells[i];
    for (size_t i = 0; i < s->pair_count * s->classes; i++)
        s->sums[i] += o->sums[i];
    return DJ_OK;
}

// The bin that each class of a lane lies in.
static void fill_bins(const spatial_state *s, uint32_t lane, uint8_t *bin_of)
{
    for (uint8_t bin = 0; bin < DJ_SPATIAL_BINS; bin++) {
        uint64_t lowest = bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
        for (size_t c = class_of(s->cuts + lane * s->cache_count, s->cache_count, lowest); c < s->classes;
             c++)
            bin_of[c] = bin;
    }
}

static void add_to_caches(const spatial_state *s, uint32_t p, size_t here, size_t there, uint64_t count,
                          dj_spatial_pair *pair)
{
    const uint64_t *cuts = s->cuts + p * s->cache_count, *larger = cuts + s->cache_count;
    for (size_t k = 0; k < s->cache_count; k++) {
        if (here < class_of(cuts, s->cache_count, cuts[k]))
            continue;
        uint64_t effective = there < class_of(larger, s->cache_count, larger[k]) ? count : 0;
        bool own = k + 1 == s->cache_count || here < class_of(cuts, s->cache_count, cuts[k + 1]);
        pair->caches[k].all.reuses += count;
        pair->caches[k].all.effective += effective;
        pair->caches[k].own.reuses += own ? count : 0;
        pair->caches[k].own.effective += own ? effective : 0;
    }
}

static void add_row(const spatial_state *s, uint32_t p, size_t here, const uint8_t *bin_here,
                    const uint8_t *bin_there, dj_spatial_pair *pair)
{
    const uint64_t *row = s->cells + (p * s->classes + here) * s->classes * 2;
    bool cold = here + 1 == s->classes;
    for (size_t there = 0; there < s->classes; there++) {
        uint64_t count = row[there * 2] + row[there * 2 + 1];
        if (count == 0)
            continue;
        if (cold && there == here) {
            pair->cold_both += count;
        } else if (cold) {
            pair->cold[bin_there[there]] += count;
        } else {
            pair->map[bin_here[here]][bin_there[there]] += count;
            pair->intercepted[bin_here[here]] += row[there * 2 + 1];
            add_to_caches(s, p, here, there, count, pair);
        }
    }
}

static void add_sums(const spatial_state *s, uint32_t p, const uint8_t *bin_here, dj_spatial_pair *pair)
{
    const uint64_t *sums = s->sums + p * s->classes, *cuts = s->cuts + p * s->cache_count;
    for (size_t here = 0; here + 1 < s->classes; here++) {
        pair->distance_sum[bin_here[here]] += sums[here];
        for (size_t k = s->cache_count; k-- > 0;)
            if (here >= class_of(cuts, s->cache_count, cuts[k])) {
                pair->cache_sum[k] += sums[here];
                break;
            }
    }
}

static int name_caches(const spatial_state *s, dj_context *context, dj_spatial *spatial)
{
    for (size_t k = 0; k < s->cache_count; k++) {
        spatial->caches[k].bytes = s->caches[k].bytes;
        spatial->caches[k].name = strdup(s->caches[k].name);
        if (!spatial->caches[k].name)
            return dj_fail_memory(context, "a profile", 0);
    }
    return DJ_OK;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const spatial_state *s = state;
    int err = dj_spatial_create(context, s->pair_count, s->cache_count, &profile->spatial);
    if (err)
        return err;
    uint8_t *bins = calloc(s->pair_count + 1, s->classes);
    if (!bins)
        return dj_fail_memory(context, "a profile", (s->pair_count + 1) * s->classes);
    for (uint32_t lane = 0; lane <= s->pair_count; lane++)
        fill_bins(s, lane, bins + lane * s->classes);
    for (uint32_t p = 0; p < s->pair_count; p++) {
        dj_spatial_pair *pair = &profile->spatial->pairs[p];
        const uint8_t *bin_here = bins + p * s->classes, *bin_there = bin_here + s->classes;
        pair->block_bytes = s->block[p];
        for (size_t here = 0; here < s->classes; here++)
            add_row(s, p, here, bin_here, bin_there, pair);
        add_sums(s, p, bin_here, pair);
    }
    free(bins);
    return name_caches(s, context, profile->spatial);
}

const dj_observer_ops dj_observer_spatial = {
    .name = "spatial",
    .summary = "what becomes of distances when the block size doubles",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS | DJ_NEED_FINER,
    .create = create,
    .destroy = destroy,
    .see = see,
    .merge = merge,
    .finish = finish,
};
