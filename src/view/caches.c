// SPDX-License-Identifier: MIT
#include "view/caches.h"

#include <deja/components.h>
#include <deja/model.h>
#include <deja/sharing.h>

#include <stdlib.h>

static size_t count_cuts(const dj_profile *profile)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    return a ? a->cut_count : 0;
}

static size_t count_shared(const dj_profile *profile)
{
    const dj_sharing *sharing = dj_profile_sharing(profile);
    return sharing ? sharing->cache_count : 0;
}

size_t dj_view_cache_count(const dj_view_request *request, unsigned number)
{
    const dj_profile *profile = request->profiles[number];
    const size_t cuts = count_cuts(profile), shared = count_shared(profile);
    return cuts > 0 ? cuts : shared > 0 ? shared : request->cache_counts[number];
}

dj_view_cache dj_view_cache_get(const dj_view_request *request, unsigned number, size_t index)
{
    const dj_profile *profile = request->profiles[number];
    if (count_cuts(profile) > 0) {
        const dj_cut *cut = &dj_profile_attribution(profile)->cuts[index];
        return (dj_view_cache){cut->name, cut->blocks};
    }
    if (count_shared(profile) > 0) {
        const dj_shared_cache *cache = &dj_profile_sharing(profile)->caches[index];
        return (dj_view_cache){cache->name,
                               dj_spatial_cache_blocks(cache->bytes, profile->lanes[0].id.block_bytes)};
    }
    const dj_report_mark *mark = &request->caches[number][index];
    return (dj_view_cache){mark->label, mark->size};
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t sort(uint64_t *sizes, size_t count)
{
    size_t kept = 0;
    qsort(sizes, count, sizeof *sizes, ascending);
    for (size_t i = 0; i < count; i++)
        if (sizes[i] > 0 && (kept == 0 || sizes[i] != sizes[kept - 1]))
            sizes[kept++] = sizes[i];
    return kept;
}

// Sizes of a curve as reports have them, and those of the caches: in a comparison the second profile is also
// shown with the caches of the first.
static int find_sizes(dj_context *context, const dj_view_request *request, unsigned number, uint64_t **out,
                      size_t *count)
{
    enum { PER_DOUBLING = 4 };
    uint64_t *curve = NULL;
    int err = dj_mrc_sizes(context, &request->profiles[number]->lanes[0], PER_DOUBLING, &curve, count);
    if (err)
        return err;
    size_t most = *count + 1;
    for (unsigned from = 0; from <= number; from++)
        most += dj_view_cache_count(request, from);
    uint64_t *sizes = realloc(curve, most * sizeof *sizes);
    if (!sizes) {
        free(curve);
        return dj_fail_memory(context, "a page", most * sizeof *sizes);
    }
    for (unsigned from = 0; from <= number; from++)
        for (size_t i = 0; i < dj_view_cache_count(request, from); i++)
            sizes[(*count)++] = dj_view_cache_get(request, from, i).blocks;
    *count = sort(sizes, *count);
    *out = sizes;
    return DJ_OK;
}

int dj_view_bands_find(dj_context *context, const dj_view_request *request, unsigned number,
                       dj_view_band **out, size_t *count)
{
    const dj_profile *profile = request->profiles[number];
    uint64_t *sizes = NULL;
    size_t size_count = 0;
    int err = find_sizes(context, request, number, &sizes, &size_count);
    if (err)
        return err;
    dj_band *bands = malloc((size_count + 1) * sizeof *bands);
    dj_view_band *list = malloc((size_count + 1) * sizeof *list);
    if (!bands || !list)
        err = dj_fail_memory(context, "a page", size_count * sizeof *list);
    if (!err)
        err = dj_mrc_band(context, profile, &profile->lanes[0], sizes, size_count, bands);
    for (size_t i = 0; !err && i < size_count; i++)
        list[i] = (dj_view_band){sizes[i], bands[i].low, bands[i].high};
    free(sizes);
    free(bands);
    if (err) {
        free(list);
        return err;
    }
    *out = list;
    *count = size_count;
    return DJ_OK;
}
