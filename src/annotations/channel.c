// SPDX-License-Identifier: MIT
#include "annotations/channel.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "annotations/last_thread.h"
#include "base/queue.h"
#include "base/tracers.h"

// Enough that the program need not wait for every hiccup of the analysis, few enough that the batches in
// flight stay in the cache.
enum { DEPTH = 6 };

enum { WAIT_MS = 250 }; // for a batch, before returning an empty one

// Batches circulate: empty ones to the program, full ones back.
struct dj_channel {
    dj_pool *pool;          // of the reading thread
    dj_queue *empty, *full; // with space for all batches, so that putting never waits
    unsigned in_flight;     // batches that the reading thread has created and not received back
    _Atomic uint64_t given;
    atomic_bool *flush_requested;
    const char *fault; // why the program stopped too early; NULL: it did not
};

int dj_channel_create(dj_context *context, atomic_bool *flush_requested, dj_channel **out)
{
    static const dj_queue_config depth = {.capacity = DEPTH, .item_bytes = sizeof(dj_batch *)};
    dj_channel *c = calloc(1, sizeof *c);
    if (!c)
        return dj_fail_memory(context, "the recorder", sizeof *c);
    c->flush_requested = flush_requested;
    int err = dj_queue_create(context, &depth, &c->empty);
    if (!err)
        err = dj_queue_create(context, &depth, &c->full);
    if (!err)
        err = dj_pool_create(context, &c->pool);
    if (err)
        dj_channel_destroy(c);
    else
        *out = c;
    return err;
}

static void destroy_queue(dj_queue *queue)
{
    dj_batch *left;
    while (queue && dj_queue_get(queue, DJ_QUEUE_TRY, &left) == DJ_QUEUED_ITEM)
        dj_batch_release(left);
    dj_queue_destroy(queue);
}

void dj_channel_destroy(dj_channel *c)
{
    destroy_queue(c->empty);
    destroy_queue(c->full);
    dj_pool_destroy(c->pool);
    free(c);
}

static int offer_empty(dj_channel *c, dj_context *context)
{
    int err = DJ_OK;
    while (!err && c->in_flight < DEPTH) {
        dj_batch *batch;
        err = dj_pool_take(context, c->pool, &batch);
        if (!err && !dj_queue_put(c->empty, &batch))
            dj_batch_release(batch); // nobody needs it
        c->in_flight += !err;
    }
    return err;
}

// After a while without data: asks the program for its current batch. If the program hands one over
// meanwhile, that counts as the answer.
static void ask_for_more(const dj_channel *c)
{
    size_t waiting = dj_queue_waiting(c->empty);
    atomic_store(c->flush_requested, c->in_flight > waiting);
    if (dj_queue_waiting(c->full) > 0)
        atomic_store(c->flush_requested, false);
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    (void)pool;
    dj_channel *c = state;
    *out = NULL;
    int err = offer_empty(c, context);
    if (err)
        return err;
    enum dj_queued got = dj_queue_get(c->full, WAIT_MS, out);
    if (got == DJ_QUEUED_ITEM) {
        atomic_fetch_add(&c->given, 1);
        c->in_flight--;
    } else if (got == DJ_QUEUED_NOTHING) {
        ask_for_more(c);
        err = dj_pool_take(context, c->pool, out);
        dj_last_thread_check();
        if (!err)
            dj_batch_set_columns(*out, DJ_COLUMN_SITE | DJ_COLUMN_KIND);
    } else if (c->fault) {
        err = dj_fail(context, DJ_ERR_INPUT, "the program was not recorded to its end: %s", c->fault);
    }
    return err;
}

static const char *name(const void *state)
{
    (void)state;
    return "the recorded accesses";
}

int dj_channel_source(dj_channel *c, dj_context *context, dj_source **out)
{
    static const dj_source_ops ops = {.next = next, .name = name};
    return dj_source_create(context, &ops, c, &dj_tracer_elements, out);
}

static void hand_over(dj_channel *c, dj_batch *batch)
{
    if (!batch)
        return;
    (void)dj_queue_put(c->full, &batch); // it is open and has space
    atomic_store(c->flush_requested, false);
}

// If a waiting thread were cancelled, it would keep the lock of the recorder; signal handlers could make more
// calls than can be deferred.
dj_batch *dj_channel_swap(dj_channel *c, dj_batch *full)
{
    int cancel;
    sigset_t all, old;
    dj_batch *batch = NULL;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    hand_over(c, full);
    (void)dj_queue_get(c->empty, DJ_QUEUE_FOREVER, &batch);
    pthread_setcancelstate(cancel, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return batch;
}

void dj_channel_close(dj_channel *c, dj_batch *last, const char *fault)
{
    hand_over(c, last);
    c->fault = fault;
    dj_queue_close(c->full);
}

uint64_t dj_channel_given(dj_channel *c)
{
    return atomic_load(&c->given);
}

void dj_channel_abandon(dj_channel *c)
{
    dj_queue_close(c->empty);
}
