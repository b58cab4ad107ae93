// SPDX-License-Identifier: MIT
// An engine for tests: wraps `stack` but answers late and in chunks of random size, independent of the
// works as pushed.
#ifndef TESTS_CONTRACT_LATE_ENGINE_H
#define TESTS_CONTRACT_LATE_ENGINE_H

#include "base/random.h"
#include <deja/engine.h>

#include <stdlib.h>

typedef struct late {
    void *inner;
    dj_random random;
    dj_work *oldest, *newest; // pushed, not pulled
    dj_work *asking;          // the first one that is not completely answered
    size_t asked;             // how many of its accesses are answered
} late;

static const dj_engine_ops *late_inner(void)
{
    return dj_engine_find("stack");
}

static int late_create(dj_context *context, const dj_engine_params *params, void **state)
{
    late *l = calloc(1, sizeof *l);
    if (!l)
        return dj_fail_memory(context, "engine late", 0);
    dj_random_seed(&l->random, 42);
    *state = l;
    return late_inner()->create(context, params, &l->inner);
}

static void late_destroy(void *state)
{
    late *l = state;
    late_inner()->destroy(l->inner);
    free(l);
}

static uint64_t late_dice(late *l, uint64_t sides)
{
    return dj_random_next(&l->random) % sides;
}

// Answers up to `most` accesses, with one inner work per outer one.
static int late_answer(late *l, dj_context *context, size_t most)
{
    while (l->asking && most > 0) {
        dj_work *w = l->asking;
        size_t at = l->asked, n = w->count - at < most ? w->count - at : most;
        dj_work part = {.count = n, .key = w->key + at, .distance = w->distance + at};
        part.op = w->op ? w->op + at : NULL;
        part.tag = w->tag ? w->tag + at : NULL;
        part.time = w->time ? w->time + at : NULL;
        part.weight = w->weight ? w->weight + at : NULL;
        part.prev_tag = w->prev_tag ? w->prev_tag + at : NULL;
        part.prev_time = w->prev_time ? w->prev_time + at : NULL;
        part.byte_distance = w->byte_distance ? w->byte_distance + at : NULL;
        dj_work *back = NULL;
        int err = late_inner()->push(l->inner, context, &part);
        if (!err)
            err = late_inner()->pull(l->inner, context, &back);
        if (err)
            return err;
        l->asked += n;
        most -= n;
        if (l->asked == w->count) {
            l->asking = w->next;
            l->asked = 0;
        }
    }
    return DJ_OK;
}

static int late_push(void *state, dj_context *context, dj_work *work)
{
    late *l = state;
    work->next = NULL;
    if (l->newest)
        l->newest->next = work;
    else
        l->oldest = work;
    l->newest = work;
    if (!l->asking)
        l->asking = work;
    return late_dice(l, 3) == 0 ? late_answer(l, context, 1 + late_dice(l, 200)) : DJ_OK;
}

static int late_pull(void *state, dj_context *context, dj_work **out)
{
    (void)context;
    late *l = state;
    *out = NULL;
    if (!l->oldest || l->oldest == l->asking)
        return DJ_OK;
    *out = l->oldest;
    l->oldest = l->oldest->next;
    if (!l->oldest)
        l->newest = NULL;
    return DJ_OK;
}

static int late_drain(void *state, dj_context *context)
{
    // At least 1, so that work without accesses is processed, too.
    return late_answer(state, context, SIZE_MAX);
}

static int late_order(void *state, dj_context *context, dj_order *out)
{
    return late_inner()->order(((late *)state)->inner, context, out);
}

static void late_stats(const void *state, dj_engine_stats *out)
{
    late_inner()->stats(((const late *)state)->inner, out);
}

static const dj_engine_ops *late_engine(void)
{
    static dj_engine_ops ops = {.name = "late",
                                .create = late_create,
                                .destroy = late_destroy,
                                .push = late_push,
                                .pull = late_pull,
                                .drain = late_drain,
                                .order = late_order,
                                .stats = late_stats};
    ops.can = late_inner()->can;
    return &ops;
}

#endif
