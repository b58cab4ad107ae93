// SPDX-License-Identifier: MIT
// How the distances of each place change when blocks double: by bins and by caches, in the tallies that
// observer `places` has made.
//
// A distance of 0 remains 0 in larger blocks. Such an access is counted once, in the first lane where its
// distance is 0, and removed from the list of remaining accesses.
#include "observe/spatial/places.h"
#include "base/grow.h"
#include "observe/doubling.h"
#include "observe/observers.h"

#include <deja/observer_options.h>

#include <stdlib.h>
#include <string.h>

static void destroy(void *state)
{
    dj_spatial_places *s = state;
    if (!s)
        return;
    for (size_t i = 0; i < s->cell_count; i++) {
        free(s->cells[i].far.bins);
        free(s->cells[i].far.caches);
    }
    free(s->cells);
    free(s->cache_bytes);
    free(s->cuts);
    free(s->far_from);
    dj_counted_free(&s->counted);
    free(s);
}

// The smallest distance of bin DJ_SPATIAL_NEAR, or of a miss in the smallest cache.
static int find_far(dj_spatial_places *s, dj_context *context)
{
    s->far_from = calloc(s->pair_count, sizeof *s->far_from);
    if (!s->far_from)
        return dj_fail_memory(context, "the spatial locality of places", 0);
    for (size_t pair = 0; pair < s->pair_count; pair++) {
        uint64_t from = UINT64_C(1) << (DJ_SPATIAL_NEAR - 1),
                 cut = s->cache_count ? s->cuts[pair * s->cache_count] : from;
        s->far_from[pair] = cut < from ? cut : from;
    }
    return DJ_OK;
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    static const dj_spatial_options defaults = {0};
    const dj_spatial_options *o = setup->options ? setup->options : &defaults;
    int err = dj_doubling_check(context, setup, o->caches, o->cache_count);
    if (err)
        return err;
    dj_spatial_places *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "the spatial locality of places", sizeof *s);
    s->cache_count = o->cache_count;
    s->pair_count = setup->lane_count - 1;
    s->cache_bytes = calloc(o->cache_count + 1, sizeof *s->cache_bytes);
    err = s->cache_bytes ? DJ_OK : dj_fail_memory(context, "the spatial locality of places", 0);
    for (size_t i = 0; !err && i < o->cache_count; i++)
        s->cache_bytes[i] = o->caches[i].bytes;
    if (!err)
        err = dj_doubling_cuts(context, setup, o->caches, o->cache_count, &s->cuts);
    if (!err)
        err = find_far(s, context);
    if (err) {
        destroy(s);
        return err;
    }
    *state = s;
    return DJ_OK;
}

static int reserve(dj_spatial_places *s, dj_context *context, const uint32_t *place, uint32_t n)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = place[i] > most ? place[i] : most;
    return dj_grow(context, "the spatial locality of places", &s->cells, &s->cell_count,
                   ((size_t)most + 1) * s->pair_count, sizeof *s->cells);
}

// Counts the listed accesses; branchless, since branches would be mispredicted. Lists those that are not 0,
// and those that are far. Returns how many are not 0.
static uint32_t count_near(dj_spatial_places *s, size_t pair, const uint32_t *place, const uint64_t *distance,
                           uint32_t listed, uint32_t *far)
{
    dj_spatial_cell *cells = s->cells + pair;
    size_t stride = s->pair_count;
    uint64_t far_from = s->far_from[pair];
    uint32_t left = 0, found = 0;
    for (uint32_t k = 0; k < listed; k++) {
        uint32_t i = s->at[k];
        unsigned bin = dj_log2_bin(distance[i]);
        cells[place[i] * stride].near[bin < DJ_SPATIAL_NEAR ? bin : DJ_SPATIAL_NEAR]++;
        s->at[left] = (uint16_t)i;
        left += bin != 0;
        s->far[found] = (uint16_t)i;
        found += distance[i] >= far_from;
    }
    *far = found;
    return left;
}

static int count_caches(const dj_spatial_places *s, dj_context *context, size_t pair,
                        dj_spatial_counts *counts, uint64_t distance, uint64_t larger)
{
    const uint64_t *cuts = s->cuts + pair * s->cache_count, *double_cuts = cuts + s->cache_count;
    if (!counts->caches && !(counts->caches = calloc(s->cache_count, sizeof *counts->caches)))
        return dj_fail_memory(context, "the spatial locality of a place", 0);
    size_t k = 0;
    for (; k < s->cache_count && distance >= cuts[k]; k++) {
        counts->caches[k].all.reuses++;
        counts->caches[k].all.effective += larger < double_cuts[k];
    }
    counts->caches[k - 1].own.reuses++;
    counts->caches[k - 1].own.effective += larger < double_cuts[k - 1];
    return DJ_OK;
}

static int count_far(const dj_spatial_places *s, dj_context *context, size_t pair, dj_spatial_counts *counts,
                     uint64_t distance, uint64_t larger)
{
    unsigned bin = dj_log2_bin(distance);
    if (bin >= DJ_SPATIAL_NEAR && bin - counts->bin_first >= counts->bin_count) {
        int err = dj_spatial_counts_widen(counts, context, bin & ~3u, (bin | 3u) + 1);
        if (err)
            return err;
    }
    if (bin >= DJ_SPATIAL_NEAR) {
        counts->bins[bin - counts->bin_first].reuses++;
        counts->bins[bin - counts->bin_first].effective += dj_log2_bin(larger) + DJ_SPATIAL_STEP <= bin;
    }
    bool misses = s->cache_count > 0 && distance >= s->cuts[pair * s->cache_count];
    return misses ? count_caches(s, context, pair, counts, distance, larger) : DJ_OK;
}

static int see_pair(dj_spatial_places *s, dj_context *context, const dj_view *view, size_t pair,
                    uint32_t *listed)
{
    const uint32_t *place = view->batch->column.place;
    const uint64_t *distance = view->lanes[pair].distance, *larger = view->lanes[pair + 1].distance;
    uint32_t far;
    *listed = count_near(s, pair, place, distance, *listed, &far);
    int err = DJ_OK;
    for (uint32_t k = 0; k < far && !err; k++) {
        uint32_t i = s->far[k];
        dj_spatial_cell *at = &s->cells[place[i] * s->pair_count + pair];
        if (distance[i] != DJ_COLD)
            err = count_far(s, context, pair, &at->far, distance[i], larger[i]);
    }
    return err;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    dj_spatial_places *s = state;
    int err = dj_counted_view(&s->counted, context, view, DJ_SELECT_COUNTED, &view);
    const dj_batch *batch = view->batch;
    if (!batch->column.place)
        return dj_fail(context, DJ_ERR_USAGE, "observer spatial-places saw an access without a place");
    if (!err)
        err = reserve(s, context, batch->column.place, batch->count);
    uint32_t listed = batch->count;
    for (uint32_t i = 0; i < listed; i++)
        s->at[i] = (uint16_t)i;
    for (size_t pair = 0; pair < s->pair_count && !err; pair++)
        err = see_pair(s, context, view, pair, &listed);
    return err;
}

// A pair of a tally; `zeros` are the accesses with distance 0 in an earlier lane.
static int fill_pair(const dj_spatial_cell *from, dj_context *context, size_t cache_count, uint64_t zeros,
                     dj_spatial_counts *to)
{
    uint64_t reuses[DJ_SPATIAL_BINS] = {zeros + from->near[0]};
    uint32_t first = DJ_SPATIAL_BINS, end = 0;
    for (unsigned bin = 1; bin < DJ_SPATIAL_NEAR; bin++)
        reuses[bin] = from->near[bin];
    for (uint32_t i = 0; i < from->far.bin_count; i++)
        reuses[from->far.bin_first + i] += from->far.bins[i].reuses;
    for (uint32_t bin = 0; bin < DJ_SPATIAL_BINS; bin++)
        if (reuses[bin] > 0) {
            first = bin < first ? bin : first;
            end = bin + 1;
        }
    int err = end > 0 ? dj_spatial_counts_widen(to, context, first, end) : DJ_OK;
    if (err)
        return err;
    for (uint32_t bin = first; bin < end; bin++) {
        bool far = bin - from->far.bin_first < from->far.bin_count;
        to->bins[bin - first] =
            (dj_spatial_count){reuses[bin], far ? from->far.bins[bin - from->far.bin_first].effective : 0};
    }
    if (from->far.caches)
        memcpy(to->caches, from->far.caches, cache_count * sizeof *to->caches);
    return DJ_OK;
}

static int fill_place(const dj_spatial_places *s, dj_context *context, const dj_spatial_cell *cells,
                      dj_tally *tally)
{
    uint64_t zeros = 0;
    int err = dj_spatial_tally_create(context, s->pair_count, s->cache_count, &tally->spatial);
    for (size_t pair = 0; pair < s->pair_count && !err; pair++) {
        err = fill_pair(&cells[pair], context, s->cache_count, zeros, &tally->spatial->pairs[pair]);
        zeros += cells[pair].near[0];
    }
    return err;
}

// Places that count nothing own nothing.
static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const dj_spatial_places *s = state;
    dj_attribution *a = dj_profile_attribution(profile);
    int err = DJ_OK;
    for (size_t i = 0; i < a->place_count && !err; i++)
        if (a->places[i].tally.accesses > 0 && (i + 1) * s->pair_count > s->cell_count)
            err = dj_fail(context, DJ_ERR_INPUT, "a place has no counts of spatial locality");
        else if (a->places[i].tally.accesses > 0)
            err = fill_place(s, context, &s->cells[i * s->pair_count], &a->places[i].tally);
    return err;
}

static const dj_section_ops *const after[] = {&dj_section_attribution, NULL};

const dj_observer_ops dj_observer_spatial_places = {
    .name = "spatial-places",
    .summary = "how the reuse distances of each place change when the block size doubles",
    .needs = DJ_NEED_PER_ACCESS,
    .fills = &dj_section_attribution,
    .after = after,
    .create = create,
    .destroy = destroy,
    .see = see,
    .merge = dj_spatial_places_merge,
    .finish = finish,
    .save = dj_spatial_places_save,
    .load = dj_spatial_places_load,
};
