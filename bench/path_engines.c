// SPDX-License-Identifier: MIT
// Engines that compute no distances, to measure the path to an engine. One returns work at once; the other
// has threads that copy the keys, as for a device, and returns work after that.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/queue.h"
#include "bench/path.h"
#include "engine/work.h"

// The maximum of work in flight; how much must wait before a thread is woken; the size of the copy buffer in
// keys.
enum { QUEUE = 64, SOME = 8, BUFFER_KEYS = 1 << 20 };

typedef struct copier {
    pthread_t thread;
    struct path *path;
    uint64_t *buffer;
    size_t used;
} copier;

typedef struct path {
    dj_queue *queue;     // to the copiers
    dj_work_queue works; // not pulled yet, including those being copied
    uint64_t pushed, pulled;
    uint64_t accesses;
    unsigned started;
    copier copiers[BENCH_COPIERS];
} path;

static void copy(copier *c, const dj_work *work)
{
    if (c->used + work->count > BUFFER_KEYS)
        c->used = 0;
    memcpy(c->buffer + c->used, work->key, work->count * sizeof *work->key);
    c->used += work->count;
}

static void *run(void *argument)
{
    copier *c = argument;
    void *slot = NULL;
    while (dj_queue_next(c->path->queue, 0, &slot))
        copy(c, *(dj_work *const *)slot);
    return NULL;
}

static void destroy(void *state)
{
    path *p = state;
    dj_queue_close(p->queue);
    for (unsigned i = 0; i < p->started; i++)
        pthread_join(p->copiers[i].thread, NULL);
    for (unsigned i = 0; i < BENCH_COPIERS; i++)
        free(p->copiers[i].buffer);
    dj_queue_destroy(p->queue);
    free(p);
}

static int create(dj_context *context, const dj_engine_params *params, void **state)
{
    (void)params;
    static const dj_queue_config config = {
        .capacity = QUEUE, .item_bytes = sizeof(dj_work *), .wake_items = SOME, .wake_slots = QUEUE / 2};
    path *p = calloc(1, sizeof *p);
    if (!p)
        return dj_fail_memory(context, "an engine", 0);
    int err = dj_queue_create(context, &config, &p->queue);
    if (err)
        free(p);
    else
        *state = p;
    return err;
}

static int create_copiers(dj_context *context, const dj_engine_params *params, void **state)
{
    int err = create(context, params, state);
    if (err)
        return err;
    path *p = *state;
    for (unsigned i = 0; !err && i < BENCH_COPIERS; i++) {
        copier *c = &p->copiers[i];
        c->path = p;
        c->buffer = calloc(BUFFER_KEYS, sizeof *c->buffer);
        if (!c->buffer || pthread_create(&c->thread, NULL, run, c) != 0)
            err = dj_fail_memory(context, "the threads of an engine", 0);
        p->started += !err;
    }
    if (err)
        destroy(p);
    return err;
}

static int push(void *state, dj_context *context, dj_work *work)
{
    (void)context;
    path *p = state;
    dj_work_queue_put(&p->works, work);
    p->pushed++;
    p->accesses += work->count;
    if (p->started > 0)
        (void)dj_queue_put(p->queue, &work); // cannot fail: the queue is open
    return DJ_OK;
}

static int pull(void *state, dj_context *context, dj_work **out)
{
    (void)context;
    path *p = state;
    uint64_t done = p->started > 0 ? dj_queue_done(p->queue) : p->pushed;
    *out = p->pulled < done ? dj_work_queue_take(&p->works) : NULL;
    p->pulled += *out != NULL;
    return DJ_OK;
}

static int drain(void *state, dj_context *context)
{
    (void)context;
    path *p = state;
    if (p->started > 0)
        dj_queue_wait_done(p->queue);
    return DJ_OK;
}

static int totals(void *state, dj_context *context, dj_histogram *into, uint64_t *cold)
{
    (void)context;
    (void)into;
    *cold += ((const path *)state)->accesses;
    return DJ_OK;
}

static void stats(const void *state, dj_engine_stats *out)
{
    (void)state;
    *out = (dj_engine_stats){0};
}

#define PATH_ENGINE(symbol, title, make)                                                                     \
    const dj_engine_ops symbol = {.name = title,                                                             \
                                  .can = DJ_CAN_TOTALS,                                                      \
                                  .folds = true,                                                             \
                                  .create = make,                                                            \
                                  .destroy = destroy,                                                        \
                                  .push = push,                                                              \
                                  .pull = pull,                                                              \
                                  .drain = drain,                                                            \
                                  .totals = totals,                                                          \
                                  .stats = stats}

PATH_ENGINE(bench_engine_nothing, "nothing", create);
PATH_ENGINE(bench_engine_copy, "copy", create_copiers);
