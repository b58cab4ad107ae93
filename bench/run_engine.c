// SPDX-License-Identifier: MIT
// Runs one engine on one trace.
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/bench.h"

// Work with buffers for its answers; engines that answer late hold several.
typedef struct piece {
    dj_work work; // first, so that the pointer from pull can be converted
    uint64_t distances[DJ_BATCH_CAPACITY];
    struct piece *next_free;
} piece;

typedef struct runner {
    const dj_engine_ops *engine;
    void *state;
    dj_histogram *histogram; // NULL unless requested
    piece *free;
    uint64_t answered;
    bench_run *run;
} runner;

static void free_pieces(runner *r)
{
    while (r->free) {
        piece *next = r->free->next_free;
        free(r->free);
        r->free = next;
    }
}

static void digest(runner *r, const dj_work *work)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < work->count; i++)
        sum += dj_random_mix((r->answered + i) * UINT64_C(0x9e3779b97f4a7c15) ^ work->distance[i]);
    r->run->digest += sum;
    r->answered += work->count;
}

static int pull_all(runner *r, dj_context *context)
{
    for (;;) {
        dj_work *work = NULL;
        uint64_t cold;
        double start = bench_seconds();
        int err = r->engine->pull(r->state, context, &work);
        if (err == DJ_OK && work && r->histogram)
            err = dj_histogram_add_all(r->histogram, context, work->distance, work->count, &cold);
        r->run->seconds += bench_seconds() - start;
        if (err != DJ_OK || !work)
            return err;
        digest(r, work);
        ((piece *)work)->next_free = r->free;
        r->free = (piece *)work;
    }
}

static int push(runner *r, dj_context *context, const uint64_t *keys, size_t count)
{
    piece *p = r->free;
    if (p)
        r->free = p->next_free;
    else if (!(p = malloc(sizeof *p)))
        return dj_fail_memory(context, "a piece of work", sizeof *p);
    p->work = (dj_work){.count = count, .key = keys, .distance = p->distances};
    double start = bench_seconds();
    int err = r->engine->push(r->state, context, &p->work);
    r->run->seconds += bench_seconds() - start;
    return err == DJ_OK ? pull_all(r, context) : err;
}

static int run(runner *r, dj_context *context, const uint64_t *keys, size_t count)
{
    int err = DJ_OK;
    for (size_t at = 0; err == DJ_OK && at < count; at += DJ_BATCH_CAPACITY)
        err = push(r, context, keys + at, count - at < DJ_BATCH_CAPACITY ? count - at : DJ_BATCH_CAPACITY);
    double start = bench_seconds();
    if (err == DJ_OK)
        err = r->engine->drain(r->state, context);
    r->run->seconds += bench_seconds() - start;
    return err == DJ_OK ? pull_all(r, context) : err;
}

static const dj_option *find_option(const dj_engine_ops *engine, const char *name)
{
    for (const dj_option *o = engine->options; o && o->name; o++)
        if (strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

bool bench_has_threads(const dj_engine_ops *engine)
{
    return find_option(engine, "threads") != NULL;
}

int bench_engine_options(dj_context *context, const dj_engine_ops *engine, const char *name, uint64_t value,
                         void **out)
{
    const dj_option *option = name ? find_option(engine, name) : NULL;
    char *options = malloc(engine->options_bytes + 1);
    if (!options)
        return dj_fail_memory(context, "options", engine->options_bytes);
    if (engine->default_options)
        memcpy(options, engine->default_options, engine->options_bytes);
    if (option && value)
        memcpy(options + option->offset, &value, sizeof value);
    *out = options;
    return DJ_OK;
}

int bench_run_engine(dj_context *context, const dj_engine_ops *engine, uint64_t threads,
                     const bench_trace *trace, size_t count, bool histogram, bench_run *out)
{
    void *options = NULL;
    *out = (bench_run){.accesses = count};
    int err = bench_engine_options(context, engine, "threads", threads, &options);
    if (err != DJ_OK)
        return err;
    dj_engine_params params = {.use = DJ_CAN_PER_ACCESS, .options = engine->default_options ? options : NULL};
    runner r = {.engine = engine, .run = out};
    double start = bench_seconds();
    err = engine->create(context, &params, &r.state);
    out->seconds = bench_seconds() - start;
    if (err == DJ_OK && histogram)
        err = dj_histogram_create(context, &r.histogram);
    if (err == DJ_OK)
        err = run(&r, context, trace->keys, count);
    if (err == DJ_OK) {
        dj_engine_stats stats;
        engine->stats(r.state, &stats);
        out->keys = stats.keys;
        out->bytes = stats.bytes;
        out->peak_bytes = stats.peak_bytes;
    }
    dj_histogram_destroy(r.histogram);
    if (r.state)
        engine->destroy(r.state);
    free_pieces(&r);
    free(options);
    return err;
}
