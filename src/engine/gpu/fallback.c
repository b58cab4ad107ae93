// SPDX-License-Identifier: MIT
#include "engine/gpu/worker.h"

#include "engine/registry.h"

#include <stdlib.h>

struct dj_gpu_fallback {
    void *engine;
    uint32_t use;
    uint64_t distance[DJ_GPU_FALLBACK_ACCESSES], prev_time[DJ_GPU_FALLBACK_ACCESSES];
    uint32_t narrow[DJ_GPU_FALLBACK_ACCESSES], prev_tag[DJ_GPU_FALLBACK_ACCESSES];
};

static int ask(dj_gpu_fallback *f, dj_context *context, const dj_gpu_columns *columns, uint64_t count)
{
    dj_work work = {.count = count,
                    .key = columns->key,
                    .tag = f->use & DJ_CAN_TAGS ? columns->tag : NULL,
                    .time = f->use & DJ_CAN_TIMES ? columns->time : NULL,
                    .distance = f->distance,
                    .prev_tag = f->use & DJ_CAN_TAGS ? f->prev_tag : NULL,
                    .prev_time = f->use & DJ_CAN_TIMES ? f->prev_time : NULL};
    dj_work *back;
    int err = dj_engine_fast.push(f->engine, context, &work);
    return err ? err : dj_engine_fast.pull(f->engine, context, &back); // it answers immediately
}

int dj_gpu_fallback_create(dj_context *context, uint32_t use, const dj_order *order, dj_gpu_fallback **out)
{
    dj_gpu_fallback *f = calloc(1, sizeof *f);
    if (!f)
        return dj_fail_memory(context, "engine gpu", sizeof *f);
    f->use = use & (DJ_CAN_TAGS | DJ_CAN_TIMES);
    dj_engine_params params = {.use = f->use, .expected_keys = order->count};
    int err = dj_engine_fast.create(context, &params, &f->engine);
    for (uint64_t at = 0, count; !err && at < order->count; at += count) {
        count = order->count - at < DJ_GPU_FALLBACK_ACCESSES ? order->count - at : DJ_GPU_FALLBACK_ACCESSES;
        dj_gpu_columns columns = {order->key + at, order->tag ? order->tag + at : NULL,
                                  order->time ? order->time + at : NULL};
        err = ask(f, context, &columns, count);
    }
    if (err)
        dj_gpu_fallback_destroy(f);
    else
        *out = f;
    return err;
}

void dj_gpu_fallback_destroy(dj_gpu_fallback *f)
{
    if (!f)
        return;
    if (f->engine)
        dj_engine_fast.destroy(f->engine);
    free(f);
}

int dj_gpu_fallback_answer(dj_gpu_fallback *f, dj_context *context, const dj_gpu_columns *columns,
                           uint64_t count, dj_gpu_answers *answers)
{
    int err = ask(f, context, columns, count);
    for (uint64_t i = 0; !err && i < count; i++) {
        if (f->distance[i] != DJ_COLD && f->distance[i] >= DJ_GPU_COLD)
            err = dj_fail(context, DJ_ERR_MEMORY, "engine gpu: more than 2^32 keys; choose another engine");
        f->narrow[i] = f->distance[i] == DJ_COLD ? DJ_GPU_COLD : (uint32_t)f->distance[i];
    }
    *answers = (dj_gpu_answers){f->narrow, f->prev_tag, f->prev_time};
    return err;
}

int dj_gpu_fallback_count(dj_gpu_fallback *f, dj_context *context, const dj_gpu_columns *columns,
                          uint64_t count, dj_histogram *into, uint64_t *cold)
{
    uint64_t found = 0;
    int err = ask(f, context, columns, count);
    if (!err)
        err = dj_histogram_add_all(into, context, f->distance, count, &found);
    *cold += found;
    return err;
}

int dj_gpu_fallback_order(dj_gpu_fallback *f, dj_context *context, dj_order *out)
{
    return dj_engine_fast.order(f->engine, context, out);
}

void dj_gpu_fallback_stats(const dj_gpu_fallback *f, dj_engine_stats *out)
{
    dj_engine_fast.stats(f->engine, out);
    out->bytes += sizeof *f;
    out->peak_bytes += sizeof *f;
}
