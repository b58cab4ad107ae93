// SPDX-License-Identifier: MIT
// An engine for tests that counts distances itself if requested. It wraps `stack` and reads the keys as
// late as possible.
#ifndef DEJA_TESTS_COUNTING_ENGINE_H
#define DEJA_TESTS_COUNTING_ENGINE_H

#include <deja/engine.h>

#include <stdlib.h>

enum { COUNTING_HELD = 5 }; // works that are not answered yet

static uint32_t counting_use;   // of the engine that was created last
static unsigned counting_fails; // 1: totals cannot be returned

typedef struct counting {
    void *inner;
    uint32_t use;
    dj_histogram *histogram;
    uint64_t cold;
    dj_work *oldest, *newest; // pushed, not pulled
    dj_work *asking;          // the first that is not answered
    size_t held;              // from there on
} counting;

static const dj_engine_ops *counting_inner(void)
{
    return dj_engine_find("stack");
}

static int counting_create(dj_context *ctx, const dj_engine_params *params, void **state)
{
    counting *c = calloc(1, sizeof *c);
    if (!c)
        return dj_fail_memory(ctx, "engine counting", 0);
    dj_engine_params inner = *params;
    inner.use &= ~(uint32_t)DJ_CAN_TOTALS;
    counting_use = c->use = params->use;
    *state = c;
    int err = dj_histogram_create(ctx, &c->histogram);
    return err ? err : counting_inner()->create(ctx, &inner, &c->inner);
}

static void counting_destroy(void *state)
{
    counting *c = state;
    counting_inner()->destroy(c->inner);
    dj_histogram_destroy(c->histogram);
    free(c);
}

static int counting_answer(counting *c, dj_context *ctx)
{
    dj_work *w = c->asking, *back = NULL, inner = *w;
    uint64_t *own = NULL, cold = 0;
    if (c->use & DJ_CAN_TOTALS) {
        if (w->distance)
            return dj_fail(ctx, DJ_ERR_USAGE, "distances are allocated but never read");
        inner.distance = own = malloc((w->count + 1) * sizeof *own);
        if (!own)
            return dj_fail_memory(ctx, "engine counting", 0);
    }
    int err = counting_inner()->push(c->inner, ctx, &inner);
    if (!err)
        err = counting_inner()->pull(c->inner, ctx, &back);
    if (!err && own)
        err = dj_histogram_add_all(c->histogram, ctx, own, w->count, &cold);
    c->cold += cold;
    free(own);
    c->asking = w->next;
    c->held--;
    return err;
}

static int counting_push(void *state, dj_context *ctx, dj_work *work)
{
    counting *c = state;
    work->next = NULL;
    if (c->newest)
        c->newest->next = work;
    else
        c->oldest = work;
    c->newest = work;
    if (!c->asking)
        c->asking = work;
    return ++c->held > COUNTING_HELD ? counting_answer(c, ctx) : DJ_OK;
}

static int counting_pull(void *state, dj_context *ctx, dj_work **out)
{
    (void)ctx;
    counting *c = state;
    *out = NULL;
    if (!c->oldest || c->oldest == c->asking)
        return DJ_OK;
    *out = c->oldest;
    c->oldest = c->oldest->next;
    if (!c->oldest)
        c->newest = NULL;
    return DJ_OK;
}

static int counting_drain(void *state, dj_context *ctx)
{
    counting *c = state;
    int err = DJ_OK;
    while (!err && c->held > 0)
        err = counting_answer(c, ctx);
    return err;
}

static int counting_order(void *state, dj_context *ctx, dj_order *out)
{
    return counting_inner()->order(((counting *)state)->inner, ctx, out);
}

static int counting_totals(void *state, dj_context *ctx, dj_histogram *into, uint64_t *cold)
{
    const counting *c = state;
    if (counting_fails)
        return dj_fail(ctx, DJ_ERR_MEMORY, "the totals are lost");
    *cold += c->cold;
    return dj_histogram_merge(into, ctx, c->histogram);
}

static void counting_stats(const void *state, dj_engine_stats *out)
{
    counting_inner()->stats(((const counting *)state)->inner, out);
}

// `folds` as in dj_engine_ops; `without`: bits of dj_capability that it claims not to have.
static const dj_engine_ops *counting_engine(bool folds, uint32_t without)
{
    static dj_engine_ops ops = {.name = "counting",
                                .create = counting_create,
                                .destroy = counting_destroy,
                                .push = counting_push,
                                .pull = counting_pull,
                                .drain = counting_drain,
                                .order = counting_order,
                                .totals = counting_totals,
                                .stats = counting_stats};
    ops.can = (counting_inner()->can | DJ_CAN_TOTALS) & ~without;
    ops.folds = folds;
    return &ops;
}

#endif
