// SPDX-License-Identifier: MIT
#include "trace/source/read_ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/queue.h"

// Few enough that the columns of the batches in flight stay in the cache.
enum { DEPTH = 4, LOOK_AROUND_MS = 50 };

typedef struct item {
    dj_batch *batch; // NULL: the end
    const char *name;
    dj_progress progress;
    int err; // at the end, with its message in the thread's context
} item;

typedef struct read_ahead {
    dj_source *inner;
    dj_context *context; // of the thread
    pthread_t thread;
    dj_queue *queue;
    item current; // taken last
    int err;      // that came with it
} read_ahead;

// Claims a slot before reading: otherwise one more batch would be in flight, waiting for a slot.
static void *work(void *argument)
{
    read_ahead *a = argument;
    bool more = true;
    item *next;
    while (more && (next = dj_queue_claim(a->queue)) != NULL) {
        *next = (item){0};
        next->err = dj_source_next(a->inner, a->context, &next->batch);
        next->name = dj_source_name(a->inner);
        dj_source_progress(a->inner, &next->progress);
        more = !next->err && next->batch;
        dj_queue_commit(a->queue, next);
    }
    return NULL;
}

// Waits for the thread, but not past a request to stop, which the thread does not see.
static void wait_for_item(read_ahead *a, const dj_context *context, item *got)
{
    while (dj_queue_get(a->queue, LOOK_AROUND_MS, got) != DJ_QUEUED_ITEM)
        if (dj_context_stopped(context))
            dj_context_stop(a->context);
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    (void)pool;
    read_ahead *a = state;
    item got = {.err = a->err};
    *out = NULL;
    if (!a->err)
        wait_for_item(a, context, &got);
    if (!got.batch)
        return got.err ? dj_fail(context, (enum dj_err)got.err, "%s", dj_context_message(a->context)) : DJ_OK;
    a->current = got;
    a->err = got.err;
    *out = got.batch;
    return DJ_OK;
}

static void progress(const void *state, dj_progress *out)
{
    *out = ((const read_ahead *)state)->current.progress;
}

static const char *name(const void *state)
{
    const read_ahead *a = state;
    return a->current.name ? a->current.name : dj_source_get_info(a->inner)->format;
}

static void destroy(read_ahead *a)
{
    dj_queue_destroy(a->queue);
    dj_context_destroy(a->context);
    free(a);
}

static void close_read_ahead(void *state)
{
    read_ahead *a = state;
    item left;
    dj_context_stop(a->context);
    dj_queue_close(a->queue);
    pthread_join(a->thread, NULL);
    while (dj_queue_get(a->queue, DJ_QUEUE_TRY, &left) == DJ_QUEUED_ITEM)
        dj_batch_release(left.batch);
    destroy(a);
}

int dj_read_ahead_source(dj_context *context, dj_source *inner, dj_source **out)
{
    static const dj_source_ops ops = {
        .next = next, .progress = progress, .close = close_read_ahead, .name = name};
    static const dj_queue_config depth = {.capacity = DEPTH, .item_bytes = sizeof(item)};
    read_ahead *a = calloc(1, sizeof *a);
    *out = NULL;
    if (!a)
        return dj_fail_memory(context, "a source", sizeof *a);
    a->inner = inner;
    int err = dj_queue_create(context, &depth, &a->queue);
    if (!err && dj_context_create(&a->context) != DJ_OK)
        err = dj_fail_memory(context, "a source", 0);
    int error = err ? 0 : pthread_create(&a->thread, NULL, work, a);
    if (error)
        dj_warn(context, "cannot start another thread (%s): the analysis takes longer", strerror(error));
    if (err || error) {
        destroy(a);
        return err;
    }
    err = dj_source_create(context, &ops, a, dj_source_get_info(inner), out);
    if (err)
        close_read_ahead(a);
    return err;
}
