// SPDX-License-Identifier: MIT
#include "pipeline/delivery/observer_threads.h"

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

static void fail(dj_observer_threads *r, int err, const dj_context *context)
{
    if (!atomic_exchange(&r->failing, true))
        atomic_store(&r->err, dj_fail(r->context, (enum dj_err)err, "%s", dj_context_message(context)));
}

static void *work(void *argument)
{
    const worker *w = argument;
    dj_observer_threads *r = w->threads;
    const dj_observer_pool *pool = &r->pools[w->pool];
    void *slot = NULL;
    while (dj_queue_next(r->queue, (unsigned)w->pool, &slot)) {
        const item *next = slot;
        int err = DJ_OK;
        if (!atomic_load(&r->err))
            err = dj_show(w->context, pool->observers + w->index * pool->count, pool->count, next->how,
                          &next->view);
        if (err)
            fail(r, err, w->context);
    }
    return NULL;
}

static void end_threads(dj_observer_threads *r)
{
    if (r->started > 0)
        dj_queue_close(r->queue);
    for (; r->started > 0; r->started--)
        pthread_join(r->workers[r->started - 1].thread, NULL);
}

static item *item_at(const dj_observer_threads *r, uint64_t number)
{
    return dj_queue_slot(r->queue, number);
}

static void release(dj_observer_threads *r)
{
    end_threads(r);
    for (size_t i = 0; r->workers && i < r->worker_count; i++)
        dj_context_destroy(r->workers[i].context);
    for (size_t i = 0; r->queue && i < r->depth; i++)
        free(item_at(r, i)->lanes);
    for (size_t i = 0; i < r->pool_count; i++)
        dj_observer_pool_destroy(&r->pools[i]);
    free(r->workers);
    dj_queue_destroy(r->queue);
    dj_context_destroy(r->context);
    free(r);
}

// One pool, or one for ordered and one for unordered observers.
static int create_pool(dj_observer_threads *r, dj_context *context, const dj_observer_threads_config *config,
                       enum dj_observer_pool_members members, unsigned threads)
{
    return dj_observer_pool_create(&r->pools[r->pool_count++], context, config->setup, config->observers,
                                   config->observer_count, members, threads);
}

static int create_pools(dj_observer_threads *r, dj_context *context, const dj_observer_threads_config *config)
{
    bool ordered = false, unordered = false;
    for (size_t i = 0; i < config->observer_count; i++)
        *(config->observers[i].ops->unordered ? &unordered : &ordered) = true;
    if (config->threads < 2 || !unordered)
        return create_pool(r, context, config, DJ_OBSERVER_POOL_ALL, 1);
    int err = create_pool(r, context, config, DJ_OBSERVER_POOL_UNORDERED, config->threads);
    if (!err && ordered)
        err = create_pool(r, context, config, DJ_OBSERVER_POOL_ORDERED, 1);
    return err;
}

static bool allocate(dj_observer_threads *r, dj_context *context, size_t lane_count)
{
    for (size_t i = 0; i < r->pool_count; i++)
        r->worker_count += r->pools[i].threads;
    r->depth = DEPTH * r->worker_count;
    r->workers = calloc(r->worker_count, sizeof *r->workers);
    const dj_queue_config config = {
        .capacity = r->depth, .item_bytes = sizeof(item), .groups = (unsigned)r->pool_count};
    bool complete = r->workers && dj_queue_create(context, &config, &r->queue) == DJ_OK;
    for (size_t i = 0; complete && i < r->depth; i++)
        complete = (item_at(r, i)->lanes = calloc(lane_count, sizeof(dj_lane_view))) != NULL;
    return complete;
}

static bool start_threads(dj_observer_threads *r)
{
    size_t n = 0;
    for (size_t pool = 0; pool < r->pool_count; pool++)
        for (size_t index = 0; index < r->pools[pool].threads; index++, n++) {
            worker *w = &r->workers[n];
            *w = (worker){.threads = r, .pool = pool, .index = index};
            if (dj_context_create(&w->context) != DJ_OK || pthread_create(&w->thread, NULL, work, w) != 0)
                return false;
            r->started++;
        }
    return true;
}

int dj_observer_threads_start(dj_context *context, const dj_observer_threads_config *config,
                              dj_observer_threads **out)
{
    dj_observer_threads *r = calloc(1, sizeof *r);
    if (!r)
        return dj_fail_memory(context, "the observers' threads", 0);
    r->last = config->last;
    int err = create_pools(r, context, config);
    if (!err && (dj_context_create(&r->context) != DJ_OK ||
                 !allocate(r, context, config->setup->lane_count) || !start_threads(r)))
        err = dj_fail(context, DJ_ERR_MEMORY, "cannot create the observers' threads");
    if (err)
        release(r);
    else
        *out = r;
    return err;
}

static int observer_error(dj_observer_threads *r, dj_context *context)
{
    int err = atomic_load(&r->err);
    return err ? dj_fail(context, (enum dj_err)err, "%s", dj_context_message(r->context)) : DJ_OK;
}

static void count_done(dj_observer_threads *r)
{
    for (uint64_t done = dj_queue_done(r->queue); r->counted < done; r->counted++)
        r->batches += item_at(r, r->counted)->how == r->last;
}

int dj_observer_threads_submit(dj_observer_threads *r, dj_context *context, enum dj_showing how,
                               const dj_view *view)
{
    item *next = dj_queue_claim(r->queue);
    count_done(r); // before the slot is overwritten
    next->how = how;
    next->view = *view;
    memcpy(next->lanes, view->lanes, view->lane_count * sizeof *next->lanes);
    next->view.lanes = next->lanes;
    dj_queue_commit(r->queue, next);
    return observer_error(r, context);
}

uint64_t dj_observer_threads_done(dj_observer_threads *r)
{
    count_done(r);
    return r->batches;
}

int dj_observer_threads_stop(dj_observer_threads *r, dj_context *context)
{
    if (!r)
        return DJ_OK;
    end_threads(r);
    int err = observer_error(r, context);
    for (size_t i = 0; i < r->pool_count; i++) {
        int merged = dj_observer_pool_merge(&r->pools[i], context);
        err = err ? err : merged;
    }
    release(r);
    return err;
}
