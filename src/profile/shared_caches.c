// SPDX-License-Identifier: MIT
// The caches of a machine whose misses reports compute from the distances of sharers.
#include <deja/sharing.h>

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void free_caches(dj_shared_cache *caches, size_t count)
{
    for (size_t i = 0; caches && i < count; i++)
        free(caches[i].name);
    free(caches);
}

int dj_sharing_set_caches(dj_context *context, dj_sharing *sharing, const dj_shared_cache *caches,
                          size_t count)
{
    dj_shared_cache *copy = calloc(count + 1, sizeof *copy);
    int err = copy ? DJ_OK : dj_fail_memory(context, "the shared caches", 0);
    for (size_t i = 0; !err && i < count; i++) {
        copy[i] = caches[i];
        copy[i].name = NULL;
        err = dj_copy_text(context, caches[i].name, &copy[i].name);
    }
    if (err) {
        free_caches(copy, count);
        return err;
    }
    free_caches(sharing->caches, sharing->cache_count);
    sharing->caches = copy;
    sharing->cache_count = count;
    return DJ_OK;
}

static bool are_same(const dj_sharing *sharing, const dj_shared_cache *caches, size_t count)
{
    bool same = sharing->cache_count == count;
    for (size_t i = 0; same && i < count; i++) {
        const dj_shared_cache *a = &sharing->caches[i], *b = &caches[i];
        same = strcmp(a->name, b->name) == 0 && a->bytes == b->bytes && a->sharers == b->sharers;
    }
    return same;
}

static void drop_spread(dj_schedules *s)
{
    for (size_t i = 0; i < s->cache_count; i++) {
        free(s->caches[i].cache);
        free(s->caches[i].sharers);
    }
    s->cache_count = 0;
}

static void drop_misses_of_places(const dj_attribution *a)
{
    for (size_t i = 0; i < a->place_count; i++)
        if (a->places[i].tally.sharing)
            a->places[i].tally.sharing->cache_count = 0;
}

int dj_sharing_replace_caches(dj_context *context, dj_profile *profile, const dj_shared_cache *caches,
                              size_t count)
{
    dj_sharing *sharing = dj_profile_sharing(profile);
    if (are_same(sharing, caches, count))
        return DJ_OK;
    int err = dj_sharing_set_caches(context, sharing, caches, count);
    if (err)
        return err;
    if (sharing->schedules)
        drop_spread(sharing->schedules);
    if (dj_profile_attribution(profile))
        drop_misses_of_places(dj_profile_attribution(profile));
    return DJ_OK;
}
