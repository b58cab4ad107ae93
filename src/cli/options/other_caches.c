// SPDX-License-Identifier: MIT
#include "cli/options/other_caches.h"

#include <string.h>

#include "cli/options/sharers.h"
#include "profile/cuts.h"

int dj_caches_share_again(dj_context *context, const dj_cache_options *given, dj_profile *profile)
{
    const dj_sharer_options usual = {.share = NULL};
    const dj_sharing *sharing = dj_profile_sharing(profile);
    dj_caches caches;
    dj_shared_cache shared[DJ_SHAPES_MAX];
    size_t count = 0;
    int err = dj_caches_find(context, given, profile, &caches);
    if (!err)
        err = dj_sharers_caches(context, &usual, &caches, shared, &count);
    for (size_t i = 0; !err && i < count; i++)
        for (size_t k = 0; k < sharing->cache_count; k++)
            if (strcmp(shared[i].name, sharing->caches[k].name) == 0)
                shared[i].sharers = sharing->caches[k].sharers;
    return err ? err : dj_sharing_replace_caches(context, profile, shared, count);
}

// Simulated caches are known only as they were simulated.
static int keep_simulated(dj_context *context, const dj_caches *caches, dj_profile *profile)
{
    const dj_hierarchy *h = dj_profile_hierarchy(profile);
    bool same = h && h->level_count == caches->count, sets = false;
    for (size_t i = 0; i < caches->count; i++) {
        const dj_cache_shape *shape = &caches->shapes[i];
        same = same && h->levels[i].size_blocks == shape->size_blocks && h->levels[i].ways == shape->ways;
        sets = sets || shape->sets > 1;
    }
    if (!h || same)
        return DJ_OK;
    if (sets)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--caches: the profile has simulated other caches, and caches with /WAYS cannot be "
                       "simulated without the accesses; leave out the /WAYS, or measure again with --caches");
    dj_hierarchy_drop(profile);
    dj_output_message("note: ", "simulated caches are left out: the profile has only those that it was "
                                "measured with");
    return DJ_OK;
}

int dj_caches_cut_again(dj_context *context, const dj_cache_options *given, dj_profile *profile)
{
    dj_caches caches;
    dj_cut cuts[DJ_SHAPES_MAX];
    bool left_out = false;
    int err = dj_caches_find(context, given, profile, &caches);
    if (err)
        return err;
    dj_caches_sort(&caches);
    for (size_t i = 0; i < caches.count; i++)
        cuts[i] = (dj_cut){caches.shapes[i].name, caches.shapes[i].size_blocks};
    err = keep_simulated(context, &caches, profile);
    if (!err)
        err = dj_attribution_cut(context, profile, cuts, caches.count, &left_out);
    if (left_out)
        dj_output_message("note: ", "long reuses are left out: the profile has only those that miss in the "
                                    "smallest cache that it was measured with, which is larger");
    return err;
}
