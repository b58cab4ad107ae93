// SPDX-License-Identifier: MIT
// The speed of the path from a file in the page cache to an engine, compared with plain copies of as many
// bytes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/path.h"

typedef struct settings {
    bench_common common;
    uint64_t threads, block;
} settings;

static const dj_option option_table[] = {
    BENCH_ACCESSES("length of the trace (default 100000000)"),
    {"threads", 0, DJ_OPTION_UINT, offsetof(settings, threads), "N",
     "that read the file; 0: as it is read without (default 1)", NULL},
    {"block", 0, DJ_OPTION_UINT, offsetof(settings, block), "N", "block size (default 1)", NULL},
    BENCH_ROUNDS,
    BENCH_JSON_LIST,
    BENCH_HELP,
};

typedef struct cost {
    double wall, cpu; // in seconds
} cost;

static void keep_best(cost *best, cost start)
{
    const cost spent = {bench_wall_seconds() - start.wall, bench_cpu_seconds() - start.cpu};
    if (best->wall == 0 || spent.wall < best->wall)
        *best = spent;
}

static cost now(void)
{
    return (cost){bench_wall_seconds(), bench_cpu_seconds()};
}

static int run_pipeline(dj_context *context, const settings *set, const dj_engine_ops *engine,
                        dj_source *source)
{
    const dj_observer_choice observers[] = {{dj_observer_find("histogram"), NULL},
                                            {dj_observer_find("traffic"), NULL}};
    const dj_pipeline_config config = {.engine = engine,
                                       .blocks = &set->block,
                                       .block_count = 1,
                                       .observers = observers,
                                       .observer_count = 2,
                                       .observer_threads = 1};
    dj_pipeline *pipeline = NULL;
    dj_profile *profile = NULL;
    int err = dj_pipeline_create(context, &config, &pipeline);
    if (!err)
        err = dj_pipeline_run(pipeline, context, source);
    if (!err)
        err = dj_pipeline_finish(pipeline, context, &profile);
    if (!err && profile->lanes[0].cold != set->common.accesses)
        err = dj_fail(context, DJ_ERR_INPUT, "the engine met other accesses than the file has");
    dj_profile_destroy(profile);
    dj_pipeline_destroy(pipeline);
    return err;
}

static int measure(dj_context *context, const settings *set, const dj_engine_ops *engine, const char *path,
                   cost *best)
{
    const dj_source_options options = {.format = "u64le"};
    int err = DJ_OK;
    for (uint64_t round = 0; !err && round < set->common.repeat; round++) {
        dj_source *source = NULL;
        const cost start = now();
        err = dj_source_open(context, &path, 1, &options, &source);
        if (!err)
            dj_source_use_threads(source, (unsigned)set->threads);
        if (!err)
            err = run_pipeline(context, set, engine, source);
        dj_source_close(source);
        keep_best(best, start);
    }
    return err;
}

// One thread, to memory that is reused, as in an engine.
static int measure_memcpy(dj_context *context, const settings *set, const bench_trace *trace, cost *best)
{
    enum { BUFFER_KEYS = 1 << 20, SOME = DJ_BATCH_CAPACITY };
    uint64_t *buffer = calloc(BUFFER_KEYS, sizeof *buffer);
    if (!buffer)
        return dj_fail_memory(context, "copies", 0);
    for (uint64_t round = 0; round < set->common.repeat; round++) {
        const cost start = now();
        for (size_t i = 0; i + SOME <= trace->count; i += SOME)
            memcpy(buffer + i % BUFFER_KEYS, trace->keys + i, SOME * sizeof *buffer);
        keep_best(best, start);
    }
    free(buffer);
    return DJ_OK;
}

static void report(bench_call *call, const char *name, cost spent, cost plain)
{
    const settings *set = call->settings;
    double accesses = (double)set->common.accesses;
    dj_json_writer *json = bench_begin_row(call);
    if (json) {
        dj_json_text(json, "engine", name);
        dj_json_real(json, "accesses_per_s", accesses / spent.wall);
        dj_json_real(json, "cpu_ns", spent.cpu * 1e9 / accesses);
        dj_json_real(json, "times_memcpy", spent.wall / plain.wall);
        dj_json_end_object(json);
        return;
    }
    printf("%-8s %7.1f M accesses/s  %5.2f ns an access, %5.2f of processors  %5.2f times memcpy\n", name,
           accesses / spent.wall / 1e6, spent.wall * 1e9 / accesses, spent.cpu * 1e9 / accesses,
           spent.wall / plain.wall);
}

static int run_all(dj_context *context, bench_call *call, const bench_trace *trace, const char *path)
{
    const settings *set = call->settings;
    const dj_engine_ops *const engines[] = {&bench_engine_nothing, &bench_engine_copy};
    cost plain = {0};
    int err = measure_memcpy(context, set, trace, &plain);
    if (!err)
        report(call, "memcpy", plain, plain);
    for (size_t i = 0; !err && i < sizeof engines / sizeof engines[0]; i++) {
        cost best = {0};
        err = measure(context, set, engines[i], path, &best);
        if (!err)
            report(call, engines[i]->name, best, plain);
    }
    return err;
}

static int run(dj_context *context, bench_call *call)
{
    const settings *set = call->settings;
    bench_trace trace = {0};
    char *path = NULL;
    int err = bench_trace_make(context, "uniform", set->common.accesses, &trace);
    if (!err)
        err = bench_trace_write(context, &trace, false, &path);
    if (!err)
        err = run_all(context, call, &trace, path);
    if (path)
        unlink(path);
    free(path);
    bench_trace_free(&trace);
    return err;
}

static const settings defaults = {.common = {.accesses = 100000000, .repeat = 3}, .threads = 1, .block = 1};

const bench_subject bench_path = {
    .name = "path",
    .summary = "from a file to an engine that computes nothing, compared with plain copies",
    .options = option_table,
    .defaults = &defaults,
    .settings_bytes = sizeof(settings),
    .run = run};
