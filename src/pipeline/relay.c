// SPDX-License-Identifier: MIT
#include "pipeline/relay.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Enough that neither side waits for the other's hiccups, few enough that the
// columns under way stay in the cache.
enum { DEPTH = 6 };

typedef struct item {
    enum dj_showing how;
    dj_view view;
    dj_lane_view *lanes;
} item;

struct dj_relay {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    const dj_watcher *observers;
    size_t observer_count;
    item items[DEPTH]; // a ring
    uint64_t put, done, seen;
    bool closing;
    int err;             // of an observer; nothing is shown after it
    dj_context *context; // with its message
};

int dj_show(dj_context *context, const dj_watcher *observers, size_t count, enum dj_showing how,
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

static void *work(void *argument)
{
    dj_relay *r = argument;
    pthread_mutex_lock(&r->mutex);
    for (;;) {
        while (r->put == r->done && !r->closing)
            pthread_cond_wait(&r->changed, &r->mutex);
        if (r->put == r->done)
            break;
        const item *next = &r->items[r->done % DEPTH];
        int err = r->err;
        pthread_mutex_unlock(&r->mutex);
        if (!err)
            err = dj_show(r->context, r->observers, r->observer_count, next->how, &next->view);
        pthread_mutex_lock(&r->mutex);
        r->err = err;
        r->seen += next->how == DJ_SHOW_SEE;
        r->done++;
        pthread_cond_signal(&r->changed);
    }
    pthread_mutex_unlock(&r->mutex);
    return NULL;
}

static void release(dj_relay *r)
{
    for (int i = 0; i < DEPTH; i++)
        free(r->items[i].lanes);
    dj_context_destroy(r->context);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->mutex);
    free(r);
}

int dj_relay_start(dj_context *context, const dj_watcher *observers, size_t observer_count,
                   uint32_t lane_count, dj_relay **out)
{
    dj_relay *r = calloc(1, sizeof *r);
    if (!r)
        return dj_fail_memory(context, "the observers' thread", 0);
    pthread_mutex_init(&r->mutex, NULL);
    pthread_cond_init(&r->changed, NULL);
    r->observers = observers;
    r->observer_count = observer_count;
    bool complete = dj_context_create(&r->context) == DJ_OK;
    for (int i = 0; i < DEPTH; i++) {
        r->items[i].lanes = calloc(lane_count, sizeof *r->items[i].lanes);
        complete = complete && r->items[i].lanes;
    }
    if (!complete || pthread_create(&r->thread, NULL, work, r) != 0) {
        release(r);
        return dj_fail(context, DJ_ERR_MEMORY, "the system has no thread for the observers");
    }
    *out = r;
    return DJ_OK;
}

static int told(dj_relay *r, dj_context *context)
{
    return r->err ? dj_fail(context, (enum dj_err)r->err, "%s", dj_context_message(r->context)) : DJ_OK;
}

int dj_relay_put(dj_relay *r, dj_context *context, enum dj_showing how, const dj_view *view)
{
    pthread_mutex_lock(&r->mutex);
    while (r->put - r->done == DEPTH)
        pthread_cond_wait(&r->changed, &r->mutex);
    item *next = &r->items[r->put % DEPTH];
    next->how = how;
    next->view = *view;
    memcpy(next->lanes, view->lanes, view->lane_count * sizeof *next->lanes);
    next->view.lanes = next->lanes;
    r->put++;
    int err = told(r, context);
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    return err;
}

uint64_t dj_relay_seen(dj_relay *r)
{
    pthread_mutex_lock(&r->mutex);
    uint64_t seen = r->seen;
    pthread_mutex_unlock(&r->mutex);
    return seen;
}

int dj_relay_stop(dj_relay *r, dj_context *context)
{
    if (!r)
        return DJ_OK;
    pthread_mutex_lock(&r->mutex);
    r->closing = true;
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    pthread_join(r->thread, NULL);
    int err = told(r, context);
    release(r);
    return err;
}
