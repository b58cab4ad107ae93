// SPDX-License-Identifier: MIT
#include "pipeline/relay.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Views under way for each thread: enough that neither side waits for the
// other's hiccups, few enough that the columns stay in the cache.
enum { DEPTH = 6, CREWS_MOST = 2 };

typedef struct item {
    enum dj_showing how;
    dj_view view;
    dj_lane_view *lanes;
    size_t left; // crews that have not seen it
} item;

typedef struct worker {
    dj_relay *relay;
    size_t crew, place; // which crew, which thread of it
    pthread_t thread;
    dj_context *context;
} worker;

struct dj_relay {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    dj_crew crews[CREWS_MOST];
    uint64_t taken[CREWS_MOST]; // views that a crew has begun with
    size_t crew_count;
    worker *workers;
    size_t worker_count, started;
    item *items; // a ring
    size_t depth;
    uint64_t put, done; // `done`: this one and all before it
    enum dj_showing last;
    uint64_t batches; // done with
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

static void note_done(dj_relay *r)
{
    while (r->done < r->put && r->items[r->done % r->depth].left == 0)
        r->batches += r->items[r->done++ % r->depth].how == r->last;
}

static void *work(void *argument)
{
    const worker *w = argument;
    dj_relay *r = w->relay;
    const dj_crew *crew = &r->crews[w->crew];
    uint64_t *taken = &r->taken[w->crew];
    pthread_mutex_lock(&r->mutex);
    for (;;) {
        while (*taken == r->put && !r->closing)
            pthread_cond_wait(&r->changed, &r->mutex);
        if (*taken == r->put)
            break;
        item *next = &r->items[(*taken)++ % r->depth];
        int err = r->err;
        pthread_mutex_unlock(&r->mutex);
        if (!err)
            err = dj_show(w->context, crew->observers + w->place * crew->count, crew->count, next->how,
                          &next->view);
        pthread_mutex_lock(&r->mutex);
        if (err && !r->err)
            r->err = dj_fail(r->context, (enum dj_err)err, "%s", dj_context_message(w->context));
        next->left--;
        note_done(r);
        pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->mutex);
    return NULL;
}

static void end_threads(dj_relay *r)
{
    pthread_mutex_lock(&r->mutex);
    r->closing = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    for (; r->started > 0; r->started--)
        pthread_join(r->workers[r->started - 1].thread, NULL);
}

static void release(dj_relay *r)
{
    end_threads(r);
    for (size_t i = 0; r->workers && i < r->worker_count; i++)
        dj_context_destroy(r->workers[i].context);
    for (size_t i = 0; r->items && i < r->depth; i++)
        free(r->items[i].lanes);
    for (size_t i = 0; i < r->crew_count; i++)
        dj_crew_destroy(&r->crews[i]);
    free(r->workers);
    free(r->items);
    dj_context_destroy(r->context);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->mutex);
    free(r);
}

// One crew, or one for those that want the order and one for the others.
static int create_crew(dj_relay *r, dj_context *context, const dj_relay_config *config, enum dj_crew_who who,
                       unsigned threads)
{
    return dj_crew_create(&r->crews[r->crew_count++], context, config->setup, config->observers,
                          config->observer_count, who, threads);
}

static int create_crews(dj_relay *r, dj_context *context, const dj_relay_config *config)
{
    bool ordered = false, unordered = false;
    for (size_t i = 0; i < config->observer_count; i++)
        *(config->observers[i].ops->unordered ? &unordered : &ordered) = true;
    if (config->threads < 2 || !unordered)
        return create_crew(r, context, config, DJ_CREW_ALL, 1);
    int err = create_crew(r, context, config, DJ_CREW_UNORDERED, config->threads);
    if (!err && ordered)
        err = create_crew(r, context, config, DJ_CREW_ORDERED, 1);
    return err;
}

static bool make_room(dj_relay *r, size_t lane_count)
{
    for (size_t i = 0; i < r->crew_count; i++)
        r->worker_count += r->crews[i].threads;
    r->depth = DEPTH * r->worker_count;
    r->workers = calloc(r->worker_count, sizeof *r->workers);
    r->items = calloc(r->depth, sizeof *r->items);
    bool complete = r->workers && r->items;
    for (size_t i = 0; complete && i < r->depth; i++)
        complete = (r->items[i].lanes = calloc(lane_count, sizeof *r->items[i].lanes)) != NULL;
    return complete;
}

static bool start_threads(dj_relay *r)
{
    size_t n = 0;
    for (size_t crew = 0; crew < r->crew_count; crew++)
        for (size_t place = 0; place < r->crews[crew].threads; place++, n++) {
            worker *w = &r->workers[n];
            *w = (worker){.relay = r, .crew = crew, .place = place};
            if (dj_context_create(&w->context) != DJ_OK || pthread_create(&w->thread, NULL, work, w) != 0)
                return false;
            r->started++;
        }
    return true;
}

int dj_relay_start(dj_context *context, const dj_relay_config *config, dj_relay **out)
{
    dj_relay *r = calloc(1, sizeof *r);
    if (!r)
        return dj_fail_memory(context, "the observers' threads", 0);
    r->last = config->last;
    pthread_mutex_init(&r->mutex, NULL);
    pthread_cond_init(&r->changed, NULL);
    int err = create_crews(r, context, config);
    if (!err && (dj_context_create(&r->context) != DJ_OK || !make_room(r, config->setup->lane_count) ||
                 !start_threads(r)))
        err = dj_fail(context, DJ_ERR_MEMORY, "the system has no thread for the observers");
    if (err)
        release(r);
    else
        *out = r;
    return err;
}

static int told(dj_relay *r, dj_context *context)
{
    return r->err ? dj_fail(context, (enum dj_err)r->err, "%s", dj_context_message(r->context)) : DJ_OK;
}

int dj_relay_put(dj_relay *r, dj_context *context, enum dj_showing how, const dj_view *view)
{
    pthread_mutex_lock(&r->mutex);
    while (r->put - r->done == r->depth)
        pthread_cond_wait(&r->changed, &r->mutex);
    item *next = &r->items[r->put % r->depth];
    next->how = how;
    next->view = *view;
    next->left = r->crew_count;
    memcpy(next->lanes, view->lanes, view->lane_count * sizeof *next->lanes);
    next->view.lanes = next->lanes;
    r->put++;
    int err = told(r, context);
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    return err;
}

uint64_t dj_relay_done(dj_relay *r)
{
    pthread_mutex_lock(&r->mutex);
    uint64_t batches = r->batches;
    pthread_mutex_unlock(&r->mutex);
    return batches;
}

int dj_relay_stop(dj_relay *r, dj_context *context)
{
    if (!r)
        return DJ_OK;
    end_threads(r);
    int err = told(r, context);
    for (size_t i = 0; i < r->crew_count; i++) {
        int merged = dj_crew_merge(&r->crews[i], context);
        err = err ? err : merged;
    }
    release(r);
    return err;
}
