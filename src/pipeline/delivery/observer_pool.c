// SPDX-License-Identifier: MIT
#include "pipeline/delivery/observer_pool.h"

#include <stdlib.h>

int dj_observer_create(dj_observer *observer, dj_context *context, const dj_setup *setup,
                       const dj_observer_ops *ops, const void *options, dj_unpacker *from)
{
    dj_setup own = *setup;
    own.options = options;
    void *state = NULL;
    int err = from ? ops->load(context, &own, from, &state) : ops->create(context, &own, &state);
    if (!err)
        *observer = (dj_observer){ops, options, state};
    return err;
}

static bool takes_part(const dj_observer_ops *ops, enum dj_observer_pool_members members)
{
    return members == DJ_OBSERVER_POOL_ALL || ops->unordered == (members == DJ_OBSERVER_POOL_UNORDERED);
}

int dj_observer_pool_create(dj_observer_pool *pool, dj_context *context, const dj_setup *setup,
                            const dj_observer *observers, size_t observer_count,
                            enum dj_observer_pool_members members, unsigned threads)
{
    *pool = (dj_observer_pool){.threads = threads};
    for (size_t i = 0; i < observer_count; i++)
        pool->count += takes_part(observers[i].ops, members);
    pool->observers = calloc(threads * pool->count + 1, sizeof *pool->observers);
    if (!pool->observers)
        return dj_fail_memory(context, "the observers' threads", 0);
    dj_observer *next = pool->observers;
    int err = DJ_OK;
    for (unsigned thread = 0; thread < threads; thread++)
        for (size_t i = 0; !err && i < observer_count; i++) {
            if (!takes_part(observers[i].ops, members))
                continue;
            if (thread == 0)
                *next = observers[i];
            else
                err = dj_observer_create(next, context, setup, observers[i].ops, observers[i].options, NULL);
            next++;
        }
    if (err)
        dj_observer_pool_destroy(pool);
    return err;
}

int dj_observer_pool_merge(const dj_observer_pool *pool, dj_context *context)
{
    int err = DJ_OK;
    for (size_t i = pool->count; !err && i < pool->threads * pool->count; i++) {
        const dj_observer *own = &pool->observers[i % pool->count];
        err = own->ops->merge(own->state, context, pool->observers[i].state, 0);
    }
    return err;
}

void dj_observer_pool_destroy(dj_observer_pool *pool)
{
    for (size_t i = pool->count; pool->observers && i < pool->threads * pool->count; i++)
        if (pool->observers[i].ops)
            pool->observers[i].ops->destroy(pool->observers[i].state);
    free(pool->observers);
    *pool = (dj_observer_pool){0};
}
