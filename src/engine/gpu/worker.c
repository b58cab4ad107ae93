// SPDX-License-Identifier: MIT
#include "engine/gpu/worker.h"

#include <stdio.h>
#include <string.h>

static bool counts(const dj_gpu_worker *w)
{
    return w->use & DJ_CAN_TOTALS;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void measure(dj_gpu_worker *w)
{
    uint64_t bytes = sizeof *w + dj_gpu_queue_bytes(w->queue);
    if (w->fallback) {
        dj_engine_stats stats;
        dj_gpu_fallback_stats(w->fallback, &stats);
        bytes += stats.peak_bytes;
    } else {
        uint64_t each = sizeof(uint32_t);
        each += w->use & DJ_CAN_TAGS ? sizeof(uint32_t) : 0;
        each += w->use & DJ_CAN_TIMES ? sizeof(uint64_t) : 0;
        bytes += dj_gpu_bytes(&w->config) + 2 * w->set_capacity * each;
    }
    atomic_store(&w->bytes, bytes);
    if (bytes > atomic_load(&w->peak_bytes))
        atomic_store(&w->peak_bytes, bytes);
}

static void unpin_sets(dj_gpu_worker *w)
{
    for (unsigned i = 0; i < 2; i++) {
        dj_gpu_unpin(w->sets[i].distance);
        dj_gpu_unpin(w->sets[i].prev_tag);
        dj_gpu_unpin(w->sets[i].prev_time);
    }
    memset(w->sets, 0, sizeof w->sets);
    w->set_capacity = 0;
}

// Allocates pinned memory for the answers of complete chunks.
static int pin_sets(dj_gpu_worker *w, dj_context *context, uint64_t capacity)
{
    int err = DJ_OK;
    if (counts(w) || capacity <= w->set_capacity)
        return DJ_OK;
    unpin_sets(w);
    for (unsigned i = 0; !err && i < 2; i++) {
        dj_gpu_answers *set = &w->sets[i];
        err = dj_gpu_pin(context, capacity * sizeof *set->distance, (void **)&set->distance);
        if (!err && w->use & DJ_CAN_TAGS)
            err = dj_gpu_pin(context, capacity * sizeof *set->prev_tag, (void **)&set->prev_tag);
        if (!err && w->use & DJ_CAN_TIMES)
            err = dj_gpu_pin(context, capacity * sizeof *set->prev_time, (void **)&set->prev_time);
    }
    if (err)
        unpin_sets(w);
    else
        w->set_capacity = capacity;
    return err;
}

static bool is_allowed(const dj_gpu_worker *w, const dj_gpu_config *config)
{
    uint64_t held = w->gpu ? dj_gpu_bytes(&w->config) : 0;
    return config->chunk + config->key_capacity < DJ_GPU_MOST && held + dj_gpu_bytes(config) <= w->most_bytes;
}

static int open_as_it_is(dj_gpu_worker *w, dj_context *context, const dj_order *order)
{
    if (!is_allowed(w, &w->config))
        return DJ_ERR_MEMORY;
    int err = dj_gpu_open(context, &w->config, &w->gpu);
    w->chunk = dj_gpu_size_chunk(&w->limits, &w->config, order->count);
    if (!err)
        err = pin_sets(w, context, w->chunk);
    if (!err && order->count > 0)
        err = dj_gpu_begin(w->gpu, context, order);
    if (err) {
        dj_gpu_close(w->gpu);
        w->gpu = NULL;
    }
    return err;
}

static void warn_of_memory(const dj_gpu_worker *w, dj_context *context, const char *name, uint64_t keys)
{
    char what[48] = "a short chunk";
    if (keys > 0)
        snprintf(what, sizeof what, "%llu keys", (unsigned long long)keys);
    dj_warn(context, "engine gpu: %s does not have enough memory for %s%s; engine fast does the rest", name,
            what, w->limits.asked_bytes ? " within --gpu-memory" : "");
}

// Opens a device that continues from `order`, or the fallback.
static int open_device(dj_gpu_worker *w, dj_context *context, const dj_order *order)
{
    uint64_t keys = order->count;
    dj_gpu_info info;
    int err = dj_gpu_find(context, &info);
    if (err)
        return err;
    w->most_bytes = w->limits.asked_bytes ? w->limits.asked_bytes : info.free_bytes / 10 * 9;
    w->generation++;
    dj_gpu_size_first(&w->limits, &w->config);
    if (keys > 0)
        dj_gpu_size_more(&w->limits, keys, &w->config);
    do
        err = open_as_it_is(w, context, order);
    while (err == DJ_ERR_MEMORY && dj_gpu_size_shrink(&w->limits, keys, &w->config));
    if (err == DJ_ERR_MEMORY) {
        warn_of_memory(w, context, info.name, keys);
        unpin_sets(w);
        err = dj_gpu_fallback_create(context, w->use, order, &w->fallback);
    }
    if (!err)
        measure(w);
    return err;
}

int dj_gpu_worker_create(dj_gpu_worker *w, dj_context *context, dj_gpu_queue *queue, uint32_t use,
                         const dj_gpu_limits *limits)
{
    dj_order nothing = {0};
    *w = (dj_gpu_worker){.queue = queue, .use = use, .limits = *limits, .config = {.use = use}};
    if (dj_context_create(&w->context) != DJ_OK)
        return dj_fail_memory(context, "engine gpu", 0);
    int err = dj_histogram_create(context, &w->counted);
    return err ? err : open_device(w, context, &nothing);
}

void dj_gpu_worker_destroy(dj_gpu_worker *w)
{
    dj_gpu_close(w->gpu);
    dj_gpu_fallback_destroy(w->fallback);
    unpin_sets(w);
    dj_histogram_destroy(w->counted);
    dj_context_destroy(w->context);
}

// Passes on the answers of the chunk that was started last.
static int answer_due(dj_gpu_worker *w)
{
    if (w->due == 0)
        return DJ_OK;
    int err = dj_gpu_wait_answers(w->gpu, w->context);
    if (!err)
        dj_gpu_queue_answer(w->queue, &w->sets[1 - w->set], w->due_at, w->due);
    w->due = 0;
    return err;
}

static int put(dj_gpu_worker *w, const dj_gpu_columns *columns, uint64_t count, dj_gpu_mark *mark);

static int wait_put(dj_gpu_worker *w, const dj_gpu_mark *mark)
{
    return w->gpu && mark->generation == w->generation ? dj_gpu_wait_put(w->gpu, w->context, mark->ticket)
                                                       : DJ_OK;
}

// Returns the keys, and the accesses not analyzed yet, for the next device; keeps what was counted.
static int close_device(dj_gpu_worker *w, dj_order *order, dj_order *back)
{
    uint64_t keys;
    int err = dj_gpu_finish(w->gpu, w->context, &keys);
    if (!err)
        err = dj_gpu_take_back(w->gpu, w->context, back);
    if (!err && back->count != w->in_chunk)
        err = dj_fail(w->context, DJ_ERR_DEVICE, "engine gpu: the device lost accesses");
    if (!err)
        err = dj_gpu_order(w->gpu, w->context, order);
    if (!err && counts(w))
        err = dj_gpu_totals(w->gpu, w->context, w->counted, &w->cold);
    dj_gpu_close(w->gpu);
    w->gpu = NULL;
    return err;
}

// More keys need longer chunks, as far as memory allows.
static int adapt_chunk(dj_gpu_worker *w)
{
    uint64_t chunk = dj_gpu_size_chunk(&w->limits, &w->config, dj_gpu_keys(w->gpu));
    if (chunk <= w->chunk)
        return DJ_OK;
    if (!counts(w)) {
        int err = answer_due(w);
        dj_gpu_queue_answered(w->queue); // the answer buffers change
        if (err)
            return err;
        err = pin_sets(w, w->context, chunk);
        if (err == DJ_ERR_MEMORY) {
            w->limits.most_chunk = chunk = w->chunk;
            err = pin_sets(w, w->context, chunk);
        }
        if (err)
            return err;
    }
    w->chunk = chunk;
    return DJ_OK;
}

// Makes space for more keys if the device has enough memory in addition to what it uses now.
static int grow_device(dj_gpu_worker *w)
{
    uint64_t keys = dj_gpu_keys(w->gpu);
    dj_gpu_config larger = w->config;
    int err = DJ_ERR_MEMORY;
    dj_gpu_size_more(&w->limits, keys, &larger);
    do
        if (is_allowed(w, &larger))
            err = dj_gpu_grow(w->gpu, w->context, larger.chunk, larger.key_capacity);
    while (err == DJ_ERR_MEMORY && dj_gpu_size_shrink(&w->limits, keys, &larger));
    if (err)
        return err;
    w->config.chunk = larger.chunk > w->config.chunk ? larger.chunk : w->config.chunk;
    w->config.key_capacity = larger.key_capacity;
    measure(w);
    return adapt_chunk(w);
}

// Moves everything through host memory to a reopened device, or to the fallback.
static int change_device(dj_gpu_worker *w)
{
    dj_order order = {0}, back = {0};
    dj_gpu_mark mark = {0};
    int err = close_device(w, &order, &back);
    if (!counts(w))
        dj_gpu_queue_answered(w->queue); // the answer buffers may change
    if (!err)
        err = open_device(w, w->context, &order);
    dj_order_free(&order);
    w->in_chunk = 0;
    if (!err)
        err = put(w, &(dj_gpu_columns){back.key, back.tag, back.time}, back.count, &mark);
    if (!err)
        err = wait_put(w, &mark);
    dj_order_free(&back);
    return err;
}

static int analyze(dj_gpu_worker *w)
{
    dj_gpu_answers *set = NULL;
    if (!counts(w)) {
        dj_gpu_queue_answered(w->queue); // of the chunk before the last one, which used these answer buffers
        set = &w->sets[w->set];
    }
    int err = dj_gpu_analyze(w->gpu, w->context, set);
    if (err == DJ_ERR_UNSUPPORTED) { // more keys than it has space for
        err = answer_due(w);
        if (!err)
            err = grow_device(w);
        return err == DJ_ERR_MEMORY ? change_device(w) : err ? err : analyze(w);
    }
    if (!err && set) {
        err = answer_due(w);
        w->due_at = w->chunk_at;
        w->due = w->in_chunk;
        w->set = 1 - w->set;
    }
    w->chunk_at += w->in_chunk;
    w->in_chunk = 0;
    return err ? err : adapt_chunk(w);
}

static void step_on(dj_gpu_columns *columns, uint64_t count)
{
    columns->key += count;
    columns->tag = columns->tag ? columns->tag + count : NULL;
    columns->time = columns->time ? columns->time + count : NULL;
}

static int ask_spare(dj_gpu_worker *w, const dj_gpu_columns *columns, uint64_t count)
{
    int err;
    if (counts(w)) {
        err = dj_gpu_fallback_count(w->fallback, w->context, columns, count, w->counted, &w->cold);
    } else {
        dj_gpu_answers answers;
        err = dj_gpu_fallback_answer(w->fallback, w->context, columns, count, &answers);
        if (!err) {
            dj_gpu_queue_answer(w->queue, &answers, w->chunk_at, count);
            dj_gpu_queue_answered(w->queue);
        }
    }
    w->chunk_at += count;
    return err;
}

static int put(dj_gpu_worker *w, const dj_gpu_columns *columns, uint64_t count, dj_gpu_mark *mark)
{
    dj_gpu_columns from = *columns;
    int err = DJ_OK;
    for (uint64_t part; !err && count > 0; count -= part, step_on(&from, part)) {
        if (w->fallback) {
            part = least(count, DJ_GPU_FALLBACK_ACCESSES);
            err = ask_spare(w, &from, part);
            continue;
        }
        part = least(count, w->chunk - w->in_chunk);
        err = dj_gpu_put(w->gpu, w->context, &from, part, &mark->ticket);
        mark->generation = w->generation;
        w->in_chunk += part;
        if (!err && w->in_chunk == w->chunk)
            err = analyze(w);
    }
    return err;
}

static int flush(dj_gpu_worker *w)
{
    uint64_t keys = 0;
    int err = DJ_OK;
    while (!err && w->in_chunk > 0) // after a change of device there may be some left
        err = analyze(w);
    if (!err)
        err = answer_due(w);
    if (!err && w->gpu)
        err = dj_gpu_finish(w->gpu, w->context, &keys);
    if (!err && w->fallback) {
        dj_engine_stats stats;
        dj_gpu_fallback_stats(w->fallback, &stats);
        keys = stats.keys;
    }
    if (!err && !counts(w))
        dj_gpu_queue_answered(w->queue);
    if (!err) {
        atomic_store(&w->keys, keys);
        measure(w);
    }
    return err;
}

static int free_oldest(dj_gpu_worker *w)
{
    const dj_gpu_buffer *buffer = dj_gpu_queue_oldest(w->queue);
    int err = wait_put(w, &buffer->put);
    dj_gpu_queue_free_oldest(w->queue);
    return err;
}

void dj_gpu_worker_run(dj_gpu_worker *w)
{
    enum { IN_FLIGHT = 2 }; // buffers that are being copied to the device
    unsigned taken = 0;
    int err = DJ_OK;
    while (!err) {
        dj_gpu_buffer *buffer;
        enum dj_gpu_event event = dj_gpu_queue_next(w->queue, taken == 0, &buffer);
        if (event == DJ_GPU_END)
            return;
        if (event == DJ_GPU_BUFFER) {
            dj_gpu_columns columns = {buffer->key, buffer->tag, buffer->time};
            err = put(w, &columns, buffer->given, &buffer->put);
            taken++;
        }
        for (; !err && taken >= (event == DJ_GPU_BUFFER ? IN_FLIGHT : 1); taken--)
            err = free_oldest(w);
        if (!err && event == DJ_GPU_FLUSH) {
            err = flush(w);
            if (!err)
                dj_gpu_queue_flushed(w->queue);
        }
    }
    dj_gpu_queue_fail(w->queue, err);
}

int dj_gpu_worker_totals(dj_gpu_worker *w, dj_context *context, dj_histogram *into, uint64_t *cold)
{
    int err = dj_histogram_merge(into, context, w->counted);
    *cold += w->cold;
    return err || !w->gpu ? err : dj_gpu_totals(w->gpu, context, into, cold);
}

int dj_gpu_worker_order(dj_gpu_worker *w, dj_context *context, dj_order *out)
{
    return w->gpu ? dj_gpu_order(w->gpu, context, out) : dj_gpu_fallback_order(w->fallback, context, out);
}
