// SPDX-License-Identifier: MIT
// Section `spatial` from counts by class.
#include <stdlib.h>
#include <string.h>

#include "observe/spatial/cells.h"

// The bin of each class of a lane.
static void fill_bins(const dj_spatial_cells *s, uint32_t lane, uint8_t *bin_of)
{
    for (unsigned bin = 0; bin < DJ_SPATIAL_COLD; bin++) {
        uint64_t lowest = bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
        for (size_t c = dj_spatial_cells_class(s, lane, lowest); c < s->classes; c++)
            bin_of[c] = (uint8_t)bin;
    }
}

static void add_to_caches(const dj_spatial_cells *s, uint32_t p, size_t here, size_t there, uint64_t count,
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

static void add_row(const dj_spatial_cells *s, uint32_t p, size_t here, const uint8_t *bin_here,
                    const uint8_t *bin_there, dj_spatial_pair *pair)
{
    const uint64_t *row = s->cells + (p * s->classes + here) * s->classes * 2 * DJ_SPATIAL_TURNS;
    bool cold = here + 1 == s->classes;
    for (size_t there = 0; there < s->classes; there++) {
        uint64_t intercepted = dj_spatial_all_turns(row + (there * 2 + 1) * DJ_SPATIAL_TURNS);
        uint64_t count = dj_spatial_all_turns(row + there * 2 * DJ_SPATIAL_TURNS) + intercepted;
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

static void add_sums(const dj_spatial_cells *s, uint32_t p, const uint8_t *bin_here, dj_spatial_pair *pair)
{
    const uint16_t *start = s->starts + p * s->cache_count;
    for (size_t here = 0; here + 1 < s->classes; here++) {
        uint64_t sum = dj_spatial_all_turns(s->sums + (p * s->classes + here) * DJ_SPATIAL_TURNS);
        pair->distance_sum[bin_here[here]] += sum;
        size_t k = s->cache_count;
        while (k > 0 && here < start[k - 1])
            k--;
        if (k > 0)
            pair->cache_sum[k - 1] += sum;
    }
}

static int name_caches(const dj_spatial_cells *s, dj_context *context, dj_spatial *spatial)
{
    for (size_t k = 0; k < s->cache_count; k++) {
        spatial->caches[k].bytes = s->caches[k].bytes;
        spatial->caches[k].name = strdup(s->caches[k].name);
        if (!spatial->caches[k].name)
            return dj_fail_memory(context, "a profile", 0);
    }
    return DJ_OK;
}

int dj_spatial_cells_fill(const dj_spatial_cells *s, dj_context *context, dj_spatial **out)
{
    dj_spatial *to = NULL;
    uint8_t *bins = calloc(s->pair_count + 1, s->classes);
    int err = bins ? dj_spatial_create(context, s->pair_count, s->cache_count, &to)
                   : dj_fail_memory(context, "a profile", (s->pair_count + 1) * s->classes);
    for (uint32_t lane = 0; !err && lane <= s->pair_count; lane++)
        fill_bins(s, lane, bins + lane * s->classes);
    for (uint32_t p = 0; !err && p < s->pair_count; p++) {
        dj_spatial_pair *pair = &to->pairs[p];
        const uint8_t *bin_here = bins + p * s->classes, *bin_there = bin_here + s->classes;
        pair->block_bytes = s->block[p];
        for (size_t here = 0; here < s->classes; here++)
            add_row(s, p, here, bin_here, bin_there, pair);
        add_sums(s, p, bin_here, pair);
    }
    free(bins);
    if (!err)
        err = name_caches(s, context, to);
    if (err)
        dj_spatial_destroy(to);
    else
        *out = to;
    return err;
}
