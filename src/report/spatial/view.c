// SPDX-License-Identifier: MIT
// Finds the pair of block sizes and the cache that a view of spatial locality names.
#include <deja/report.h>

#include <inttypes.h>
#include <string.h>

enum { LINE_BYTES = 64 };

static int find_pair(dj_context *context, const dj_profile *profile, uint64_t block, size_t *out)
{
    const dj_spatial *spatial = dj_profile_spatial(profile);
    uint64_t wanted = block || profile->provenance.unit_bytes == 0 ? block : LINE_BYTES / 2;
    for (size_t i = 0; i < spatial->pair_count; i++)
        if (spatial->pairs[i].block_bytes == wanted) {
            *out = i;
            return DJ_OK;
        }
    *out = 0;
    if (block)
        return dj_fail(context, DJ_ERR_USAGE,
                       "no pair of block sizes starts at %" PRIu64 "; pairs start at %" PRIu64 " to %" PRIu64,
                       block, spatial->pairs[0].block_bytes,
                       spatial->pairs[spatial->pair_count - 1].block_bytes);
    return DJ_OK;
}

static int find_cache(dj_context *context, const dj_spatial *spatial, const char *name, size_t *out)
{
    *out = SIZE_MAX;
    if (!name)
        return DJ_OK;
    for (size_t i = 0; i < spatial->cache_count; i++)
        if (strcasecmp(spatial->caches[i].name, name) == 0) {
            *out = i;
            return DJ_OK;
        }
    char known[256] = "";
    for (size_t i = 0, at = 0; i < spatial->cache_count && at < sizeof known; i++)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "", spatial->caches[i].name);
    return dj_fail(context, DJ_ERR_USAGE, "cache '%s' was not measured; %s%s", name,
                   spatial->cache_count ? "measured: " : "no cache was", known);
}

int dj_spatial_view_find(dj_context *context, const dj_profile *profile, const dj_spatial_view *view,
                         dj_ranking_options *out)
{
    static const dj_spatial_view usual = {.limits = DJ_SPATIAL_LIMITS};
    view = view ? view : &usual;
    *out = (dj_ranking_options){.by = view->context ? DJ_RANK_LINE_CALLING_CONTEXT : DJ_RANK_LINE,
                                .limits = view->limits};
    if (!dj_profile_spatial(profile) || dj_profile_spatial(profile)->pair_count == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "the profile contains no spatial locality; create one with 'deja spatial'");
    int err = find_pair(context, profile, view->block, &out->pair);
    return err ? err : find_cache(context, dj_profile_spatial(profile), view->cache, &out->cache);
}
