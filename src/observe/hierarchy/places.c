// SPDX-License-Identifier: MIT
// Moves what observer `hierarchy` counted by place to the attribution.
#include <deja/profile.h>

#include <stdlib.h>

#include "observe/observers.h"

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    (void)setup;
    *state = malloc(1);
    return *state ? DJ_OK : dj_fail_memory(context, "the caches of places", 1);
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    (void)state;
    dj_hierarchy *from = dj_profile_hierarchy(profile);
    const dj_attribution *a = dj_profile_attribution(profile);
    if (!dj_hierarchy_fits(from, a))
        return dj_fail(context, DJ_ERR_USAGE,
                       "observer hierarchy-places: the simulated caches are not those of the attribution");
    for (size_t i = 0; i < from->place_count; i++) {
        if (!from->places[i])
            continue;
        if (i >= a->place_count || a->places[i].tally.accesses == 0)
            return dj_fail(context, DJ_ERR_USAGE,
                           "observer hierarchy-places: place %zu has misses, but none in the attribution", i);
        a->places[i].tally.levels = from->places[i];
        from->places[i] = NULL;
    }
    return DJ_OK;
}

static const dj_section_ops *const after[] = {&dj_section_attribution, &dj_section_hierarchy, NULL};

const dj_observer_ops dj_observer_hierarchy_places = {
    .name = "hierarchy-places",
    .summary = "misses of caches with their sets, by place",
    .fills = &dj_section_attribution,
    .after = after,
    .create = create,
    .destroy = free,
    .finish = finish,
};
