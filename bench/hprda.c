// SPDX-License-Identifier: MIT
#include "bench/hprda.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ELEMENT_BYTES = 8 };

typedef struct settings {
    bench_common common;
    uint64_t block;
    const char *programs;
    bool no_tree;
} settings;

static const dj_option option_table[] = {
    BENCH_ACCESSES("length of each trace, at most (default 20000000)"),
    BENCH_TRACES("generated traces, of zipf,stencil,uniform (default: all, if nothing else is named)"),
    {"programs", 0, DJ_OPTION_TEXT, offsetof(settings, programs), "LIST",
     "programs of examples/papers to record, of adi,fft,sweep,tomcatv,swim,sp (default: the same)", NULL},
    {"block", 'b', DJ_OPTION_UINT, offsetof(settings, block), "N",
     "block size (default: 8 bytes for programs, as their format has it for files)", NULL},
    BENCH_REPEAT("runs of each, of which the best counts (default 3; tree is run once)"),
    {"no-tree", 0, DJ_OPTION_FLAG, offsetof(settings, no_tree), NULL, "leave the slow engine tree out", NULL},
    BENCH_CPU_TIME(
        "processor time in place of wall time, on one thread, for a machine that is busy with other things"),
    BENCH_JSON_LIST,
    BENCH_HELP,
};

const uint64_t hprda_sizes[HPRDA_SIZES] = {128, 256, 512, 1024, 2048, 4096, 8192, 16384};

static const char *const program_names[HPRDA_PROGRAMS + 1] = {"adi",  "fft", "sweep", "tomcatv",
                                                              "swim", "sp",  NULL};

// Upper ends are in their bins.
size_t hprda_bin(uint64_t distance)
{
    size_t bin = distance <= 1 ? 0 : 64 - (size_t)__builtin_clzll(distance - 1);
    return bin < HPRDA_BINS - 1 ? bin : HPRDA_BINS - 1;
}

double hprda_error(const hprda_run *exact, const hprda_run *estimate)
{
    return 2 * hprda_misplaced(exact, estimate) / HPRDA_BINS;
}

double hprda_misplaced(const hprda_run *exact, const hprda_run *estimate)
{
    double sum = 0;
    for (size_t k = 0; k < HPRDA_BINS; k++)
        sum += exact->share[k] > estimate->share[k] ? exact->share[k] - estimate->share[k]
                                                    : estimate->share[k] - exact->share[k];
    return sum / 2;
}

// Passes all accesses at once, so that only the engine is timed.
static int run(dj_context *context, const dj_engine_ops *engine, const hprda_outcome *o, uint64_t *distances,
               uint64_t rounds, hprda_run *out)
{
    const bench_trace *trace = o->trace;
    uint64_t counts[HPRDA_BINS] = {0};
    for (uint64_t round = 0; round < rounds; round++) {
        double start = bench_seconds();
        int err = dj_distances(context, engine, trace->keys, trace->count, distances);
        double seconds = bench_seconds() - start;
        if (err != DJ_OK)
            return err;
        out->seconds = round == 0 || seconds < out->seconds ? seconds : out->seconds;
    }
    for (size_t i = 0; i < trace->count; i++)
        counts[hprda_bin(distances[i])]++;
    for (size_t k = 0; k < HPRDA_BINS; k++)
        out->share[k] = (double)counts[k] / (double)trace->count;
    return DJ_OK;
}

static int run_hprda(dj_context *context, const hprda_outcome *o, uint64_t *distances, uint64_t rounds,
                     dj_hprda_options options, hprda_run *out)
{
    dj_engine_ops engine = *dj_engine_find("hprda");
    engine.default_options = &options;
    return run(context, &engine, o, distances, rounds, out);
}

static int measure(dj_context *context, const settings *set, uint64_t *distances, hprda_outcome *o)
{
    const dj_hprda_options usual = *(const dj_hprda_options *)dj_engine_find("hprda")->default_options;
    dj_hprda_options options = usual;
    hprda_run threads[2] = {0};
    int err = run(context, dj_engine_find("fast"), o, distances, 1, &o->exact);
    for (size_t i = 0; err == DJ_OK && i < o->trace->count; i++)
        o->distinct += distances[i] == DJ_COLD;
    if (err == DJ_OK && !set->no_tree)
        err = run(context, dj_engine_find("tree"), o, distances, 1, &o->tree);
    for (int a = 0; err == DJ_OK && a < HPRDA_ADJUSTS; a++) {
        options.adjust = a;
        err = run_hprda(context, o, distances, 1, options, &o->adjust[a]);
    }
    for (size_t s = 0; err == DJ_OK && s < HPRDA_SIZES; s++) {
        options = usual;
        options.st = hprda_sizes[s];
        options.threads = set->common.cpu_time ? 1 : 0;
        err = run_hprda(context, o, distances, set->common.repeat, options, &o->size[s]);
    }
    for (unsigned t = 0; err == DJ_OK && t < (set->common.cpu_time ? 1 : 2); t++) {
        options = usual;
        options.threads = t + 1;
        err = run_hprda(context, o, distances, set->common.repeat, options, &threads[t]);
    }
    o->one_s = threads[0].seconds;
    o->two_s = threads[1].seconds;
    return err;
}

// Takes ownership of the trace.
static int run_trace(dj_context *context, bench_call *call, bench_trace *trace, double collect_s)
{
    hprda_outcome o = {.trace = trace, .collect_s = collect_s};
    uint64_t *distances = malloc((trace->count + 1) * sizeof *distances);
    int err = distances ? DJ_OK : dj_fail_memory(context, "distances", trace->count * sizeof *distances);
    if (err == DJ_OK && trace->count == 0)
        err = dj_fail(context, DJ_ERR_INPUT, "%s: there are no accesses", trace->name);
    if (err == DJ_OK)
        err = measure(context, call->settings, distances, &o);
    dj_json_writer *json = err == DJ_OK ? bench_begin_json(call) : NULL;
    if (json)
        hprda_write(&o, json);
    else if (err == DJ_OK)
        hprda_print(&o);
    free(distances);
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
        if (err == DJ_OK)
            err = run_trace(context, call, &trace, 0);
    }
    return err;
}

static int run_file(dj_context *context, bench_call *call, const char *path, const char *name, uint64_t block,
                    double collect_s)
{
    const settings *set = call->settings;
    bench_trace trace = {0};
    double start = bench_seconds();
    int err = bench_trace_read(context, path, set->common.accesses, block, &trace);
    if (err != DJ_OK)
        return err;
    trace.name = name;
    return run_trace(context, call, &trace, collect_s + bench_seconds() - start);
}

// Collecting means running the program under the tracer until its accesses are in a file, and reading that
// file.
static int run_program(dj_context *context, bench_call *call, const char *name)
{
    const settings *set = call->settings;
    char deja[PATH_MAX], path[PATH_MAX], program[64], file[] = "/tmp/deja-bench-hprda-XXXXXX";
    char command[3 * PATH_MAX];
    double seconds = 0;
    snprintf(program, sizeof program, "examples/papers/%s_off", name);
    int handle = mkstemp(file);
    if (handle < 0)
        return dj_fail(context, DJ_ERR_IO, "%s: cannot be made", file);
    close(handle);
    int err = bench_beside(context, "deja", deja, sizeof deja);
    if (err == DJ_OK)
        err = bench_beside(context, program, path, sizeof path);
    if (err == DJ_OK) {
        snprintf(command, sizeof command, "'%s' record -o {} -- '%s' >/dev/null 2>&1", deja, path);
        err = bench_command_time(context, command, file, 1, &seconds);
    }
    if (err == DJ_OK)
        err = run_file(context, call, file, name, set->block ? set->block : ELEMENT_BYTES, seconds);
    unlink(file);
    return err;
}

static int run_all(dj_context *context, bench_call *call)
{
    const settings *set = call->settings;
    bool named = set->common.traces || set->programs || call->name_count > 0;
    if (set->common.repeat == 0)
        return dj_fail(context, DJ_ERR_USAGE, "--repeat 0: must be at least 1");
    int err = bench_check_list(context, "--programs", set->programs, program_names);
    if (err == DJ_OK && (set->common.traces || !named))
        err = run_made(context, call);
    for (size_t i = 0; err == DJ_OK && i < HPRDA_PROGRAMS && (set->programs || !named); i++)
        if (bench_listed(set->programs, program_names[i]))
            err = run_program(context, call, program_names[i]);
    for (size_t i = 0; err == DJ_OK && i < call->name_count; i++)
        err = run_file(context, call, call->names[i], call->names[i], set->block, 0);
    return err;
}

static const settings defaults = {.common = {.accesses = 20000000, .repeat = 3}};

const bench_subject bench_hprda = {
    .name = "hprda",
    .summary = "the estimates of engine hprda compared with exact distances, and its speed",
    .options = option_table,
    .defaults = &defaults,
    .settings_bytes = sizeof(settings),
    .takes_names = true,
    .run = run_all};
