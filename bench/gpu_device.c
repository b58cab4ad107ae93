// SPDX-License-Identifier: MIT
// The device without an engine.
#include <stdlib.h>

#include "bench/gpu.h"

typedef struct runner {
    gpu_device_run *run;
    dj_gpu *gpu;
    uint64_t at, end;
    uint64_t ticket;
    unsigned waiting; // chunks whose answers were not waited for
} runner;

static dj_gpu_config config_of(const gpu_device_run *run, uint64_t chunk)
{
    uint64_t key_capacity = run->keys < run->count ? run->keys : run->count;
    return (dj_gpu_config){
        .chunk = chunk, .key_capacity = key_capacity, .use = run->use, .timed = run->timed};
}

uint64_t gpu_fitting_chunk(dj_context *context, const gpu_device_run *run, uint64_t most)
{
    dj_gpu_info now;
    if (dj_gpu_find(context, &now) != DJ_OK)
        return 0;
    uint64_t chunk = (uint64_t)1 << 30;
    while (chunk > most)
        chunk >>= 1;
    for (; chunk; chunk >>= 1) {
        dj_gpu_config config = config_of(run, chunk);
        if (config.chunk + config.key_capacity < DJ_GPU_MOST &&
            dj_gpu_bytes(&config) < now.free_bytes / 20 * 19)
            return chunk;
    }
    return 0;
}

static int put(runner *r, dj_context *context, uint64_t count)
{
    const gpu_device_run *run = r->run;
    const uint64_t step = run->piece ? run->piece : count;
    for (uint64_t done = 0; done < count;) {
        uint64_t some = count - done < step ? count - done : step;
        uint64_t at = r->at + done;
        const dj_gpu_columns columns = {.key = run->from.key + at,
                                        .tag = run->from.tag ? run->from.tag + at : NULL,
                                        .time = run->from.time ? run->from.time + at : NULL};
        int err = dj_gpu_put(r->gpu, context, &columns, some, &r->ticket);
        if (err != DJ_OK)
            return err;
        done += some;
    }
    return DJ_OK;
}

static int next_chunk(runner *r, dj_context *context)
{
    const gpu_device_run *run = r->run;
    const dj_gpu_answers *to = &run->answers;
    const bool per_access = !(run->use & DJ_CAN_TOTALS);
    uint64_t count = r->end - r->at < run->chunk ? r->end - r->at : run->chunk;
    const dj_gpu_answers answers = {.distance = to->distance ? to->distance + r->at : NULL,
                                    .prev_tag = to->prev_tag ? to->prev_tag + r->at : NULL,
                                    .prev_time = to->prev_time ? to->prev_time + r->at : NULL};
    int err = put(r, context, count);
    if (err == DJ_OK)
        err = dj_gpu_analyze(r->gpu, context, per_access ? &answers : NULL);
    if (err == DJ_OK && per_access && ++r->waiting > 1) {
        err = dj_gpu_wait_answers(r->gpu, context);
        r->waiting--;
    }
    r->at += count;
    return err;
}

// Runs from r->at to r->end on one device, which starts with the keys of `order` and stores the final order
// there.
static int stretch(runner *r, dj_context *context, dj_order *order, bool more)
{
    gpu_device_run *run = r->run;
    const dj_gpu_config config = config_of(run, run->chunk);
    uint64_t keys = 0;
    int err = dj_gpu_open(context, &config, &r->gpu);
    if (err == DJ_OK && order->count > 0)
        err = dj_gpu_begin(r->gpu, context, order);
    double start = bench_wall_seconds();
    while (err == DJ_OK && r->at < r->end)
        err = next_chunk(r, context);
    for (; err == DJ_OK && r->waiting > 0; r->waiting--)
        err = dj_gpu_wait_answers(r->gpu, context);
    if (err == DJ_OK)
        err = dj_gpu_finish(r->gpu, context, &keys);
    run->seconds += bench_wall_seconds() - start;
    if (err == DJ_OK && run->into)
        err = dj_gpu_totals(r->gpu, context, run->into, &run->cold);
    run->fetched_s += bench_wall_seconds() - start;
    if (err == DJ_OK && run->steps)
        run->step_count = dj_gpu_steps(r->gpu, run->steps);
    dj_order_free(order);
    *order = (dj_order){0};
    if (err == DJ_OK && (more || run->order))
        err = dj_gpu_order(r->gpu, context, order);
    dj_gpu_close(r->gpu);
    r->gpu = NULL;
    return err;
}

int gpu_run_device(dj_context *context, gpu_device_run *run)
{
    runner r = {.run = run, .end = run->resume_at ? run->resume_at : run->count};
    dj_order order = {0};
    run->seconds = run->fetched_s = 0;
    run->cold = 0;
    int err = stretch(&r, context, &order, run->resume_at > 0);
    if (err == DJ_OK && run->resume_at > 0) {
        r.end = run->count;
        err = stretch(&r, context, &order, false);
    }
    if (err == DJ_OK && run->order)
        *run->order = order;
    else
        dj_order_free(&order);
    return err;
}
