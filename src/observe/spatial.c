// SPDX-License-Identifier: MIT
// What becomes of each reuse distance from one block size to the next, twice as
// large: the map, the cold row, intercepts and what the caches see of it.
//
// All of that is one count by the classes of both distances, of each pair of
// block sizes; adding it up waits for the end.
#include "base/machine.h"
#include "observe/doubling.h"
#include "observe/observers.h"
#include "observe/spatial_classes.h"

#include <deja/observer_options.h>

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 1024, // accesses whose classes stay in the cache meanwhile
    TURNS = 4,    // each count is in so many parts that take turns, so that none waits for the one before
};

typedef struct spatial_state {
    const dj_spatial_path *path;
    const dj_spatial_cache_size *caches;
    size_t cache_count;
    uint32_t pair_count;
    size_t classes;   // the last one is that of cold accesses
    uint64_t *block;  // of each lane
    uint64_t *cuts;   // [lane][cache], in blocks
    uint16_t *starts; // [lane][cache], the class of it
    uint64_t *cells;  // [pair][class at b][class at 2b][intercepted][turn]
    uint64_t *sums;   // [pair][class at b][turn], of the distances at b
    uint16_t class_at[2][CHUNK];
    uint32_t cell_at[CHUNK];
} spatial_state;

static void destroy(void *state)
{
    spatial_state *s = state;
    if (!s)
        return;
    free(s->block);
    free(s->cuts);
    free(s->starts);
    free(s->cells);
    free(s->sums);
    free(s);
}

static const dj_spatial_path *choose_path(void)
{
#if defined(__x86_64__)
    if (strcmp(dj_machine_simd(), "avx512") == 0)
        return &dj_spatial_avx512;
#endif
    return &dj_spatial_portable;
}

static uint16_t class_of(const spatial_state *s, uint32_t lane, uint64_t distance)
{
    uint16_t class;
    s->path->classify(&distance, 1, s->cuts + lane * s->cache_count, s->cache_count, &class);
    return class;
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    static const dj_spatial_options defaults = {0};
    const dj_spatial_options *options = setup->options ? setup->options : &defaults;
    int err = dj_doubling_check(context, setup, options->caches, options->cache_count);
    if (err)
        return err;
    spatial_state *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "observer spatial", sizeof *s);
    size_t lanes = setup->lane_count, caches = options->cache_count, classes = DJ_SPATIAL_COLD + 1 + caches;
    s->path = choose_path();
    s->caches = options->caches;
    s->cache_count = caches;
    s->pair_count = (uint32_t)(lanes - 1);
    s->classes = classes;
    s->block = calloc(lanes, sizeof *s->block);
    s->starts = calloc(lanes * caches + 1, sizeof *s->starts);
    s->cells = calloc(lanes, classes * classes * 2 * TURNS * sizeof *s->cells);
    s->sums = calloc(lanes, classes * TURNS * sizeof *s->sums);
    if (!s->block || !s->starts || !s->cells || !s->sums)
        err = dj_fail_memory(context, "observer spatial",
                             lanes * classes * classes * 2 * TURNS * sizeof *s->cells);
    if (!err)
        err = dj_doubling_cuts(context, setup, s->caches, caches, &s->cuts);
    if (err) {
        destroy(s);
        return err;
    }
    memcpy(s->block, setup->block_bytes, lanes * sizeof *s->block);
    for (size_t i = 0; i < lanes * caches; i++)
        s->starts[i] = class_of(s, (uint32_t)(i / caches), s->cuts[i]);
    *state = s;
    return DJ_OK;
}

static void count_chunk(spatial_state *s, const dj_lane_view *lanes, uint32_t from, uint32_t count)
{
    uint16_t *here = s->class_at[0], *there = s->class_at[1];
    s->path->classify(lanes[0].distance + from, count, s->cuts, s->cache_count, here);
    for (uint32_t pair = 0; pair < s->pair_count; pair++) {
        const uint64_t *distance = lanes[pair].distance + from;
        const dj_lane_view *larger = &lanes[pair + 1];
        uint64_t *cells = s->cells + pair * s->classes * s->classes * 2 * TURNS;
        uint64_t *sums = s->sums + pair * s->classes * TURNS;
        s->path->classify(larger->distance + from, count, s->cuts + (pair + 1) * s->cache_count,
                          s->cache_count, there);
        s->path->locate(here, there, larger->prev_tag + from, lanes[pair].key + from, count,
                        (uint32_t)s->classes, s->cell_at);
        for (uint32_t i = 0; i < count; i++) {
            cells[s->cell_at[i] * TURNS + i % TURNS]++;
            sums[here[i] * TURNS + i % TURNS] += distance[i];
        }
        uint16_t *used = here;
        here = there;
        there = used;
    }
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    (void)context;
    uint32_t count = view->batch->count;
    for (uint32_t from = 0; from < count; from += CHUNK)
        count_chunk(state, view->lanes, from, count - from < CHUNK ? count - from : CHUNK);
    return DJ_OK;
}

static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)context;
    (void)position;
    spatial_state *s = state;
    const spatial_state *o = other;
    for (size_t i = 0; i < s->pair_count * s->classes * s->classes * 2 * TURNS; i++)
        s->cells[i] += o->cells[i];
    for (size_t i = 0; i < s->pair_count * s->classes * TURNS; i++)
        s->sums[i] += o->sums[i];
    return DJ_OK;
}

// The bin that each class of a lane lies in.
static void fill_bins(const spatial_state *s, uint32_t lane, uint8_t *bin_of)
{
    for (unsigned bin = 0; bin < DJ_SPATIAL_COLD; bin++) {
        uint64_t lowest = bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
        for (size_t c = class_of(s, lane, lowest); c < s->classes; c++)
            bin_of[c] = (uint8_t)bin;
    }
}

static void add_to_caches(const spatial_state *s, uint32_t p, size_t here, size_t there, uint64_t count,
                          dj_spatial_pair *pair)
{
    const uint16_t *start = s->starts + p * s->cache_count, *larger = start + s->cache_count;
    for (size_t k = 0; k < s->cache_count && here >= start[k]; k++) {
        uint64_t effective = there < larger[k] ? count : 0;
        bool own = k + 1 == s->cache_count || here < start[k + 1];
        pair->caches[k].all.reuses += count;
        pair->caches[k].all.effective += effective;
        pair->caches[k].own.reuses += own ? count : 0;
        pair->caches[k].own.effective += own ? effective : 0;
    }
}

static uint64_t all_turns(const uint64_t *parts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < TURNS; i++)
        sum += parts[i];
    return sum;
}

static void add_row(const spatial_state *s, uint32_t p, size_t here, const uint8_t *bin_here,
                    const uint8_t *bin_there, dj_spatial_pair *pair)
{
    const uint64_t *row = s->cells + (p * s->classes + here) * s->classes * 2 * TURNS;
    bool cold = here + 1 == s->classes;
    for (size_t there = 0; there < s->classes; there++) {
        uint64_t intercepted = all_turns(row + (there * 2 + 1) * TURNS);
        uint64_t count = all_turns(row + there * 2 * TURNS) + intercepted;
        if (count == 0)
            continue;
        if (cold && there == here) {
            pair->cold_both += count;
        } else if (cold) {
            pair->cold[bin_there[there]] += count;
        } else {
            pair->map[bin_here[here]][bin_there[there]] += count;
            pair->intercepted[bin_here[here]] += intercepted;
            add_to_caches(s, p, here, there, count, pair);
        }
    }
}

static void add_sums(const spatial_state *s, uint32_t p, const uint8_t *bin_here, dj_spatial_pair *pair)
{
    const uint16_t *start = s->starts + p * s->cache_count;
    for (size_t here = 0; here + 1 < s->classes; here++) {
        uint64_t sum = all_turns(s->sums + (p * s->classes + here) * TURNS);
        pair->distance_sum[bin_here[here]] += sum;
        size_t k = s->cache_count;
        while (k > 0 && here < start[k - 1])
            k--;
        if (k > 0)
            pair->cache_sum[k - 1] += sum;
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
    .unordered = true,
    .finish = finish,
};
