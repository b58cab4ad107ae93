// SPDX-License-Identifier: MIT
#include "annotations/feed.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "annotations/alone.h"
#include "base/queue.h"

// Enough that the program need not wait for every hiccup of the analysis, few
// enough that what is under way stays in the cache.
enum { DEPTH = 6 };

enum { WAIT_MS = 250 }; // for a batch, before an empty one is given

// Batches go round: empty ones to the program, full ones back.
struct dj_feed {
    dj_pool *pool;          // of the reading thread
    dj_queue *empty, *full; // with room for all, so that who puts never waits
    unsigned under_way;     // the reading thread's: made, and not come back
    _Atomic uint64_t given;
    atomic_bool *hurry;
};

int dj_feed_create(dj_context *context, atomic_bool *hurry, dj_feed **out)
{
    static const dj_queue_config depth = {.capacity = DEPTH, .item_bytes = sizeof(dj_batch *)};
    dj_feed *f = calloc(1, sizeof *f);
    if (!f)
        return dj_fail_memory(context, "the recorder", sizeof *f);
    f->hurry = hurry;
    int err = dj_queue_create(context, &depth, &f->empty);
    if (!err)
        err = dj_queue_create(context, &depth, &f->full);
    if (!err)
        err = dj_pool_create(context, &f->pool);
    if (err)
        dj_feed_destroy(f);
    else
        *out = f;
    return err;
}

static void destroy_queue(dj_queue *queue)
{
    dj_batch *left;
    while (queue && dj_queue_get(queue, DJ_QUEUE_TRY, &left) == DJ_QUEUED_ITEM)
        dj_batch_release(left);
    dj_queue_destroy(queue);
}

void dj_feed_destroy(dj_feed *f)
{
    destroy_queue(f->empty);
    destroy_queue(f->full);
    dj_pool_destroy(f->pool);
    free(f);
}

static int offer_empty(dj_feed *f, dj_context *context)
{
    int err = DJ_OK;
    while (!err && f->under_way < DEPTH) {
        dj_batch *batch;
        err = dj_pool_take(context, f->pool, &batch);
        if (!err && !dj_queue_put(f->empty, &batch))
            dj_batch_release(batch); // nobody wants it
        f->under_way += !err;
    }
    return err;
}

// Nothing has come for a while: the program is asked for what it has. What it hands over meanwhile counts
// as an answer, whichever of the two comes first.
static void ask_for_more(const dj_feed *f)
{
    size_t waiting = dj_queue_waiting(f->empty);
    atomic_store(f->hurry, f->under_way > waiting);
    if (dj_queue_waiting(f->full) > 0)
        atomic_store(f->hurry, false);
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    (void)pool;
    dj_feed *f = state;
    *out = NULL;
    int err = offer_empty(f, context);
    if (err)
        return err;
    enum dj_queued got = dj_queue_get(f->full, WAIT_MS, out);
    if (got == DJ_QUEUED_ITEM) {
        atomic_fetch_add(&f->given, 1);
        f->under_way--;
    } else if (got == DJ_QUEUED_NOTHING) {
        ask_for_more(f);
        err = dj_pool_take(context, f->pool, out);
        dj_alone_check();
        if (!err)
            dj_batch_set_columns(*out, DJ_COLUMN_SITE | DJ_COLUMN_KIND);
    }
    return err;
}

static const char *name(const void *state)
{
    (void)state;
    return "the recorded accesses";
}

int dj_feed_source(dj_feed *f, dj_context *context, dj_source **out)
{
    static const dj_source_ops ops = {.next = next, .name = name};
    static const dj_source_info info = {.format = "annotations",
                                        .kind = DJ_CLASS_KEYS,
                                        .default_block = 1,
                                        .columns = DJ_COLUMN_SITE | DJ_COLUMN_KIND};
    return dj_source_create(context, &ops, f, &info, out);
}

static void hand_over(dj_feed *f, dj_batch *batch)
{
    if (!batch)
        return;
    (void)dj_queue_put(f->full, &batch); // it is open, and there is room
    atomic_store(f->hurry, false);
}

// A thread that is cancelled while it waits would take the lock of the recorder
// with it; handlers could call more often than there is room to put off.
dj_batch *dj_feed_swap(dj_feed *f, dj_batch *full)
{
    int cancel;
    sigset_t all, old;
    dj_batch *batch = NULL;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    hand_over(f, full);
    (void)dj_queue_get(f->empty, DJ_QUEUE_FOREVER, &batch);
    pthread_setcancelstate(cancel, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return batch;
}

void dj_feed_close(dj_feed *f, dj_batch *last)
{
    hand_over(f, last);
    dj_queue_close(f->full);
}

uint64_t dj_feed_given(dj_feed *f)
{
    return atomic_load(&f->given);
}

void dj_feed_abandon(dj_feed *f)
{
    dj_queue_close(f->empty);
}
