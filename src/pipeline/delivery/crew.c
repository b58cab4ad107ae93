// SPDX-License-Identifier: MIT
#include "pipeline/delivery/crew.h"

#include <stdlib.h>

int dj_watcher_create(dj_watcher *watcher, dj_context *context, const dj_setup *setup,
                      const dj_observer_ops *ops, const void *options, dj_unpacker *from)
{
    dj_setup own = *setup;
    own.options = options;
    void *state = NULL;
    int err = from ? ops->load(context, &own, from, &state) : ops->create(context, &own, &state);
    if (!err)
        *watcher = (dj_watcher){ops, options, state};
    return err;
}

static bool takes_part(const dj_observer_ops *ops, enum dj_crew_who who)
{
    return who == DJ_CREW_ALL || ops->unordered == (who == DJ_CREW_UNORDERED);
}

int dj_crew_create(dj_crew *crew, dj_context *context, const dj_setup *setup, const dj_watcher *observers,
                   size_t observer_count, enum dj_crew_who who, unsigned threads)
{
    *crew = (dj_crew){.threads = threads};
    for (size_t i = 0; i < observer_count; i++)
        crew->count += takes_part(observers[i].ops, who);
    crew->observers = calloc(threads * crew->count + 1, sizeof *crew->observers);
    if (!crew->observers)
        return dj_fail_memory(context, "the observers' threads", 0);
    dj_watcher *next = crew->observers;
    int err = DJ_OK;
    for (unsigned thread = 0; thread < threads; thread++)
        for (size_t i = 0; !err && i < observer_count; i++) {
            if (!takes_part(observers[i].ops, who))
                continue;
            if (thread == 0)
                *next = observers[i];
            else
                err = dj_watcher_create(next, context, setup, observers[i].ops, observers[i].options, NULL);
            next++;
        }
    if (err)
        dj_crew_destroy(crew);
    return err;
}

int dj_crew_merge(const dj_crew *crew, dj_context *context)
{
    int err = DJ_OK;
    for (size_t i = crew->count; !err && i < crew->threads * crew->count; i++) {
        const dj_watcher *own = &crew->observers[i % crew->count];
        err = own->ops->merge(own->state, context, crew->observers[i].state, 0);
    }
    return err;
}

void dj_crew_destroy(dj_crew *crew)
{
    for (size_t i = crew->count; crew->observers && i < crew->threads * crew->count; i++)
        if (crew->observers[i].ops)
            crew->observers[i].ops->destroy(crew->observers[i].state);
    free(crew->observers);
    *crew = (dj_crew){0};
}
