// SPDX-License-Identifier: MIT
// Moves what observer `sharing` counted by place to the attribution. There it is summed up and named like
// everything else that is known of places.
#include <deja/sharing.h>

#include <stdlib.h>
#include <string.h>

#include "observe/observers.h"

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    (void)setup;
    *state = malloc(1);
    return *state ? DJ_OK : dj_fail_memory(context, "the sharing of places", 1);
}

static int move_tallies(dj_context *context, dj_sharing *from, dj_attribution *a)
{
    for (size_t i = 0; i < from->place_count; i++) {
        if (!from->places[i])
            continue;
        if (i >= a->place_count || a->places[i].tally.accesses == 0)
            return dj_fail(
                context, DJ_ERR_USAGE,
                "observer sharing-places: place %zu has accesses of sharers, but none in the attribution", i);
        a->places[i].tally.sharing = from->places[i];
        from->places[i] = NULL;
    }
    return DJ_OK;
}

// One number for each object of the attribution.
static int move_blocks(dj_context *context, dj_sharing *from, dj_attribution *a)
{
    a->shared_blocks = calloc(a->object_count + 1, sizeof *a->shared_blocks);
    if (!a->shared_blocks)
        return dj_fail_memory(context, "the shared blocks", a->object_count * sizeof *a->shared_blocks);
    a->shared_block_count = a->object_count;
    size_t count = from->shared_block_count < a->object_count ? from->shared_block_count : a->object_count;
    if (count > 0)
        memcpy(a->shared_blocks, from->shared_blocks, count * sizeof *a->shared_blocks);
    return DJ_OK;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    (void)state;
    dj_sharing *from = dj_profile_sharing(profile);
    dj_attribution *a = dj_profile_attribution(profile);
    int err = move_tallies(context, from, a);
    if (!err)
        err = move_blocks(context, from, a);
    if (err)
        return err;
    a->invalidations = from->invalidations;
    a->invalidation_count = from->invalidation_count;
    from->invalidations = NULL;
    from->invalidation_count = 0;
    return DJ_OK;
}

static const dj_section_ops *const after[] = {&dj_section_attribution, &dj_section_sharing, NULL};

const dj_observer_ops dj_observer_sharing_places = {
    .name = "sharing-places",
    .summary = "what programs or threads that share caches do to each other, by place",
    .fills = &dj_section_attribution,
    .after = after,
    .create = create,
    .destroy = free,
    .finish = finish,
    .finishes_once = true,
};
