// SPDX-License-Identifier: MIT
// Runs any engine over an array, with or without answers. Unlike bench_run_engine it does nothing between two
// work items, since engines with threads would continue meanwhile.
#include <stdio.h>
#include <stdlib.h>

#include "bench/gpu.h"

typedef struct runner {
    gpu_engine_run *run;
    void *state;
    dj_work *works;
    size_t count;
} runner;

static int make_works(runner *r, dj_context *context)
{
    const gpu_engine_run *run = r->run;
    r->count = (run->count + DJ_BATCH_CAPACITY - 1) / DJ_BATCH_CAPACITY;
    r->works = calloc(r->count + 1, sizeof *r->works);
    if (!r->works)
        return dj_fail_memory(context, "pieces of work", r->count * sizeof *r->works);
    for (size_t w = 0; w < r->count; w++) {
        size_t at = w * DJ_BATCH_CAPACITY;
        size_t count = run->count - at < DJ_BATCH_CAPACITY ? run->count - at : DJ_BATCH_CAPACITY;
        r->works[w] = (dj_work){.count = count,
                                .key = run->key + at,
                                .tag = run->tag ? run->tag + at : NULL,
                                .time = run->time ? run->time + at : NULL,
                                .distance = run->distance ? run->distance + at : NULL,
                                .prev_tag = run->prev_tag ? run->prev_tag + at : NULL,
                                .prev_time = run->prev_time ? run->prev_time + at : NULL};
    }
    return DJ_OK;
}

static int pull_all(runner *r, dj_context *context, size_t *pulled)
{
    for (;;) {
        dj_work *work = NULL;
        int err = r->run->engine->pull(r->state, context, &work);
        if (err != DJ_OK || !work)
            return err;
        if (work != &r->works[*pulled])
            return dj_fail(context, DJ_ERR_INPUT, "engine %s gave work back in another order",
                           r->run->engine->name);
        (*pulled)++;
    }
}

static int feed(runner *r, dj_context *context)
{
    const dj_engine_ops *engine = r->run->engine;
    size_t pulled = 0;
    int err = DJ_OK;
    for (size_t w = 0; err == DJ_OK && w < r->count; w++) {
        err = engine->push(r->state, context, &r->works[w]);
        if (err == DJ_OK)
            err = pull_all(r, context, &pulled);
    }
    int drained = engine->drain(r->state, context);
    if (err == DJ_OK)
        err = drained;
    if (err == DJ_OK)
        err = pull_all(r, context, &pulled);
    if (err == DJ_OK && pulled < r->count)
        err = dj_fail(context, DJ_ERR_INPUT, "engine %s kept %zu pieces of work", engine->name,
                      r->count - pulled);
    return err;
}

static int go(runner *r, dj_context *context, const void *options)
{
    gpu_engine_run *run = r->run;
    const dj_engine_ops *engine = run->engine;
    const dj_engine_params params = {.use = run->use, .options = engine->default_options ? options : NULL};
    double start = bench_wall_seconds();
    int err = engine->create(context, &params, &r->state);
    if (err != DJ_OK)
        return err;
    err = feed(r, context);
    run->seconds = bench_wall_seconds() - start;
    run->cold = 0;
    if (err == DJ_OK && run->into)
        err = engine->totals(r->state, context, run->into, &run->cold);
    run->fetched_s = bench_wall_seconds() - start;
    if (err == DJ_OK && run->order)
        err = engine->order(r->state, context, run->order);
    if (err == DJ_OK && run->look)
        run->look(run->user, r->state);
    engine->destroy(r->state);
    return err;
}

int gpu_run_engine(dj_context *context, gpu_engine_run *run)
{
    runner r = {.run = run};
    void *options = NULL;
    dj_context *own = NULL; // without earlier warnings
    int err = dj_context_create(&own);
    if (err != DJ_OK)
        return dj_fail_memory(context, "a context", 0);
    err = make_works(&r, own);
    if (err == DJ_OK)
        err = bench_engine_options(own, run->engine, run->option, run->value, &options);
    if (err == DJ_OK)
        err = go(&r, own, options);
    if (err != DJ_OK)
        err = dj_fail(context, err, "%s", dj_context_message(own));
    snprintf(run->warning, sizeof run->warning, "%s", dj_context_warning(own));
    dj_context_destroy(own);
    free(options);
    free(r.works);
    return err;
}
