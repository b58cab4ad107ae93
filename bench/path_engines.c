// SPDX-License-Identifier: MIT
// Engines that find no distances: what the way to an engine costs. One gives work
// back at once; one has threads that copy the keys, as for a device, and gives work back then.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench/path.h"

// Work under way, at most, and how much is to wait before a thread is woken for it; where copies go, in keys.
enum { QUEUE = 64, RING = 2 * QUEUE, SOME = 8, ROOM = 1 << 20 };

typedef struct copier {
    pthread_t thread;
    struct path *path;
    uint64_t *room;
    size_t used;
} copier;

typedef struct path {
    pthread_mutex_t mutex;
    pthread_cond_t more, less;
    dj_work *works[RING]; // also those that are copied and not pulled
    bool copied[RING];
    uint64_t pushed, taken, done, pulled; // in this order; `done`: all before it
    uint64_t accesses;
    bool ending;
    unsigned started;
    copier copiers[BENCH_COPIERS];
} path;

static void copy(copier *c, const dj_work *work)
{
    if (c->used + work->count > ROOM)
        c->used = 0;
    memcpy(c->room + c->used, work->key, work->count * sizeof *work->key);
    c->used += work->count;
}

static void *run(void *argument)
{
    copier *c = argument;
    path *p = c->path;
    pthread_mutex_lock(&p->mutex);
    for (;;) {
        if (p->taken == p->pushed && p->ending)
            break;
        if (p->taken == p->pushed) {
            pthread_cond_wait(&p->more, &p->mutex);
            continue;
        }
        uint64_t at = p->taken++;
        pthread_mutex_unlock(&p->mutex);
        copy(c, p->works[at % RING]);
        pthread_mutex_lock(&p->mutex);
        p->copied[at % RING] = true;
        for (; p->done < p->taken && p->copied[p->done % RING]; p->done++)
            p->copied[p->done % RING] = false;
        if (p->pushed - p->done <= QUEUE / 2)
            pthread_cond_signal(&p->less);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

static void destroy(void *state)
{
    path *p = state;
    pthread_mutex_lock(&p->mutex);
    p->ending = true;
    pthread_cond_broadcast(&p->more);
    pthread_mutex_unlock(&p->mutex);
    for (unsigned i = 0; i < p->started; i++)
        pthread_join(p->copiers[i].thread, NULL);
    for (unsigned i = 0; i < BENCH_COPIERS; i++)
        free(p->copiers[i].room);
    pthread_cond_destroy(&p->less);
    pthread_cond_destroy(&p->more);
    pthread_mutex_destroy(&p->mutex);
    free(p);
}

static int create(dj_context *context, const dj_engine_params *params, void **state)
{
    (void)params;
    path *p = calloc(1, sizeof *p);
    if (!p)
        return dj_fail_memory(context, "an engine", 0);
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->more, NULL);
    pthread_cond_init(&p->less, NULL);
    *state = p;
    return DJ_OK;
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
        c->room = calloc(ROOM, sizeof *c->room);
        if (!c->room || pthread_create(&c->thread, NULL, run, c) != 0)
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
    pthread_mutex_lock(&p->mutex);
    while (p->started > 0 && p->pushed - p->done == QUEUE)
        pthread_cond_wait(&p->less, &p->mutex);
    p->works[p->pushed++ % RING] = work;
    p->accesses += work->count;
    if (p->started == 0)
        p->done = p->taken = p->pushed;
    else if (p->pushed - p->taken >= SOME)
        pthread_cond_signal(&p->more);
    pthread_mutex_unlock(&p->mutex);
    return DJ_OK;
}

static int pull(void *state, dj_context *context, dj_work **out)
{
    (void)context;
    path *p = state;
    pthread_mutex_lock(&p->mutex);
    *out = p->pulled < p->done ? p->works[p->pulled++ % RING] : NULL;
    pthread_mutex_unlock(&p->mutex);
    return DJ_OK;
}

static int drain(void *state, dj_context *context)
{
    (void)context;
    path *p = state;
    pthread_mutex_lock(&p->mutex);
    pthread_cond_broadcast(&p->more);
    while (p->done < p->pushed)
        pthread_cond_wait(&p->less, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
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
