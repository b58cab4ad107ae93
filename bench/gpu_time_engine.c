// SPDX-License-Identifier: MIT
// One trace, by engines: those on the device, which count, and those on the CPU, which return distances. The
// exact ones must agree.
#include <stdlib.h>
#include <string.h>

#include "bench/gpu.h"
#include "bench/hprda.h"

#define QUICK_MOST ((uint64_t)1 << 24)
#define ANSWERS_MOST ((uint64_t)1 << 28)
#define CHECKED_KEYS ((uint64_t)1 << 20)

typedef struct engine_user {
    gpu_bench *bench;
    gpu_engine_run run;
    bool fetch; // the histogram, in the next run
    double fetch_s;
    dj_histogram *last; // of an estimate
    bool elsewhere;     // as in gpu_row
} engine_user;

static int once(void *user, dj_context *context, double *seconds, double *fetched_s)
{
    engine_user *u = user;
    const dj_engine_ops *engine = u->run.engine;
    int err = DJ_OK;
    if (u->fetch)
        err = dj_histogram_create(context, &u->run.into);
    if (err == DJ_OK)
        err = gpu_run_engine(context, &u->run);
    dj_histogram *got = u->run.into;
    u->run.into = NULL;
    if (u->fetch)
        u->fetch_s = u->run.fetched_s - u->run.seconds;
    u->fetch = false;
    *seconds = u->run.seconds;
    *fetched_s = u->run.seconds + u->fetch_s;
    if (u->run.warning[0] && !u->elsewhere)
        gpu_say("engine %s: %s", engine->name, u->run.warning);
    u->elsewhere = u->elsewhere || u->run.warning[0];
    if (err == DJ_OK && got && engine->can & DJ_CAN_EXACT)
        return gpu_agree(u->bench, context, engine->name, got, u->run.cold);
    if (got) {
        dj_histogram_destroy(u->last);
        u->last = got;
    }
    return err;
}

// The complete trace was analyzed, so the results of the device can be checked.
static int check(gpu_bench *bench, dj_context *context, const gpu_trace *trace, const char *name,
                 const uint64_t *distance)
{
    dj_histogram *got = NULL;
    uint64_t cold = 0;
    int err = dj_histogram_create(context, &got);
    if (err == DJ_OK)
        err = dj_histogram_add_all(got, context, distance, trace->count, &cold);
    if (err == DJ_OK)
        return gpu_agree(bench, context, name, got, cold);
    dj_histogram_destroy(got);
    return err;
}

// With a 64-bit distance for each access, in memory that was touched before.
static int time_answers(gpu_bench *bench, dj_context *context, const gpu_trace *trace, engine_user *u)
{
    gpu_row row = gpu_row_of(trace, "eng.answers");
    uint64_t *distance = malloc(trace->count * sizeof *distance);
    if (!distance)
        return dj_fail_memory(context, "distances", trace->count * sizeof *distance);
    memset(distance, 0x5a, trace->count * sizeof *distance);
    u->run.use = DJ_CAN_PER_ACCESS;
    u->run.distance = distance;
    u->fetch_s = 0;
    row.goal = bench->set.small ? 0 : 1e9;
    int err = gpu_repeat(bench, context, once, u, &row);
    row.elsewhere = u->elsewhere;
    if (err == DJ_OK)
        gpu_report_row(bench, &row);
    if (err == DJ_OK && trace->count <= GPU_CPU_MOST)
        err = check(bench, context, trace, "engine gpu with answers", distance);
    free(distance);
    return err;
}

int gpu_time_engine(gpu_bench *bench, dj_context *context, const gpu_trace *trace)
{
    gpu_row row = gpu_row_of(trace, "engine");
    engine_user u = {.bench = bench,
                     .run = {.engine = dj_engine_find("gpu"),
                             .use = DJ_CAN_TOTALS,
                             .key = trace->key,
                             .count = trace->count},
                     .fetch = true};
    int err = gpu_repeat(bench, context, once, &u, &row);
    row.elsewhere = u.elsewhere;
    if (err == DJ_OK)
        gpu_report_row(bench, &row);
    if (err == DJ_OK && trace->count <= ANSWERS_MOST)
        err = time_answers(bench, context, trace, &u);
    return err;
}

static void share_out(const dj_histogram *histogram, uint64_t cold, uint64_t accesses, hprda_run *out)
{
    uint64_t counts[HPRDA_BINS] = {0};
    for (uint64_t v = 0, n; (n = dj_histogram_next(histogram, &v)) != 0; v++)
        counts[hprda_bin(v)] += n;
    counts[hprda_bin(DJ_COLD)] += cold;
    for (size_t k = 0; k < HPRDA_BINS; k++)
        out->share[k] = (double)counts[k] / (double)accesses;
}

int gpu_time_hprda(gpu_bench *bench, dj_context *context, const gpu_trace *trace)
{
    gpu_row row = gpu_row_of(trace, "hprda-gpu");
    engine_user u = {.bench = bench,
                     .run = {.engine = dj_engine_find("hprda-gpu"),
                             .use = DJ_CAN_TOTALS,
                             .key = trace->key,
                             .count = trace->count},
                     .fetch = true};
    hprda_run exact, estimate;
    int err = gpu_repeat(bench, context, once, &u, &row);
    if (err == DJ_OK && bench->exact) {
        share_out(bench->exact, bench->cold, trace->count, &exact);
        share_out(u.last, u.run.cold, trace->count, &estimate);
        row.error = hprda_error(&exact, &estimate);
        row.misplaced = hprda_misplaced(&exact, &estimate);
    }
    dj_histogram_destroy(u.last);
    row.elsewhere = u.elsewhere;
    if (err == DJ_OK)
        gpu_report_row(bench, &row);
    return err;
}

static bool measured(const gpu_bench *bench, const gpu_trace *trace)
{
    for (size_t i = 0; i < bench->row_count; i++)
        if (strcmp(bench->rows[i].part, "parallel") == 0 && bench->rows[i].keys == trace->keys &&
            strcmp(bench->rows[i].trace, trace->pattern) == 0)
            return true;
    return false;
}

static int time_cpu(gpu_bench *bench, dj_context *context, const gpu_trace *trace, const char *name,
                    uint64_t *distance)
{
    gpu_row row = gpu_row_of(trace, name);
    engine_user u = {.bench = bench,
                     .run = {.engine = dj_engine_find(name),
                             .use = DJ_CAN_PER_ACCESS,
                             .key = trace->key,
                             .count = trace->count,
                             .distance = distance}};
    int err = gpu_repeat(bench, context, once, &u, &row);
    if (err == DJ_OK)
        gpu_report_row(bench, &row);
    return err;
}

int gpu_time_cpu(gpu_bench *bench, dj_context *context, const gpu_trace *trace)
{
    const uint64_t most = bench->set.quick ? QUICK_MOST : GPU_CPU_MOST;
    const bool known = measured(bench, trace);
    gpu_trace part = *trace;
    // Longer traces are cut to their beginning, but some are analyzed completely, to check the device.
    if (trace->count > most && (!known || trace->keys != CHECKED_KEYS || strcmp(trace->pattern, "zipf") != 0))
        part.count = most;
    if (known && part.count < trace->count)
        return DJ_OK;
    // Keys in ordinary memory, in case pinned memory is slower to read.
    uint64_t *distance = calloc(2 * part.count, sizeof *distance);
    int err = distance ? DJ_OK : dj_fail_memory(context, "distances", 2 * part.count * sizeof *distance);
    if (err == DJ_OK)
        part.key = memcpy(distance + part.count, trace->key, part.count * sizeof *part.key);
    if (err == DJ_OK && !known)
        err = time_cpu(bench, context, &part, "fast", distance);
    if (err == DJ_OK)
        err = time_cpu(bench, context, &part, "parallel", distance);
    if (err == DJ_OK && part.count == trace->count)
        err = check(bench, context, trace, "the processor", distance);
    free(distance);
    return err;
}

// Engine parallel by the number of its threads, on the traces of the other comparisons.
static int time_threads(gpu_bench *bench, dj_context *context, const bench_trace *trace, uint64_t *distance,
                        const char *name, uint64_t threads, double *fast_s)
{
    gpu_row row = {
        .part = name, .trace = trace->name, .accesses = trace->count, .threads = threads, .error = -1};
    engine_user u = {.bench = bench,
                     .run = {.engine = dj_engine_find(name),
                             .option = "threads",
                             .value = threads,
                             .use = DJ_CAN_PER_ACCESS,
                             .key = trace->keys,
                             .count = trace->count,
                             .distance = distance}};
    int err = gpu_repeat(bench, context, once, &u, &row);
    if (err != DJ_OK)
        return err;
    if (*fast_s > 0)
        row.times_fast = *fast_s / row.seconds;
    else
        *fast_s = row.seconds;
    gpu_report_row(bench, &row);
    return DJ_OK;
}

static int time_made(gpu_bench *bench, dj_context *context, const bench_trace *trace)
{
    const char *list = bench->set.threads ? bench->set.threads : "1,2,4,8,16";
    double fast_s = 0;
    uint64_t *distance = calloc(trace->count, sizeof *distance);
    if (!distance)
        return dj_fail_memory(context, "distances", trace->count * sizeof *distance);
    int err = time_threads(bench, context, trace, distance, "fast", 1, &fast_s);
    for (const char *at = list; err == DJ_OK && at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        uint64_t threads = strtoull(at, NULL, 10);
        if (threads == 0)
            err = dj_fail(context, DJ_ERR_USAGE, "--threads %s: not a list of numbers, as in 1,2,4", list);
        else if (threads <= bench->processors)
            err = time_threads(bench, context, trace, distance, "parallel", threads, &fast_s);
    }
    free(distance);
    return err;
}

int gpu_parallel(gpu_bench *bench, dj_context *context)
{
    static const char *const names[] = {"zipf", "stencil"};
    int err = DJ_OK;
    for (size_t i = 0; err == DJ_OK && i < 2; i++) {
        bench_trace trace = {0};
        if (gpu_late(bench, "parallel"))
            return DJ_OK;
        err = bench_trace_make(context, names[i],
                               bench->set.small   ? 100000
                               : bench->set.quick ? 20000000
                                                  : 50000000,
                               &trace);
        if (err == DJ_OK)
            err = time_made(bench, context, &trace);
        bench_trace_free(&trace);
    }
    return err;
}
