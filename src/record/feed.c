// SPDX-License-Identifier: MIT
#include "record/feed.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "record/alone.h"

// Enough that the program need not wait for every hiccup of the analysis, few
// enough that what is under way stays in the cache.
enum { DEPTH = 6 };

enum { WAIT_MS = 250 }; // for a batch, before an empty one is given

struct dj_feed {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    dj_pool *pool; // of the reading thread
    dj_batch *empty[DEPTH], *full[DEPTH + 2];
    unsigned empty_count, full_count, out; // `out`: given to the program
    uint64_t given;
    atomic_bool *hurry;
    bool closed, abandoned;
};

int dj_feed_create(dj_context *context, atomic_bool *hurry, dj_feed **out)
{
    dj_feed *f = calloc(1, sizeof *f);
    if (!f)
        return dj_fail_memory(context, "the recorder", sizeof *f);
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->changed, &steady);
    pthread_condattr_destroy(&steady);
    f->hurry = hurry;
    int err = dj_pool_create(context, &f->pool);
    if (err)
        dj_feed_destroy(f);
    else
        *out = f;
    return err;
}

void dj_feed_destroy(dj_feed *f)
{
    while (f->empty_count)
        dj_batch_release(f->empty[--f->empty_count]);
    while (f->full_count)
        dj_batch_release(f->full[--f->full_count]);
    dj_pool_destroy(f->pool);
    pthread_cond_destroy(&f->changed);
    pthread_mutex_destroy(&f->mutex);
    free(f);
}

// Under the mutex; false: nothing has come for a while.
static bool wait_for_batch(dj_feed *f)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += WAIT_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (!f->full_count && !f->closed && !f->abandoned)
        if (pthread_cond_timedwait(&f->changed, &f->mutex, &until) == ETIMEDOUT)
            return f->full_count || f->closed || f->abandoned;
    return true;
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    (void)pool;
    dj_feed *f = state;
    int err = DJ_OK;
    *out = NULL;
    pthread_mutex_lock(&f->mutex);
    while (!err && f->empty_count + f->full_count + f->out < DEPTH) {
        err = dj_pool_take(context, f->pool, &f->empty[f->empty_count]);
        f->empty_count += !err;
    }
    pthread_cond_broadcast(&f->changed);
    bool idle = !err && !wait_for_batch(f);
    if (idle) {
        atomic_store_explicit(f->hurry, f->out > 0, memory_order_relaxed);
        err = dj_pool_take(context, f->pool, out);
    } else if (f->full_count) {
        *out = f->full[0];
        f->given++;
        f->full_count--;
        for (unsigned i = 0; i < f->full_count; i++)
            f->full[i] = f->full[i + 1];
    }
    pthread_mutex_unlock(&f->mutex);
    if (idle)
        dj_alone_check();
    if (idle && !err)
        dj_batch_set_columns(*out, DJ_COLUMN_SITE | DJ_COLUMN_KIND);
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

// Under the mutex.
static void hand_over(dj_feed *f, dj_batch *batch)
{
    if (!batch)
        return;
    f->full[f->full_count++] = batch;
    f->out--;
    atomic_store_explicit(f->hurry, false, memory_order_relaxed);
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
    pthread_mutex_lock(&f->mutex);
    hand_over(f, full);
    pthread_cond_broadcast(&f->changed);
    while (!f->empty_count && !f->abandoned)
        pthread_cond_wait(&f->changed, &f->mutex);
    if (f->empty_count) {
        batch = f->empty[--f->empty_count];
        f->out++;
    }
    pthread_mutex_unlock(&f->mutex);
    pthread_setcancelstate(cancel, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return batch;
}

void dj_feed_close(dj_feed *f, dj_batch *last)
{
    pthread_mutex_lock(&f->mutex);
    hand_over(f, last);
    f->closed = true;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->mutex);
}

uint64_t dj_feed_given(dj_feed *f)
{
    pthread_mutex_lock(&f->mutex);
    uint64_t given = f->given;
    pthread_mutex_unlock(&f->mutex);
    return given;
}

void dj_feed_abandon(dj_feed *f)
{
    pthread_mutex_lock(&f->mutex);
    f->abandoned = true;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->mutex);
}
