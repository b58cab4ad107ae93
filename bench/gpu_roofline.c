// SPDX-License-Identifier: MIT
// The bytes that each step moves and its speed, compared with plain copies.
#include <string.h>

#include "bench/gpu.h"
#include "engine/hprda/gpu.h"

enum { COPIES = 8 };

// The speed of copies into the buffers of the device, from pinned memory or from its own.
static int time_copy(dj_context *context, const uint64_t *from, uint64_t count, double *bytes_per_s)
{
    const dj_gpu_config config = {.chunk = count, .key_capacity = 1, .use = DJ_CAN_TOTALS};
    const dj_gpu_columns columns = {.key = from};
    dj_gpu *gpu = NULL;
    double best = 0;
    int err = DJ_OK;
    for (unsigned i = 0; err == DJ_OK && i < COPIES; i++) {
        uint64_t ticket = 0;
        err = dj_gpu_open(context, &config, &gpu);
        double start = bench_wall_seconds();
        if (err == DJ_OK)
            err = dj_gpu_put(gpu, context, &columns, count, &ticket);
        if (err == DJ_OK)
            err = dj_gpu_wait_put(gpu, context, ticket);
        double seconds = bench_wall_seconds() - start;
        best = best == 0 || seconds < best ? seconds : best;
        dj_gpu_close(gpu);
        gpu = NULL;
    }
    if (err == DJ_OK)
        *bytes_per_s = (double)(count * sizeof *from) / best;
    return err;
}

int gpu_copies(gpu_bench *bench, dj_context *context)
{
    const uint64_t count = bench->set.small ? 4096 : (uint64_t)1 << 28;
    void *held = NULL;
    int err = gpu_reserve_keys(bench, context, count);
    if (err != DJ_OK)
        return err;
    memset(bench->key, 1, count * sizeof *bench->key);
    err = time_copy(context, bench->key, count, &bench->host_bytes_per_s);
    if (err == DJ_OK)
        err = dj_gpu_allocate(context, bench->key, count * sizeof *bench->key, &held);
    if (err == DJ_OK)
        err = time_copy(context, held, count, &bench->device_bytes_per_s);
    dj_gpu_free(held);
    bench->device_bytes_per_s *= 2; // read and written
    if (err == DJ_OK)
        gpu_say(
            "plain copies: %.1f GB/s over the bus, so at most %.2f G accesses/s of 8 bytes; %.0f GB/s of the "
            "device's memory",
            1e-9 * bench->host_bytes_per_s, 1e-9 * bench->host_bytes_per_s / sizeof *bench->key,
            1e-9 * bench->device_bytes_per_s);
    if (err == DJ_OK && bench->json_file) {
        dj_json_begin_row(&bench->json, NULL);
        dj_json_text(&bench->json, "part", "copies");
        dj_json_real(&bench->json, "host_bytes_per_s", bench->host_bytes_per_s);
        dj_json_real(&bench->json, "device_bytes_per_s", bench->device_bytes_per_s);
        dj_json_end_object(&bench->json);
    }
    return err;
}

static int exact_steps(gpu_bench *bench, dj_context *context, const gpu_trace *trace, uint32_t use)
{
    dj_gpu_step steps[DJ_GPU_STEPS];
    gpu_device_run run = {.from = {.key = trace->key},
                          .count = trace->count,
                          .keys = trace->keys,
                          .use = use,
                          .timed = true,
                          .steps = steps,
                          .answers = {.distance = bench->answer}};
    int err = DJ_OK;
    uint64_t chunk = bench->set.chunk ? bench->set.chunk : trace->count / 4;
    run.chunk = gpu_fitting_chunk(context, &run, chunk ? chunk : 1);
    if (use & DJ_CAN_TOTALS)
        err = dj_histogram_create(context, &run.into);
    if (err == DJ_OK)
        err = gpu_run_device(context, &run);
    dj_histogram_destroy(run.into);
    if (err == DJ_OK)
        gpu_report_steps(bench, use & DJ_CAN_TOTALS ? "the exact histogram" : "exact answers", trace, steps,
                         run.step_count);
    return err;
}

typedef struct look {
    dj_gpu_step steps[DJ_GPU_STEPS];
    size_t count;
} look;

static void look_at(void *user, void *state)
{
    look *l = user;
    l->count = dj_hprda_gpu_steps(state, l->steps);
}

static int hprda_steps(gpu_bench *bench, dj_context *context, const gpu_trace *trace)
{
    dj_engine_ops engine = *dj_engine_find("hprda-gpu");
    dj_hprda_gpu_options options = *(const dj_hprda_gpu_options *)engine.default_options;
    look l = {.count = 0};
    gpu_engine_run run = {.engine = &engine,
                          .use = DJ_CAN_TOTALS,
                          .key = trace->key,
                          .count = trace->count,
                          .look = look_at,
                          .user = &l};
    options.timed = true;
    if (bench->set.small)
        options.common.fragment = trace->count / 3;
    engine.default_options = &options;
    int err = dj_histogram_create(context, &run.into);
    if (err == DJ_OK)
        err = gpu_run_engine(context, &run);
    dj_histogram_destroy(run.into);
    if (err == DJ_OK)
        gpu_report_steps(bench, "hprda-gpu", trace, l.steps, l.count);
    if (err == DJ_OK && run.warning[0])
        gpu_say("engine hprda-gpu: %s", run.warning);
    return err;
}

int gpu_roofline(gpu_bench *bench, dj_context *context)
{
    const unsigned accesses = bench->set.small ? 12 : bench->set.quick ? 26 : 28;
    gpu_trace trace = {.pattern = "zipf", .count = (uint64_t)1 << accesses};
    trace.keys = (uint64_t)1 << (bench->set.small ? 8 : 20);
    int err = bench->host_bytes_per_s > 0 ? DJ_OK : gpu_copies(bench, context);
    if (err == DJ_OK)
        err = gpu_reserve_keys(bench, context, trace.count);
    if (err == DJ_OK)
        err = gpu_reserve_answers(bench, context, trace.count);
    trace.key = bench->key;
    if (err == DJ_OK)
        err = gpu_trace_fill(bench, context, &trace);
    if (err == DJ_OK)
        err = exact_steps(bench, context, &trace, DJ_CAN_TOTALS);
    if (err == DJ_OK)
        err = exact_steps(bench, context, &trace, DJ_CAN_PER_ACCESS);
    if (err == DJ_OK)
        err = hprda_steps(bench, context, &trace);
    return err;
}
