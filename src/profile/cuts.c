// SPDX-License-Identifier: MIT
#include "profile/cuts.h"

#include <deja/sample.h>
#include <deja/tracing.h>

#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/text.h"

static bool are_same(const dj_attribution *a, const dj_cut *cuts, size_t count)
{
    bool same = a->cut_count == count;
    for (size_t i = 0; same && i < count; i++)
        same = a->cuts[i].blocks == cuts[i].blocks && strcmp(a->cuts[i].name, cuts[i].name) == 0;
    return same;
}

// What else in the profile depends on its caches; NULL: nothing.
static const char *find_bound(const dj_profile *profile)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    if (dj_lane_tracing(&profile->lanes[0]) || dj_lane_sample(&profile->lanes[0]))
        return "ranges of its rows";
    for (size_t i = 0; i < a->place_count; i++)
        if (a->places[i].tally.spatial && a->places[i].tally.spatial->cache_count > 0)
            return "scores of its rows";
    return NULL;
}

// Distances are counted between edges, so only caches with the size of an edge have exact misses.
static int check_edges(dj_context *context, const dj_profile *profile, const dj_cut *cut)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    const uint64_t block = profile->lanes[0].id.block_bytes;
    size_t next = 0;
    while (next < a->edge_count && a->edges[next] < cut->blocks)
        next++;
    if (next < a->edge_count && a->edges[next] == cut->blocks)
        return DJ_OK;
    char size[DJ_HUMAN_BYTES], below[DJ_HUMAN_BYTES], above[DJ_HUMAN_BYTES];
    if (next == 0 || next == a->edge_count)
        return dj_fail(
            context, DJ_ERR_USAGE,
            "--caches: the profile does not count distances near the size of %s, %s; measure again "
            "with --caches",
            cut->name, dj_human_bytes(size, cut->blocks * block));
    return dj_fail(
        context, DJ_ERR_USAGE,
        "--caches: the misses of a cache of %s (%s) are not known exactly: the profile counts them at "
        "%s and %s; choose such a size, or measure again with --caches",
        dj_human_bytes(size, cut->blocks * block), cut->name,
        dj_human_bytes(below, a->edges[next - 1] * block), dj_human_bytes(above, a->edges[next] * block));
}

static void free_cuts(dj_cut *cuts, size_t count)
{
    for (size_t i = 0; cuts && i < count; i++)
        free(cuts[i].name);
    free(cuts);
}

static int replace(dj_context *context, dj_attribution *a, const dj_cut *cuts, size_t count)
{
    dj_cut *copy = calloc(count + 1, sizeof *copy);
    int err = copy ? DJ_OK : dj_fail_memory(context, "the caches", count * sizeof *copy);
    for (size_t i = 0; !err && i < count; i++) {
        copy[i].blocks = cuts[i].blocks;
        err = dj_copy_text(context, cuts[i].name, &copy[i].name);
    }
    if (err) {
        free_cuts(copy, count);
        return err;
    }
    free_cuts(a->cuts, a->cut_count);
    a->cuts = copy;
    a->cut_count = count;
    return DJ_OK;
}

void dj_hierarchy_drop(dj_profile *profile)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    for (size_t i = 0; i < a->place_count; i++) {
        dj_level_tally_destroy(a->places[i].tally.levels);
        a->places[i].tally.levels = NULL;
    }
    dj_profile_drop_section(profile, &dj_section_hierarchy);
}

int dj_attribution_cut(dj_context *context, dj_profile *profile, const dj_cut *cuts, size_t count,
                       bool *left_out)
{
    dj_attribution *a = dj_profile_attribution(profile);
    *left_out = false;
    if (are_same(a, cuts, count))
        return DJ_OK;
    const char *bound = find_bound(profile);
    if (bound)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--caches: the profile has %s only for the caches that it was measured with; measure "
                       "again with --caches",
                       bound);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < count; i++)
        err = check_edges(context, profile, &cuts[i]);
    if (!err)
        err = replace(context, a, cuts, count);
    if (!err)
        dj_hierarchy_drop(profile);
    if (err || count == 0 || cuts[0].blocks >= a->pair_from || a->pair_count == 0)
        return err;
    for (size_t i = 0; i < a->pair_count; i++)
        dj_tally_free(&a->pairs[i].tally);
    a->pair_count = 0;
    *left_out = true;
    return DJ_OK;
}
