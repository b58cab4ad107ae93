// SPDX-License-Identifier: MIT
#include "trace/ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

// Few enough that the columns under way stay in the cache.
enum { DEPTH = 4, LOOK_AROUND_NS = 50000000 };

typedef struct item {
    dj_batch *batch;
    const char *name;
    dj_progress progress;
} item;

typedef struct ahead {
    dj_source *inner;
    dj_context *context; // of the thread
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    item items[DEPTH]; // a ring
    uint64_t put, taken;
    bool closing, ended;
    int err;      // at the end, with its message in the context
    item current; // what was taken last
} ahead;

// True when there is room for one more batch; false when nobody wants it.
static bool wait_for_room(ahead *a)
{
    pthread_mutex_lock(&a->mutex);
    while (a->put - a->taken == DEPTH && !a->closing)
        pthread_cond_wait(&a->changed, &a->mutex);
    bool wanted = !a->closing;
    pthread_mutex_unlock(&a->mutex);
    return wanted;
}

static void *work(void *argument)
{
    ahead *a = argument;
    int err = DJ_OK;
    item next = {0};
    do {
        next.batch = NULL;
        if (!wait_for_room(a))
            break;
        err = dj_source_next(a->inner, a->context, &next.batch);
        next.name = dj_source_name(a->inner);
        dj_source_progress(a->inner, &next.progress);
        pthread_mutex_lock(&a->mutex);
        if (next.batch)
            a->items[a->put++ % DEPTH] = next;
        pthread_cond_signal(&a->changed);
        pthread_mutex_unlock(&a->mutex);
    } while (!err && next.batch);
    pthread_mutex_lock(&a->mutex);
    a->err = err;
    a->ended = true;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->mutex);
    return NULL;
}

// Waits for the thread, but not past a request to stop, which it does not see itself.
static void wait_for_batch(ahead *a, const dj_context *context)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_AROUND_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&a->changed, &a->mutex, &until);
    if (dj_context_stopped(context))
        dj_context_stop(a->context);
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    (void)pool;
    ahead *a = state;
    int err = DJ_OK;
    *out = NULL;
    pthread_mutex_lock(&a->mutex);
    while (a->put == a->taken && !a->ended)
        wait_for_batch(a, context);
    if (a->put != a->taken) {
        a->current = a->items[a->taken++ % DEPTH];
        *out = a->current.batch;
    } else if (a->err) {
        err = dj_fail(context, (enum dj_err)a->err, "%s", dj_context_message(a->context));
    }
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->mutex);
    return err;
}

static void progress(const void *state, dj_progress *out)
{
    *out = ((const ahead *)state)->current.progress;
}

static const char *name(const void *state)
{
    const ahead *a = state;
    return a->current.name ? a->current.name : dj_source_get_info(a->inner)->format;
}

static void destroy(ahead *a)
{
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->mutex);
    dj_context_destroy(a->context);
    free(a);
}

static void close_ahead(void *state)
{
    ahead *a = state;
    dj_context_stop(a->context);
    pthread_mutex_lock(&a->mutex);
    a->closing = true;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->mutex);
    pthread_join(a->thread, NULL);
    for (; a->taken != a->put; a->taken++)
        dj_batch_release(a->items[a->taken % DEPTH].batch);
    destroy(a);
}

int dj_ahead_source(dj_context *context, dj_source *inner, dj_source **out)
{
    static const dj_source_ops ops = {.next = next, .progress = progress, .close = close_ahead, .name = name};
    ahead *a = calloc(1, sizeof *a);
    if (!a)
        return dj_fail_memory(context, "a source", sizeof *a);
    a->inner = inner;
    pthread_mutex_init(&a->mutex, NULL);
    pthread_cond_init(&a->changed, NULL);
    int err = dj_context_create(&a->context);
    if (err) {
        destroy(a);
        return dj_fail_memory(context, "a source", 0);
    }
    if (pthread_create(&a->thread, NULL, work, a) != 0) {
        destroy(a);
        return dj_fail(context, DJ_ERR_MEMORY, "no further thread can be made");
    }
    err = dj_source_create(context, &ops, a, dj_source_get_info(inner), out);
    if (err)
        close_ahead(a);
    return err;
}
