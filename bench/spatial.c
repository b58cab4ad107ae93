// SPDX-License-Identifier: MIT
// How much longer several block sizes in one pass take than one of them alone.
#include <deja/observer_options.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/option.h"
#include "bench/bench.h"

enum { ELEMENT_BYTES = 8, MOST_BLOCKS = 11 };

typedef struct settings {
    uint64_t accesses, repeat;
    const char *traces, *engine;
    bool json, thread, help;
} settings;

static const dj_option option_table[] = {
    {"accesses", 'n', DJ_OPTION_UINT, offsetof(settings, accesses), "N",
     "length of each trace, at most (default 20000000)", NULL},
    {"traces", 0, DJ_OPTION_TEXT, offsetof(settings, traces), "LIST", "of zipf,stencil,uniform (default all)",
     NULL},
    {"engine", 0, DJ_OPTION_TEXT, offsetof(settings, engine), "NAME",
     "engine (default: as the verbs choose it)", NULL},
    {"repeat", 'r', DJ_OPTION_UINT, offsetof(settings, repeat), "N",
     "rounds, of which the best counts (default 3)", NULL},
    {"thread", 0, DJ_OPTION_FLAG, offsetof(settings, thread), NULL,
     "observers on a thread of their own; the goals are then for wall time", NULL},
    {"json", 0, DJ_OPTION_FLAG, offsetof(settings, json), NULL, "a JSON list on standard output", NULL},
    {"help", 'h', DJ_OPTION_FLAG, offsetof(settings, help), NULL, "print this help", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

// Block sizes in one pass, each twice the one before; the smallest alone is
// what they are compared with.
typedef struct pass {
    uint64_t from;
    size_t count;
    double goal; // at most so many times the smallest alone; 0: none
} pass;

static const pass passes[] = {{64, 1, 0}, {64, 2, 1.9}, {32, 1, 0}, {32, 3, 0}, {8, 1, 0}, {8, 11, 7}};

enum { PASSES = sizeof passes / sizeof passes[0] };

// As the verbs choose it: the first for one block size, for several the first that takes them together.
static const dj_engine_ops *engine_for(const settings *set, const pass *p)
{
    if (set->engine)
        return dj_engine_find(set->engine);
    for (size_t i = 0; p->count > 1 && i < dj_engine_count(); i++)
        if (dj_engine_get(i)->coarser > 0)
            return dj_engine_get(i);
    return dj_engine_get(0);
}

static int run_pipeline(dj_context *context, const settings *set, const pass *p, dj_source *source)
{
    uint64_t blocks[MOST_BLOCKS];
    for (size_t i = 0; i < p->count; i++)
        blocks[i] = p->from << i;
    static const dj_spatial_cache_size caches[] = {{"L1", 32 << 10}, {"L2", 1 << 20}, {"L3", 32 << 20}};
    const dj_spatial_options options = {.caches = caches, .cache_count = 3};
    const dj_observer_choice observers[] = {{dj_observer_find("histogram"), NULL},
                                            {dj_observer_find("spatial"), &options}};
    const dj_pipeline_config config = {.engine = engine_for(set, p),
                                       .blocks = blocks,
                                       .block_count = p->count,
                                       .observers = observers,
                                       .observer_count = p->count > 1 && observers[1].ops ? 2 : 1,
                                       .observer_threads = set->thread};
    dj_pipeline *pipeline = NULL;
    dj_profile *profile = NULL;
    int err = dj_pipeline_create(context, &config, &pipeline);
    if (!err)
        err = dj_pipeline_run(pipeline, context, source);
    if (!err)
        err = dj_pipeline_finish(pipeline, context, &profile);
    dj_profile_destroy(profile);
    dj_pipeline_destroy(pipeline);
    return err;
}

typedef struct cost {
    double cpu, wall; // in seconds
} cost;

static void keep_best(cost *best, cost spent, bool is_first)
{
    best->cpu = is_first || spent.cpu < best->cpu ? spent.cpu : best->cpu;
    best->wall = is_first || spent.wall < best->wall ? spent.wall : best->wall;
}

static int measure(dj_context *context, const settings *set, const bench_trace *trace, cost *costs)
{
    const dj_source_options options = {.format = "u64le"};
    for (uint64_t round = 0; round < set->repeat; round++)
        for (size_t i = 0; i < PASSES; i++) {
            dj_source *source = NULL;
            int err = dj_source_open_memory(context, trace->keys, trace->count * sizeof *trace->keys,
                                            trace->name, &options, &source);
            const cost start = {bench_cpu_seconds(), bench_wall_seconds()};
            if (!err)
                err = run_pipeline(context, set, &passes[i], source);
            const cost spent = {bench_cpu_seconds() - start.cpu, bench_wall_seconds() - start.wall};
            keep_best(&costs[i], spent, round == 0);
            dj_source_close(source);
            if (err)
                return err;
        }
    return DJ_OK;
}

static void report_json(const bench_trace *trace, const pass *p, cost spent, cost ratio, dj_json_writer *json)
{
    dj_json_begin_row(json, NULL);
    dj_json_text(json, "trace", trace->name);
    dj_json_uint(json, "block", p->from);
    dj_json_uint(json, "blocks", p->count);
    dj_json_real(json, "cpu_seconds", spent.cpu);
    dj_json_real(json, "wall_seconds", spent.wall);
    dj_json_real(json, "cpu_ratio", ratio.cpu);
    dj_json_real(json, "wall_ratio", ratio.wall);
    if (p->goal > 0)
        dj_json_real(json, "goal", p->goal);
    dj_json_end_object(json);
}

static void report_text(const settings *set, const bench_trace *trace, const pass *p, cost spent, cost ratio)
{
    double accesses = 1e-9 * (double)trace->count, judged = set->thread ? ratio.wall : ratio.cpu;
    printf("%-10s %2zu from %2llu bytes: ns an access %6.2f processor, %6.2f wall", trace->name, p->count,
           (unsigned long long)p->from, spent.cpu / accesses, spent.wall / accesses);
    if (p->count > 1)
        printf("; times one %.2f, %.2f", ratio.cpu, ratio.wall);
    if (p->goal > 0)
        printf("; %s %s %.2g", set->thread ? "wall" : "processor", judged <= p->goal ? "within" : "OVER",
               p->goal);
    printf("\n");
}

static int run_trace(dj_context *context, const settings *set, bench_trace *trace, dj_json_writer *json)
{
    cost costs[PASSES] = {0};
    int err = measure(context, set, trace, costs);
    for (size_t i = 0; err == DJ_OK && i < PASSES; i++) {
        const cost alone = costs[passes[i].count > 1 ? i - 1 : i];
        const cost ratio = {costs[i].cpu / alone.cpu, costs[i].wall / alone.wall};
        if (json)
            report_json(trace, &passes[i], costs[i], ratio, json);
        else
            report_text(set, trace, &passes[i], costs[i], ratio);
    }
    bench_trace_free(trace);
    return err;
}

static int run_made(dj_context *context, const settings *set, dj_json_writer *json)
{
    int err = bench_check_list(context, "--traces", set->traces, bench_trace_names);
    for (size_t t = 0; err == DJ_OK && bench_trace_names[t]; t++) {
        bench_trace trace = {0};
        if (!bench_listed(set->traces, bench_trace_names[t]))
            continue;
        err = bench_trace_make(context, bench_trace_names[t], set->accesses, &trace);
        for (size_t i = 0; err == DJ_OK && i < trace.count; i++)
            trace.keys[i] *= ELEMENT_BYTES;
        if (err == DJ_OK)
            err = run_trace(context, set, &trace, json);
    }
    return err;
}

int bench_spatial(dj_context *context, size_t count, char *const *args)
{
    settings set = {.accesses = 20000000, .repeat = 3};
    bench_files files = {0};
    dj_json_writer json = {.out = stdout};
    int err = bench_arguments(context, option_table, &set, &set.help, count, args, &files);
    if (err != DJ_OK || set.help)
        goto done;
    if (set.engine && !dj_engine_find(set.engine)) {
        err = dj_fail(context, DJ_ERR_USAGE, "--engine: there is no %s", set.engine);
        goto done;
    }
    if (set.json)
        dj_json_begin_list(&json, NULL);
    if (files.count == 0)
        err = run_made(context, &set, set.json ? &json : NULL);
    for (size_t i = 0; err == DJ_OK && i < files.count; i++) {
        bench_trace trace = {0};
        err = bench_trace_read(context, files.names[i], set.accesses, 1, &trace);
        if (err == DJ_OK)
            err = run_trace(context, &set, &trace, set.json ? &json : NULL);
    }
    if (set.json && err == DJ_OK) {
        dj_json_end_list(&json);
        dj_json_finish(&json);
    }
done:
    free(files.names);
    return err;
}
