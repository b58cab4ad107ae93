// SPDX-License-Identifier: MIT
// Sends a stream through a device, chunk by chunk, as an engine would.
#ifndef DEJA_TESTS_GPU_DEVICE_RUN_H
#define DEJA_TESTS_GPU_DEVICE_RUN_H

#include "gpu/device.h"
#include "support/engine_compare.h"

typedef struct device_run {
    dj_gpu_config config;
    uint64_t most_put;     // accesses at a time
    uint64_t filled;       // accesses of a chunk, at most config.chunk
    const dj_order *order; // to begin with, or NULL
    bool grows;            // one device grows, instead of a sequence of larger ones
} device_run;

typedef struct device_buffer {
    uint64_t *key, *time, *prev_time;
    uint32_t *tag, *prev_tag, *distance;
    uint64_t ticket;
    size_t from, count; // accesses whose answers come here
} device_buffer;

typedef struct device_state {
    const device_run *run;
    const stream *s;
    dj_gpu_config config;
    dj_gpu *gpu;
    device_buffer buffers[2];
    uint64_t analyzed, answered; // chunks
    answers *got;
    dj_histogram *totals;
    uint64_t cold;
    unsigned opened;
} device_state;

static inline int device_pin(dj_context *context, device_buffer *b, uint64_t count)
{
    int err = dj_gpu_pin(context, count * sizeof *b->key, (void **)&b->key);
    if (!err)
        err = dj_gpu_pin(context, count * sizeof *b->time, (void **)&b->time);
    if (!err)
        err = dj_gpu_pin(context, count * sizeof *b->tag, (void **)&b->tag);
    if (!err)
        err = dj_gpu_pin(context, count * sizeof *b->prev_time, (void **)&b->prev_time);
    if (!err)
        err = dj_gpu_pin(context, count * sizeof *b->prev_tag, (void **)&b->prev_tag);
    return err ? err : dj_gpu_pin(context, count * sizeof *b->distance, (void **)&b->distance);
}

static inline void device_unpin(device_buffer *b)
{
    dj_gpu_unpin(b->key);
    dj_gpu_unpin(b->time);
    dj_gpu_unpin(b->tag);
    dj_gpu_unpin(b->prev_time);
    dj_gpu_unpin(b->prev_tag);
    dj_gpu_unpin(b->distance);
}

// The answers of the oldest chunk that has none yet.
static inline int device_collect(device_state *d, dj_context *context)
{
    const device_buffer *b = &d->buffers[d->answered % 2];
    int err = dj_gpu_wait_answers(d->gpu, context);
    for (size_t i = 0; !err && i < b->count && !(d->config.use & DJ_CAN_TOTALS); i++) {
        d->got->distance[b->from + i] = b->distance[i] == DJ_GPU_COLD ? DJ_COLD : b->distance[i];
        if (d->config.use & DJ_CAN_TAGS)
            d->got->prev_tag[b->from + i] = b->prev_tag[i];
        if (d->config.use & DJ_CAN_TIMES)
            d->got->prev_time[b->from + i] = b->prev_time[i];
    }
    d->answered++;
    return err;
}

static inline int device_put(device_state *d, dj_context *context, const dj_gpu_columns *columns,
                             uint64_t count, uint64_t *ticket)
{
    int err = DJ_OK;
    for (uint64_t at = 0; !err && at < count;) {
        uint64_t n = count - at < d->run->most_put ? count - at : d->run->most_put;
        dj_gpu_columns part = {columns->key + at, columns->tag ? columns->tag + at : NULL,
                               columns->time ? columns->time + at : NULL};
        err = dj_gpu_put(d->gpu, context, &part, n, ticket);
        at += n;
    }
    return err;
}

// Moves the counts and keys to a device with space for twice the keys.
static inline int device_enlarge(device_state *d, dj_context *context)
{
    dj_order order = {0}, back = {0};
    uint64_t keys = 0, ticket = 0;
    int err = dj_gpu_finish(d->gpu, context, &keys);
    while (!err && d->answered < d->analyzed)
        err = device_collect(d, context);
    if (!err && d->run->grows)
        return dj_gpu_grow(d->gpu, context, d->config.chunk + 77, 2 * keys);
    if (!err)
        err = dj_gpu_order(d->gpu, context, &order);
    if (!err)
        err = dj_gpu_take_back(d->gpu, context, &back);
    if (!err && d->config.use & DJ_CAN_TOTALS)
        err = dj_gpu_totals(d->gpu, context, d->totals, &d->cold);
    dj_gpu_close(d->gpu);
    d->gpu = NULL;
    d->config.key_capacity = 2 * keys;
    if (!err)
        err = dj_gpu_open(context, &d->config, &d->gpu);
    d->opened++;
    if (!err)
        err = dj_gpu_begin(d->gpu, context, &order);
    dj_gpu_columns columns = {back.key, back.tag, back.time};
    if (!err)
        err = device_put(d, context, &columns, back.count, &ticket);
    if (!err)
        err = dj_gpu_wait_put(d->gpu, context, ticket);
    dj_order_free(&order);
    dj_order_free(&back);
    return err;
}

static inline int device_chunk(device_state *d, dj_context *context, size_t from, size_t count)
{
    device_buffer *b = &d->buffers[d->analyzed % 2];
    int err = dj_gpu_wait_put(d->gpu, context, b->ticket);
    if (!err && d->analyzed - d->answered == 2)
        err = device_collect(d, context);
    if (err)
        return err;
    memcpy(b->key, d->s->key + from, count * sizeof *b->key);
    memcpy(b->time, d->s->time + from, count * sizeof *b->time);
    memcpy(b->tag, d->s->tag + from, count * sizeof *b->tag);
    b->from = from;
    b->count = count;
    b->ticket = 0;
    dj_gpu_columns columns = {b->key, d->config.use & DJ_CAN_TAGS ? b->tag : NULL,
                              d->config.use & DJ_CAN_TIMES ? b->time : NULL};
    dj_gpu_answers capacity = {b->distance, b->prev_tag, b->prev_time};
    const dj_gpu_answers *to = d->config.use & DJ_CAN_TOTALS ? NULL : &capacity;
    err = device_put(d, context, &columns, count, &b->ticket);
    if (!err)
        err = dj_gpu_analyze(d->gpu, context, to);
    if (err == DJ_ERR_UNSUPPORTED) {
        err = device_enlarge(d, context);
        d->buffers[0].ticket = d->buffers[1].ticket = 0;
        if (!err)
            err = dj_gpu_analyze(d->gpu, context, to);
    }
    d->analyzed++;
    return err;
}

static inline int device_chunks(device_state *d, dj_context *context, size_t count)
{
    int err = d->run->order ? dj_gpu_begin(d->gpu, context, d->run->order) : DJ_OK;
    uint64_t keys = 0;
    for (size_t at = 0; !err && at < count;) {
        size_t n = count - at < d->run->filled ? count - at : d->run->filled;
        err = device_chunk(d, context, at, n);
        at += n;
    }
    while (!err && d->answered < d->analyzed)
        err = device_collect(d, context);
    if (!err)
        err = dj_gpu_finish(d->gpu, context, &keys);
    d->got->stats.keys = keys;
    if (!err && d->config.use & DJ_CAN_TOTALS)
        err = dj_gpu_totals(d->gpu, context, d->totals, &d->cold);
    return err ? err : dj_gpu_order(d->gpu, context, &d->got->order);
}

// Everything that a device returns for the first `count` accesses: `got` must be freed with
// answers_free in any case, and has no distances with DJ_CAN_TOTALS; `totals` and `cold` then have them
// all.
static inline int device_answers(dj_context *context, const device_run *run, const stream *s, size_t count,
                                 answers *got, dj_histogram *totals, uint64_t *cold)
{
    device_state d = {.run = run, .s = s, .config = run->config, .got = got, .totals = totals};
    int err = answers_allocate(got, count, run->config.use) ? DJ_ERR_MEMORY : DJ_OK;
    for (int i = 0; !err && i < 2; i++)
        err = device_pin(context, &d.buffers[i], run->filled);
    if (!err)
        err = dj_gpu_open(context, &d.config, &d.gpu);
    if (!err)
        err = device_chunks(&d, context, count);
    dj_gpu_close(d.gpu);
    device_unpin(&d.buffers[0]);
    device_unpin(&d.buffers[1]);
    if (cold)
        *cold = d.cold;
    return err;
}

#endif
