// SPDX-License-Identifier: MIT
#include "trace/sharers/recorded.h"

#include <stdlib.h>

#include "trace/sharers/thread_list.h"

typedef struct recorded {
    dj_source *source;
    bool owned;
    dj_thread_list threads;
} recorded;

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    (void)pool;
    recorded *r = state;
    int err = dj_source_next(r->source, context, out);
    if (err || !*out)
        return err;
    uint32_t *sharer = dj_batch_writable(*out).sharer;
    dj_thread_run run = {0};
    bool more = true;
    while (!err && more) {
        err = dj_thread_list_next(&r->threads, context, *out, dj_source_name(r->source), &run, &more);
        for (uint32_t i = run.from; !err && i < run.to; i++)
            sharer[i] = run.sharer;
    }
    (*out)->column.sharer = sharer;
    if (err) {
        dj_batch_release(*out);
        *out = NULL;
    }
    return err;
}

static void progress(const void *state, dj_progress *out)
{
    dj_source_progress(((const recorded *)state)->source, out);
}

static const char *name(const void *state)
{
    return dj_source_name(((const recorded *)state)->source);
}

static const dj_sharer *list_sharers(const void *state, size_t *count)
{
    const recorded *r = state;
    *count = r->threads.count;
    return r->threads.sharers;
}

static void close_recorded(void *state)
{
    recorded *r = state;
    dj_thread_list_destroy(&r->threads);
    if (r->owned)
        dj_source_close(r->source);
    free(r);
}

int dj_recorded_source(dj_context *context, dj_source *inner, bool owned, dj_source **out)
{
    static const dj_source_ops ops = {
        .next = next, .progress = progress, .close = close_recorded, .name = name, .sharers = list_sharers};
    dj_source_info info = *dj_source_get_info(inner);
    recorded *r = calloc(1, sizeof *r);
    if (!r) {
        if (owned)
            dj_source_close(inner);
        return dj_fail_memory(context, "the threads of a trace", sizeof *r);
    }
    r->source = inner;
    r->owned = owned;
    info.columns |= DJ_COLUMN_SHARER;
    int err = dj_thread_list_create(context, &r->threads);
    if (!err)
        err = dj_source_create(context, &ops, r, &info, out);
    if (err)
        close_recorded(r);
    return err;
}
