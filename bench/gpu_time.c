// SPDX-License-Identifier: MIT
// One trace, from device memory, from pinned memory, with answers, by the engines.
#include <stdlib.h>
#include <string.h>

#include "bench/gpu.h"

// A run this long needs no warm-up run; no further run begins after that much time.
enum { LONG_SECONDS = 1, ENOUGH_SECONDS = 2 };
enum { LEAST_CHUNK = 1 << 20, SOME = 4096 };

static int order_of(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, unsigned count)
{
    qsort(values, count, sizeof *values, order_of);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

int gpu_repeat(gpu_bench *bench, dj_context *context, gpu_once *once, void *user, gpu_row *row)
{
    double seconds[GPU_RUNS], fetched[GPU_RUNS], start = bench_wall_seconds();
    unsigned runs = (unsigned)(bench->set.common.repeat < GPU_RUNS ? bench->set.common.repeat : GPU_RUNS);
    int err = once(user, context, &seconds[0], &fetched[0]);
    unsigned done = seconds[0] > LONG_SECONDS ? 1 : 0;
    while (err == DJ_OK && done < runs) {
        double now = bench_wall_seconds();
        if (done > 0 && (now - start > ENOUGH_SECONDS || gpu_elapsed(bench) > (double)bench->set.limit_s))
            break;
        err = once(user, context, &seconds[done], &fetched[done]);
        done++;
    }
    if (err != DJ_OK)
        return err;
    row->runs = done;
    row->seconds = median(seconds, done);
    row->least_s = seconds[0];
    row->most_s = seconds[done - 1];
    double last = median(fetched, done);
    row->fetched_s = last > row->seconds ? last : 0;
    return DJ_OK;
}

gpu_row gpu_row_of(const gpu_trace *trace, const char *part)
{
    return (gpu_row){
        .part = part, .trace = trace->pattern, .accesses = trace->count, .keys = trace->keys, .error = -1};
}

typedef struct device_user {
    gpu_bench *bench;
    gpu_device_run run;
    const char *part;
    bool fetch;     // the histogram, in the next run; slow with many distances
    double fetch_s; // the time of that
} device_user;

static int device_once(void *user, dj_context *context, double *seconds, double *fetched_s)
{
    device_user *u = user;
    int err = DJ_OK;
    if (u->fetch)
        err = dj_histogram_create(context, &u->run.into);
    if (err == DJ_OK)
        err = gpu_run_device(context, &u->run);
    dj_histogram *got = u->run.into;
    u->run.into = NULL;
    if (u->fetch)
        u->fetch_s = u->run.fetched_s - u->run.seconds;
    u->fetch = false;
    *seconds = u->run.seconds;
    *fetched_s = u->run.seconds + u->fetch_s;
    if (err == DJ_OK && got)
        return gpu_agree(u->bench, context, u->part, got, u->run.cold);
    dj_histogram_destroy(got);
    return err;
}

// The largest chunk that fits, halved as long as that is faster.
static int choose_chunk(device_user *u, dj_context *context)
{
    const uint64_t asked = u->bench->set.chunk, count = u->run.count;
    uint64_t chunk = gpu_fitting_chunk(context, &u->run, asked ? asked : count), best = 0;
    double best_s = 0, seconds, fetched_s;
    if (chunk == 0)
        return dj_fail(context, DJ_ERR_MEMORY, "the device has too little memory for any chunk");
    u->run.chunk = chunk;
    if (asked)
        return DJ_OK;
    int err = device_once(u, context, &seconds, &fetched_s); // to warm up
    for (; err == DJ_OK && (best == 0 || chunk >= LEAST_CHUNK); chunk >>= 1) {
        double again_s = 0;
        u->run.chunk = chunk;
        err = device_once(u, context, &seconds, &fetched_s);
        if (err == DJ_OK)
            err = device_once(u, context, &again_s, &fetched_s);
        seconds = again_s < seconds ? again_s : seconds;
        if (best > 0 && seconds >= best_s)
            break;
        best = chunk;
        best_s = seconds;
    }
    u->run.chunk = best;
    return err;
}

static int time_device(device_user *u, dj_context *context, const gpu_trace *trace, double goal)
{
    gpu_row row = gpu_row_of(trace, u->part);
    row.goal = u->bench->set.small ? 0 : goal;
    int err = choose_chunk(u, context);
    row.chunk = u->run.chunk;
    u->fetch = (u->run.use & DJ_CAN_TOTALS) != 0;
    if (err == DJ_OK)
        err = gpu_repeat(u->bench, context, device_once, u, &row);
    if (err == DJ_OK)
        gpu_report_row(u->bench, &row);
    return err;
}

static device_user user_of(gpu_bench *bench, const gpu_trace *trace, const char *part, uint32_t use)
{
    return (device_user){
        .bench = bench,
        .part = part,
        .run = {.from = {.key = trace->key}, .count = trace->count, .keys = trace->keys, .use = use}};
}

int gpu_time_device(gpu_bench *bench, dj_context *context, const gpu_trace *trace)
{
    device_user u = user_of(bench, trace, "device", DJ_CAN_TOTALS);
    void *held = NULL;
    int err = dj_gpu_allocate(context, trace->key, trace->count * sizeof *trace->key, &held);
    u.run.from.key = held;
    if (err == DJ_OK)
        err = time_device(&u, context, trace, 3.5e9);
    dj_gpu_free(held);
    return err;
}

int gpu_time_pinned(gpu_bench *bench, dj_context *context, const gpu_trace *trace)
{
    device_user u = user_of(bench, trace, "pinned", DJ_CAN_TOTALS);
    return time_device(&u, context, trace, 2.5e9);
}

static int count_answers(const gpu_trace *trace, dj_context *context, const uint32_t *answer,
                         dj_histogram *into, uint64_t *cold)
{
    uint64_t wide[SOME];
    for (uint64_t i = 0; i < trace->count; i += SOME) {
        uint64_t n = trace->count - i < SOME ? trace->count - i : SOME, some = 0;
        for (uint64_t j = 0; j < n; j++)
            wide[j] = answer[i + j] == DJ_GPU_COLD ? DJ_COLD : answer[i + j];
        int err = dj_histogram_add_all(into, context, wide, n, &some);
        if (err != DJ_OK)
            return err;
        *cold += some;
    }
    return DJ_OK;
}

int gpu_time_answers(gpu_bench *bench, dj_context *context, const gpu_trace *trace)
{
    device_user u = user_of(bench, trace, "answers", DJ_CAN_PER_ACCESS);
    dj_histogram *got = NULL;
    uint64_t cold = 0;
    int err = gpu_reserve_answers(bench, context, trace->count);
    u.run.answers.distance = bench->answer;
    if (err == DJ_OK)
        err = time_device(&u, context, trace, 1e9);
    // One thread is too slow to count those of longer traces.
    if (err != DJ_OK || trace->count > GPU_CPU_MOST)
        return err;
    err = dj_histogram_create(context, &got);
    if (err == DJ_OK)
        err = count_answers(trace, context, bench->answer, got, &cold);
    if (err == DJ_OK)
        return gpu_agree(bench, context, "answers", got, cold);
    dj_histogram_destroy(got);
    return err;
}
