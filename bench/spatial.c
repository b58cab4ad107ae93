// SPDX-License-Identifier: MIT
// Measures how much longer several block sizes in one pass take than one of them alone.
#include <deja/observer_options.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum { ELEMENT_BYTES = 8, MOST_BLOCKS = 11 };

typedef struct settings {
    bench_common common;
    const char *engine;
    bool thread;
} settings;

static const dj_option option_table[] = {
    BENCH_ACCESSES("length of each trace, at most (default 20000000)"),
    BENCH_MADE_TRACES,
    {"engine", 0, DJ_OPTION_TEXT, offsetof(settings, engine), "NAME",
     "engine (default: as the verbs choose it)", NULL},
    BENCH_ROUNDS,
    {"thread", 0, DJ_OPTION_FLAG, offsetof(settings, thread), NULL,
     "observers on a thread of their own; the goals are then for wall time", NULL},
    BENCH_JSON_LIST,
    BENCH_HELP,
};

// Block sizes in one pass, each twice the previous one; they are compared with the smallest alone.
typedef struct pass {
    uint64_t from;
    size_t count;
    double goal; // at most this multiple of the smallest alone; 0: none
} pass;

static const pass passes[] = {{64, 1, 0}, {64, 2, 1.9}, {32, 1, 0}, {32, 3, 0}, {8, 1, 0}, {8, 11, 7}};

enum { PASSES = sizeof passes / sizeof passes[0] };

// The choice of the verbs: the first engine for one block size, for several the first that handles them
// together.
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
    for (uint64_t round = 0; round < set->common.repeat; round++)
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

static int run_trace(dj_context *context, bench_call *call, bench_trace *trace)
{
    const settings *set = call->settings;
    cost costs[PASSES] = {0};
    int err = measure(context, set, trace, costs);
    for (size_t i = 0; err == DJ_OK && i < PASSES; i++) {
        const cost alone = costs[passes[i].count > 1 ? i - 1 : i];
        const cost ratio = {costs[i].cpu / alone.cpu, costs[i].wall / alone.wall};
        dj_json_writer *json = bench_begin_row(call);
        if (json)
            report_json(trace, &passes[i], costs[i], ratio, json);
        else
            report_text(set, trace, &passes[i], costs[i], ratio);
    }
    bench_trace_free(trace);
    return err;
}

static int run_made(dj_context *context, bench_call *call)
{
    const settings *set = call->settings;
    int err = bench_check_list(context, "--traces", set->common.traces, bench_trace_names);
    for (size_t t = 0; err == DJ_OK && bench_trace_names[t]; t++) {
        bench_trace trace = {0};
        if (!bench_listed(set->common.traces, bench_trace_names[t]))
            continue;
        err = bench_trace_make(context, bench_trace_names[t], set->common.accesses, &trace);
        for (size_t i = 0; err == DJ_OK && i < trace.count; i++)
            trace.keys[i] *= ELEMENT_BYTES;
        if (err == DJ_OK)
            err = run_trace(context, call, &trace);
    }
    return err;
}

static int run(dj_context *context, bench_call *call)
{
    const settings *set = call->settings;
    if (set->engine && !dj_engine_find(set->engine))
        return dj_fail(context, DJ_ERR_USAGE, "--engine: there is no %s", set->engine);
    int err = call->name_count == 0 ? run_made(context, call) : DJ_OK;
    for (size_t i = 0; err == DJ_OK && i < call->name_count; i++) {
        bench_trace trace = {0};
        err = bench_trace_read(context, call->names[i], set->common.accesses, 1, &trace);
        if (err == DJ_OK)
            err = run_trace(context, call, &trace);
    }
    return err;
}

static const settings defaults = {.common = {.accesses = 20000000, .repeat = 3}};

const bench_subject bench_spatial = {.name = "spatial",
                                     .summary = "several block sizes in one pass, compared with one of them",
                                     .options = option_table,
                                     .defaults = &defaults,
                                     .settings_bytes = sizeof(settings),
                                     .takes_names = true,
                                     .run = run};
