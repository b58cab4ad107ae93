// SPDX-License-Identifier: MIT
// How fast keys come from a file in the page cache to an engine, beside plain copies of as many bytes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/option.h"
#include "bench/path.h"

typedef struct settings {
    uint64_t accesses, repeat, threads, block;
    bool json, help;
} settings;

static const dj_option option_table[] = {
    {"accesses", 'n', DJ_OPTION_UINT, offsetof(settings, accesses), "N",
     "length of the trace (default 100000000)", NULL},
    {"threads", 0, DJ_OPTION_UINT, offsetof(settings, threads), "N",
     "that read the file; 0: as it is read without (default 1)", NULL},
    {"block", 0, DJ_OPTION_UINT, offsetof(settings, block), "N", "block size (default 1)", NULL},
    {"repeat", 'r', DJ_OPTION_UINT, offsetof(settings, repeat), "N",
     "rounds, of which the best counts (default 3)", NULL},
    {"json", 0, DJ_OPTION_FLAG, offsetof(settings, json), NULL, "a JSON list on standard output", NULL},
    {"help", 'h', DJ_OPTION_FLAG, offsetof(settings, help), NULL, "print this help", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
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
    if (!err && profile->lanes[0].cold != set->accesses)
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
    for (uint64_t round = 0; !err && round < set->repeat; round++) {
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

// One thread, to memory that is used again, as the engine's.
static int measure_memcpy(dj_context *context, const settings *set, const bench_trace *trace, cost *best)
{
    enum { ROOM = 1 << 20, SOME = DJ_BATCH_CAPACITY };
    uint64_t *room = calloc(ROOM, sizeof *room);
    if (!room)
        return dj_fail_memory(context, "copies", 0);
    for (uint64_t round = 0; round < set->repeat; round++) {
        const cost start = now();
        for (size_t i = 0; i + SOME <= trace->count; i += SOME)
            memcpy(room + i % ROOM, trace->keys + i, SOME * sizeof *room);
        keep_best(best, start);
    }
    free(room);
    return DJ_OK;
}

static void report(const settings *set, const char *name, cost spent, cost plain, dj_json_writer *json)
{
    double accesses = (double)set->accesses;
    if (set->json) {
        dj_json_begin_row(json, NULL);
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

static int run_all(dj_context *context, const settings *set, const bench_trace *trace, const char *path)
{
    const dj_engine_ops *const engines[] = {&bench_engine_nothing, &bench_engine_copy};
    dj_json_writer json = {.out = stdout};
    cost plain = {0};
    int err = measure_memcpy(context, set, trace, &plain);
    if (!err && set->json)
        dj_json_begin_list(&json, NULL);
    if (!err)
        report(set, "memcpy", plain, plain, &json);
    for (size_t i = 0; !err && i < sizeof engines / sizeof engines[0]; i++) {
        cost best = {0};
        err = measure(context, set, engines[i], path, &best);
        if (!err)
            report(set, engines[i]->name, best, plain, &json);
    }
    if (!err && set->json) {
        dj_json_end_list(&json);
        dj_json_finish(&json);
    }
    return err;
}

int bench_path(dj_context *context, size_t count, char *const *args)
{
    settings set = {.accesses = 100000000, .repeat = 3, .threads = 1, .block = 1};
    bench_trace trace = {0};
    char *path = NULL;
    int err = bench_arguments(context, option_table, &set, &set.help, count, args, NULL);
    if (err || set.help)
        return err;
    err = bench_trace_make(context, "uniform", set.accesses, &trace);
    if (!err)
        err = bench_trace_write(context, &trace, false, &path);
    if (!err)
        err = run_all(context, &set, &trace, path);
    if (path)
        unlink(path);
    free(path);
    bench_trace_free(&trace);
    return err;
}
