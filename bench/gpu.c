// SPDX-License-Identifier: MIT
#include "bench/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"

enum { MOST_EXPONENT = 34 };

static const dj_option option_table[] = {
    {"only", 0, DJ_OPTION_TEXT, offsetof(gpu_settings, only), "LIST",
     "of check,profiles,leak,sanitizer,copies,roofline,parallel and, for each trace, "
     "device,pinned,answers,engine,"
     "hprda,cpu,file (default all)",
     NULL},
    {"quick", 0, DJ_OPTION_FLAG, offsetof(gpu_settings, quick), NULL,
     "fewer checks, traces of 2^28 accesses alone, fewer runs", NULL},
    {"small", 0, DJ_OPTION_FLAG, offsetof(gpu_settings, small), NULL,
     "tiny sizes, to see that it works, as under a sanitizer", NULL},
    {"few", 0, DJ_OPTION_FLAG, offsetof(gpu_settings, few), NULL,
     "check next to nothing, as under a sanitizer that is slow", NULL},
    BENCH_TRACES("of zipf,uniform,loop (default all)"),
    {"accesses", 'n', DJ_OPTION_TEXT, offsetof(gpu_settings, lengths), "LIST",
     "lengths of the traces, as powers of two (default 26,28,30)", NULL},
    {"keys", 'k', DJ_OPTION_TEXT, offsetof(gpu_settings, keys), "LIST",
     "their keys, as powers of two (default 16,20,26)", NULL},
    {"scatter", 0, DJ_OPTION_FLAG, offsetof(gpu_settings, scatter), NULL,
     "replace each key by a 64-bit mix of it, one to one", NULL},
    {"chunk", 0, DJ_OPTION_UINT, offsetof(gpu_settings, chunk), "N",
     "maximum accesses of a chunk (default: the power of two that is fastest in one run)", NULL},
    {"threads", 'j', DJ_OPTION_TEXT, offsetof(gpu_settings, threads), "LIST",
     "of engine parallel in part parallel (default 1,2,4,8,16)", NULL},
    {"folder", 0, DJ_OPTION_TEXT, offsetof(gpu_settings, folder), "FOLDER",
     "for the files of part file (default TMPDIR, or /tmp)", NULL},
    BENCH_REPEAT("runs of each; the median counts (default 5, quick 3)"),
    {"limit", 0, DJ_OPTION_UINT, offsetof(gpu_settings, limit_s), "SECONDS",
     "begin nothing new after that time (default 440, quick 110)", NULL},
    {"json", 0, DJ_OPTION_TEXT, offsetof(gpu_settings, file), "FILE", "also write all results as a JSON list",
     NULL},
    BENCH_HELP,
};

typedef struct part {
    const char *name;
    int (*run)(gpu_bench *bench, dj_context *context);
    int (*time)(gpu_bench *bench, dj_context *context, const gpu_trace *trace);
    bool anywhere; // needs no device
} part;

static const part parts[] = {
    {"check", gpu_check, NULL, false},        {"profiles", gpu_profiles, NULL, false},
    {"leak", gpu_leak, NULL, false},          {"sanitizer", gpu_sanitize, NULL, false},
    {"copies", gpu_copies, NULL, false},      {"roofline", gpu_roofline, NULL, false},
    {"parallel", gpu_parallel, NULL, true},   {"device", NULL, gpu_time_device, false},
    {"pinned", NULL, gpu_time_pinned, false}, {"answers", NULL, gpu_time_answers, false},
    {"engine", NULL, gpu_time_engine, false}, {"hprda", NULL, gpu_time_hprda, false},
    {"cpu", NULL, gpu_time_cpu, false},       {"file", NULL, gpu_time_file, false},
};

enum { PARTS = sizeof parts / sizeof parts[0] };

double gpu_elapsed(const gpu_bench *bench)
{
    return bench_wall_seconds() - bench->started;
}

bool gpu_late(gpu_bench *bench, const char *what)
{
    bool late = gpu_elapsed(bench) > (double)bench->set.limit_s;
    if (late)
        gpu_say("%s: left out, %llu seconds are over", what, (unsigned long long)bench->set.limit_s);
    return late;
}

static void name_trace(const gpu_trace *trace, char *to, size_t capacity)
{
    snprintf(to, capacity, "2^%d accesses, %s over 2^%d keys", __builtin_ctzll(trace->count), trace->pattern,
             __builtin_ctzll(trace->keys));
}

// Parts and traces for which memory is too small are skipped.
static int tolerate(dj_context *context, const char *what, const char *part_name, int err)
{
    if (err != DJ_ERR_MEMORY)
        return err == DJ_OK ? DJ_OK : dj_fail_within(context, err, "%s", part_name);
    gpu_say("%s, %s: skipped: %s", what, part_name, dj_context_message(context));
    return DJ_OK;
}

// Every reuse of a loop has the same distance, which serves as an independent check.
static int tell_loop(gpu_bench *bench, dj_context *context, const gpu_trace *trace)
{
    if (strcmp(trace->pattern, "loop") != 0)
        return DJ_OK;
    bench->cold = trace->count < trace->keys ? trace->count : trace->keys;
    int err = dj_histogram_create(context, &bench->exact);
    if (err == DJ_OK && trace->count > bench->cold)
        err = dj_histogram_add(bench->exact, context, trace->keys - 1, trace->count - bench->cold);
    return err;
}

static int time_trace(gpu_bench *bench, dj_context *context, gpu_trace *trace)
{
    char name[96];
    name_trace(trace, name, sizeof name);
    if (gpu_late(bench, name))
        return DJ_OK;
    int err = gpu_reserve_keys(bench, context, trace->count);
    if (err != DJ_OK)
        return tolerate(context, name, "the trace", err);
    trace->key = bench->key;
    double start = bench_wall_seconds();
    err = gpu_trace_fill(bench, context, trace);
    if (err == DJ_OK)
        gpu_say("%s: made in %.1f s, %.0f s in all", name, bench_wall_seconds() - start, gpu_elapsed(bench));
    if (err == DJ_OK)
        err = tell_loop(bench, context, trace);
    for (size_t i = 0; err == DJ_OK && i < PARTS; i++)
        if (parts[i].time && bench_listed(bench->set.only, parts[i].name) && !gpu_late(bench, parts[i].name))
            err = tolerate(context, name, parts[i].name, parts[i].time(bench, context, trace));
    dj_histogram_destroy(bench->exact);
    bench->exact = NULL;
    return err;
}

// The next power of two of a list such as 26,28,30; 0 at its end.
static int next_power(dj_context *context, const char *option, const char **at, uint64_t *out)
{
    char *end = NULL;
    *out = 0;
    if (!*at)
        return DJ_OK;
    unsigned long exponent = strtoul(*at, &end, 10);
    if (end == *at || exponent > MOST_EXPONENT || (*end != ',' && *end != '\0'))
        return dj_fail(context, DJ_ERR_USAGE, "%s: %s: not a list of powers of two, as in 26,28", option,
                       *at);
    *at = *end ? end + 1 : NULL;
    *out = (uint64_t)1 << exponent;
    return DJ_OK;
}

static int time_length(gpu_bench *bench, dj_context *context, uint64_t accesses)
{
    int err = DJ_OK;
    for (size_t p = 0; err == DJ_OK && gpu_patterns[p]; p++) {
        const char *at = bench->set.keys;
        gpu_trace trace = {.pattern = gpu_patterns[p], .count = accesses};
        if (!bench_listed(bench->set.common.traces, gpu_patterns[p]))
            continue;
        while ((err = next_power(context, "--keys", &at, &trace.keys)) == DJ_OK && trace.keys)
            if ((err = time_trace(bench, context, &trace)) != DJ_OK)
                break;
    }
    return err;
}

static int time_traces(gpu_bench *bench, dj_context *context)
{
    const char *at = bench->set.lengths;
    uint64_t accesses;
    bool any = false;
    for (size_t i = 0; i < PARTS; i++)
        any = any || (parts[i].time && bench_listed(bench->set.only, parts[i].name));
    int err = any ? DJ_OK : next_power(context, "--accesses", &at, &accesses);
    while (any && (err = next_power(context, "--accesses", &at, &accesses)) == DJ_OK && accesses)
        if ((err = time_length(bench, context, accesses)) != DJ_OK)
            break;
    return err;
}

static int run_parts(gpu_bench *bench, dj_context *context)
{
    int err = DJ_OK;
    for (size_t i = 0; err == DJ_OK && i < PARTS; i++)
        if (parts[i].run && bench_listed(bench->set.only, parts[i].name) && !gpu_late(bench, parts[i].name))
            err = tolerate(context, "all", parts[i].name, parts[i].run(bench, context));
    if (err == DJ_OK)
        err = time_traces(bench, context);
    gpu_report_end(bench);
    if (err == DJ_OK && bench->failures > 0)
        err = dj_fail(context, DJ_ERR_INPUT, "%u things are wrong; see the lines above", bench->failures);
    return err;
}

static int begin_json(gpu_bench *bench, dj_context *context)
{
    if (!bench->set.file)
        return DJ_OK;
    bench->json_file = fopen(bench->set.file, "w");
    if (!bench->json_file)
        return dj_fail(context, DJ_ERR_IO, "%s cannot be written", bench->set.file);
    bench->json = (dj_json_writer){.out = bench->json_file};
    dj_json_begin_list(&bench->json, NULL);
    return DJ_OK;
}

static int end_json(gpu_bench *bench, dj_context *context, int err)
{
    if (!bench->json_file)
        return err;
    dj_json_end_list(&bench->json);
    dj_json_finish(&bench->json);
    bool wrong = ferror(bench->json_file) != 0;
    wrong |= fclose(bench->json_file) != 0;
    return err == DJ_OK && wrong ? dj_fail(context, DJ_ERR_IO, "%s cannot be written", bench->set.file) : err;
}

static void complete(gpu_settings *set)
{
    if (!set->common.repeat)
        set->common.repeat = set->quick || set->small ? 3 : 5;
    if (!set->limit_s)
        set->limit_s = set->quick ? 110 : 440;
    if (!set->lengths)
        set->lengths = set->small ? "10,12" : set->quick ? "28" : "26,28,30";
    if (!set->keys)
        set->keys = set->small ? "4,9" : "16,20,26";
}

// Opens the device if a part needs it.
static int find_device(gpu_bench *bench, dj_context *context)
{
    bool needed = false;
    for (size_t i = 0; i < PARTS; i++)
        needed = needed || (!parts[i].anywhere && bench_listed(bench->set.only, parts[i].name));
    if (!needed)
        return DJ_OK;
    int err = dj_gpu_find(context, &bench->device);
    if (err == DJ_ERR_DEVICE) {
        gpu_say("skipped: %s", dj_context_message(context));
        return BENCH_SKIPPED;
    }
    const dj_gpu_info *d = &bench->device;
    if (err == DJ_OK)
        gpu_say("%s, %.0f GiB of which %.0f are free, %u processors, compute capability %u.%u, CUDA %u.%u; "
                "beside it %u processors",
                d->name, (double)d->bytes / 0x1p30, (double)d->free_bytes / 0x1p30, d->processors, d->major,
                d->minor, d->runtime / 1000, d->runtime % 1000 / 10, bench->processors);
    return err;
}

static int run(dj_context *context, bench_call *call)
{
    const char *known[PARTS + 1] = {NULL};
    gpu_bench bench = {.set = *(const gpu_settings *)call->settings,
                       .processors = dj_machine_cpus(),
                       .started = bench_wall_seconds()};
    for (size_t i = 0; i < PARTS; i++)
        known[i] = parts[i].name;
    complete(&bench.set);
    int err = bench_check_list(context, "--only", bench.set.only, known);
    if (err == DJ_OK)
        err = bench_check_list(context, "--traces", bench.set.common.traces, gpu_patterns);
    if (err == DJ_OK)
        err = find_device(&bench, context);
    if (err != DJ_OK)
        return err;
    bench.rows = calloc(GPU_ROWS, sizeof *bench.rows);
    err = bench.rows ? begin_json(&bench, context) : dj_fail_memory(context, "rows", 0);
    if (err == DJ_OK)
        err = run_parts(&bench, context);
    err = end_json(&bench, context, err);
    dj_gpu_unpin(bench.key);
    dj_gpu_unpin(bench.answer);
    free(bench.rows);
    return err;
}

static const gpu_settings defaults = {.common = {0}};

const bench_subject bench_gpu = {.name = "gpu",
                                 .summary = "check and time engines on a CUDA device, compared with the CPU",
                                 .options = option_table,
                                 .defaults = &defaults,
                                 .settings_bytes = sizeof(gpu_settings),
                                 .run = run};
