// SPDX-License-Identifier: MIT
// Measures how much longer `deja analyze` takes on a file than its engine on the keys.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

typedef struct settings {
    bench_common common;
    const char *deja, *engine;
    uint64_t threads;
} settings;

static const dj_option option_table[] = {
    BENCH_ACCESSES("length of each trace (default 20000000)"),
    BENCH_MADE_TRACES,
    BENCH_ROUNDS,
    {"engine", 0, DJ_OPTION_TEXT, offsetof(settings, engine), "NAME", "the engine of both (default fast)",
     NULL},
    {"threads", 'j', DJ_OPTION_UINT, offsetof(settings, threads), "N",
     "of an engine that has several (default: all processors)", NULL},
    {"deja", 0, DJ_OPTION_TEXT, offsetof(settings, deja), "PROGRAM",
     "the program to time (default: deja in the folder of this program)", NULL},
    BENCH_WHEN_BUSY,
    BENCH_JSON_LIST,
    BENCH_HELP,
};

typedef struct form {
    const char *format;
    bool text;
    double goal; // at most this multiple of the engine's time
} form;

static const form forms[] = {{"u64le", false, 1.25}, {"text", true, 2.5}};

enum { FORMS = sizeof forms / sizeof forms[0] };

typedef struct outcome {
    double engine_s;  // the engine alone
    double counted_s; // the engine and the histogram of its distances
    double analyze_s[FORMS];
} outcome;

static double least(double a, double b, bool first)
{
    return first || b < a ? b : a;
}

// One round: the engine alone, then the program on each file.
static int run_round(dj_context *context, const settings *set, const bench_trace *trace, char *const *paths,
                     bool first, outcome *out)
{
    bench_run run;
    const dj_engine_ops *engine = dj_engine_find(set->engine);
    int err = bench_run_engine(context, engine, set->threads, trace, trace->count, false, &run);
    if (err == DJ_OK)
        out->engine_s = least(out->engine_s, run.seconds, first);
    if (err == DJ_OK)
        err = bench_run_engine(context, engine, set->threads, trace, trace->count, true, &run);
    if (err == DJ_OK)
        out->counted_s = least(out->counted_s, run.seconds, first);
    for (size_t f = 0; err == DJ_OK && f < FORMS; f++) {
        char command[PATH_MAX + 128], threads[32] = "";
        double seconds;
        if (set->threads)
            snprintf(threads, sizeof threads, "-j %llu ", (unsigned long long)set->threads);
        snprintf(command, sizeof command, "'%s' analyze --engine %s %s--format %s --json {} >/dev/null",
                 set->deja, set->engine, threads, forms[f].format);
        err = bench_command_time(context, command, paths[f], trace->count, &seconds);
        if (err == DJ_OK)
            out->analyze_s[f] = least(out->analyze_s[f], seconds, first);
    }
    return err;
}

static int measure(dj_context *context, const settings *set, const bench_trace *trace, outcome *out)
{
    char *paths[FORMS] = {NULL};
    int err = DJ_OK;
    for (size_t f = 0; err == DJ_OK && f < FORMS; f++)
        err = bench_trace_write(context, trace, forms[f].text, &paths[f]);
    for (uint64_t round = 0; err == DJ_OK && round < set->common.repeat; round++)
        err = run_round(context, set, trace, paths, round == 0, out);
    for (size_t f = 0; f < FORMS; f++) {
        if (paths[f])
            unlink(paths[f]);
        free(paths[f]);
    }
    return err;
}

static void report(const settings *set, const bench_trace *trace, const outcome *o, bench_call *call)
{
    for (size_t f = 0; f < FORMS; f++) {
        double ratio = o->analyze_s[f] / o->engine_s;
        dj_json_writer *json = bench_begin_row(call);
        if (json) {
            dj_json_text(json, "trace", trace->name);
            dj_json_text(json, "format", forms[f].format);
            dj_json_text(json, "engine", set->engine);
            dj_json_real(json, "seconds", o->analyze_s[f]);
            dj_json_real(json, "engine_seconds", o->engine_s);
            dj_json_real(json, "ratio", ratio);
            dj_json_real(json, "goal", forms[f].goal);
            dj_json_end_object(json);
        } else {
            printf(
                "%-8s %-6s analyze %.3f s, engine %s %.3f s (with histogram %.3f s), ratio %.2f, %s %.2f\n",
                trace->name, forms[f].format, o->analyze_s[f], set->engine, o->engine_s, o->counted_s, ratio,
                ratio <= forms[f].goal ? "within" : "OVER", forms[f].goal);
        }
    }
}

static int run_all(dj_context *context, const settings *set, bench_call *call)
{
    int err = bench_check_list(context, "--traces", set->common.traces, bench_trace_names);
    for (size_t t = 0; err == DJ_OK && bench_trace_names[t]; t++) {
        if (!bench_listed(set->common.traces, bench_trace_names[t]))
            continue;
        bench_trace trace = {0};
        outcome o = {0};
        err = bench_trace_make(context, bench_trace_names[t], set->common.accesses, &trace);
        if (err == DJ_OK)
            err = measure(context, set, &trace, &o);
        if (err == DJ_OK)
            report(set, &trace, &o, call);
        bench_trace_free(&trace);
    }
    return err;
}

static int run(dj_context *context, bench_call *call)
{
    settings set = *(const settings *)call->settings;
    char beside[PATH_MAX];
    int err = DJ_OK;
    if (!set.engine)
        set.engine = dj_engine_get(0)->name;
    if (!dj_engine_find(set.engine))
        return dj_fail(context, DJ_ERR_USAGE, "--engine %s: there is no such engine", set.engine);
    if (set.threads && !bench_has_threads(dj_engine_find(set.engine)))
        return dj_fail(context, DJ_ERR_USAGE, "--threads: engine %s has one", set.engine);
    if (!set.deja) {
        err = bench_beside(context, "deja", beside, sizeof beside);
        set.deja = beside;
    }
    return err == DJ_OK ? run_all(context, &set, call) : err;
}

static const settings defaults = {.common = {.accesses = 20000000, .repeat = 3}};

const bench_subject bench_cli = {.name = "cli",
                                 .summary = "deja analyze on files, compared with the engine alone",
                                 .options = option_table,
                                 .defaults = &defaults,
                                 .settings_bytes = sizeof(settings),
                                 .run = run};
