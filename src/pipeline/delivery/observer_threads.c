// SPDX-License-Identifier: MIT
#include "pipeline/delivery/observer_threads.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/queue.h"

// Views in flight per thread: enough to absorb delays on either side, few enough that the columns stay
// in the cache.
enum { DEPTH = 6, POOLS_MOST = 2 };

typedef struct item {
    enum dj_showing how;
    dj_view view;
    dj_lane_view *lanes;
} item;

typedef struct worker {
    dj_observer_threads *threads;
    size_t pool, index; // which pool, which thread of it
    pthread_t thread;
    dj_context *context;
} worker;

struct dj_observer_threads {
    dj_observer_pool pools[POOLS_MOST];
    size_t pool_count;
    worker *workers;
    size_t worker_count, started;
    dj_queue *queue; // of items; each pool is a group of consumers
    size_t depth;
    enum dj_showing last;
    uint64_t counted, batches; // views and batches that the caller knows to be done
    atomic_bool failing;       // a worker is reporting an error
    atomic_int err;            // of an observer; nothing is shown after it
    dj_context *context;       // holds the message
};

int dj_show(dj_context *context, const dj_observer *observers, size_t count, enum dj_showing how,
            const dj_view *view)
{
    for (size_t i = 0; i < count; i++) {
        const dj_observer_ops *ops = observers[i].ops;
        int (*show)(void *, dj_context *, const dj_view *) = how == DJ_SHOW_WATCH ? ops->watch : ops->see;
        int err = show ? show(observers[i].state, context, view) : DJ_OK;
        if (err)
            return err;
    }
    return DJ_OK;
}

static void fail(dj_observer_threads *t, int err, const dj_context *context)
{
    if (!atomic_exchange(&t->failing, true))
        atomic_store(&t->err, dj_fail(t->context, (enum dj_err)err, "%s", dj_context_message(context)));
}

static void *work(void *argument)
{
    const worker *w = argument;
    dj_observer_threads *t = w->threads;
    const dj_observer_pool *pool = &t->pools[w->pool];
    void *slot = NULL;
    while (dj_queue_next(t->queue, (unsigned)w->pool, &slot)) {
        const item *next = slot;
        int err = DJ_OK;
        if (!atomic_load(&t->err))
            err = dj_show(w->context, pool->observers + w->index * pool->count, pool->count, next->how,
                          &next->view);
        if (err)
            fail(t, err, w->context);
    }
    return NULL;
}

static void end_threads(dj_observer_threads *t)
{
    if (t->started > 0)
        dj_queue_close(t->queue);
    for (; t->started > 0; t->started--)
        pthread_join(t->workers[t->started - 1].thread, NULL);
}

static item *item_at(const dj_observer_threads *t, uint64_t number)
{
    return dj_queue_slot(t->queue, number);
}

static void release(dj_observer_threads *t)
{
    end_threads(t);
    for (size_t i = 0; t->workers && i < t->worker_count; i++)
        dj_context_destroy(t->workers[i].context);
    for (size_t i = 0; t->queue && i < t->depth; i++)
        free(item_at(t, i)->lanes);
    for (size_t i = 0; i < t->pool_count; i++)
        dj_observer_pool_destroy(&t->pools[i]);
    free(t->workers);
    dj_queue_destroy(t->queue);
    dj_context_destroy(t->context);
    free(t);
}

// One pool, or one for ordered and one for unordered observers.
static int create_pool(dj_observer_threads *t, dj_context *context, const dj_observer_threads_config *config,
                       enum dj_observer_pool_members members, unsigned threads)
{
    return dj_observer_pool_create(&t->pools[t->pool_count++], context, config->setup, config->observers,
                                   config->observer_count, members, threads);
}

static int create_pools(dj_observer_threads *t, dj_context *context, const dj_observer_threads_config *config)
{
    bool ordered = false, unordered = false;
    for (size_t i = 0; i < config->observer_count; i++)
        *(config->observers[i].ops->unordered ? &unordered : &ordered) = true;
    if (config->threads < 2 || !unordered)
        return create_pool(t, context, config, DJ_OBSERVER_POOL_ALL, 1);
    int err = create_pool(t, context, config, DJ_OBSERVER_POOL_UNORDERED, config->threads);
    if (!err && ordered)
        err = create_pool(t, context, config, DJ_OBSERVER_POOL_ORDERED, 1);
    return err;
}

static bool allocate(dj_observer_threads *t, dj_context *context, size_t lane_count)
{
    for (size_t i = 0; i < t->pool_count; i++)
        t->worker_count += t->pools[i].threads;
    t->depth = DEPTH * t->worker_count;
    t->workers = calloc(t->worker_count, sizeof *t->workers);
    const dj_queue_config config = {
        .capacity = t->depth, .item_bytes = sizeof(item), .groups = (unsigned)t->pool_count};
    bool complete = t->workers && dj_queue_create(context, &config, &t->queue) == DJ_OK;
    for (size_t i = 0; complete && i < t->depth; i++)
        complete = (item_at(t, i)->lanes = calloc(lane_count, sizeof(dj_lane_view))) != NULL;
    return complete;
}

// Returns 0 or an error number.
static int start_threads(dj_observer_threads *t)
{
    for (size_t pool = 0; pool < t->pool_count; pool++)
        for (size_t index = 0; index < t->pools[pool].threads; index++) {
            worker *w = &t->workers[t->started];
            *w = (worker){.threads = t, .pool = pool, .index = index};
            if (dj_context_create(&w->context) != DJ_OK)
                return ENOMEM;
            int error = pthread_create(&w->thread, NULL, work, w);
            if (error)
                return error;
            t->started++;
        }
    return 0;
}

int dj_observer_threads_start(dj_context *context, const dj_observer_threads_config *config,
                              dj_observer_threads **out)
{
    dj_observer_threads *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t)
        return dj_fail_memory(context, "the observers' threads", 0);
    t->last = config->last;
    int err = create_pools(t, context, config);
    if (!err && (dj_context_create(&t->context) != DJ_OK || !allocate(t, context, config->setup->lane_count)))
        err = dj_fail_memory(context, "the observers' threads", 0);
    int error = err ? 0 : start_threads(t);
    if (error)
        dj_warn(context, "cannot start another thread (%s): the analysis takes longer", strerror(error));
    if (err || error)
        release(t);
    else
        *out = t;
    return err;
}

static int observer_error(dj_observer_threads *t, dj_context *context)
{
    int err = atomic_load(&t->err);
    return err ? dj_fail(context, (enum dj_err)err, "%s", dj_context_message(t->context)) : DJ_OK;
}

static void count_done(dj_observer_threads *t)
{
    for (uint64_t done = dj_queue_done(t->queue); t->counted < done; t->counted++)
        t->batches += item_at(t, t->counted)->how == t->last;
}

int dj_observer_threads_submit(dj_observer_threads *t, dj_context *context, enum dj_showing how,
                               const dj_view *view)
{
    item *next = dj_queue_claim(t->queue);
    count_done(t); // before the slot is overwritten
    next->how = how;
    next->view = *view;
    memcpy(next->lanes, view->lanes, view->lane_count * sizeof *next->lanes);
    next->view.lanes = next->lanes;
    dj_queue_commit(t->queue, next);
    return observer_error(t, context);
}

uint64_t dj_observer_threads_done(dj_observer_threads *t)
{
    count_done(t);
    return t->batches;
}

int dj_observer_threads_stop(dj_observer_threads *t, dj_context *context)
{
    if (!t)
        return DJ_OK;
    end_threads(t);
    int err = observer_error(t, context);
    for (size_t i = 0; i < t->pool_count; i++) {
        int merged = dj_observer_pool_merge(&t->pools[i], context);
        err = err ? err : merged;
    }
    release(t);
    return err;
}
