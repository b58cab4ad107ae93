// SPDX-License-Identifier: MIT
#include "record/feed.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

// Enough that the program need not wait for every hiccup of the analysis, few
// enough that what is under way stays in the cache.
enum { DEPTH = 6 };

struct dj_feed {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    dj_pool *pool; // of the reading thread
    dj_batch *empty[DEPTH], *full[DEPTH + 2];
    unsigned empty_count, full_count, out; // `out`: given to the program
    bool closed, abandoned;
};

int dj_feed_create(dj_context *context, dj_feed **out)
{
    dj_feed *f = calloc(1, sizeof *f);
    if (!f)
        return dj_fail_memory(context, "the recorder", sizeof *f);
    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->changed, NULL);
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
    while (!err && !f->full_count && !f->closed && !f->abandoned)
        pthread_cond_wait(&f->changed, &f->mutex);
    if (f->full_count) {
        *out = f->full[0];
        f->full_count--;
        for (unsigned i = 0; i < f->full_count; i++)
            f->full[i] = f->full[i + 1];
    }
    pthread_mutex_unlock(&f->mutex);
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

void dj_feed_abandon(dj_feed *f)
{
    pthread_mutex_lock(&f->mutex);
    f->abandoned = true;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->mutex);
}
