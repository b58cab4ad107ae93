// SPDX-License-Identifier: MIT
#include "engine/gpu/worker.h"

#include <stdio.h>
#include <string.h>

static bool counts(const dj_gpu_worker *s)
{
    return s->use & DJ_CAN_TOTALS;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void measure(dj_gpu_worker *s)
{
    uint64_t bytes = sizeof *s + dj_gpu_queue_bytes(s->queue);
    if (s->fallback) {
        dj_engine_stats stats;
        dj_gpu_fallback_stats(s->fallback, &stats);
        bytes += stats.peak_bytes;
    } else {
        uint64_t each = sizeof(uint32_t);
        each += s->use & DJ_CAN_TAGS ? sizeof(uint32_t) : 0;
        each += s->use & DJ_CAN_TIMES ? sizeof(uint64_t) : 0;
        bytes += dj_gpu_bytes(&s->config) + 2 * s->set_capacity * each;
    }
    atomic_store(&s->bytes, bytes);
    if (bytes > atomic_load(&s->peak_bytes))
        atomic_store(&s->peak_bytes, bytes);
}

static void unpin_sets(dj_gpu_worker *s)
{
    for (unsigned i = 0; i < 2; i++) {
        dj_gpu_unpin(s->sets[i].distance);
        dj_gpu_unpin(s->sets[i].prev_tag);
        dj_gpu_unpin(s->sets[i].prev_time);
    }
    memset(s->sets, 0, sizeof s->sets);
    s->set_capacity = 0;
}

// Allocates pinned memory for the answers of complete chunks.
static int pin_sets(dj_gpu_worker *s, dj_context *context, uint64_t capacity)
{
    int err = DJ_OK;
    if (counts(s) || capacity <= s->set_capacity)
        return DJ_OK;
    unpin_sets(s);
    for (unsigned i = 0; !err && i < 2; i++) {
        dj_gpu_answers *set = &s->sets[i];
        err = dj_gpu_pin(context, capacity * sizeof *set->distance, (void **)&set->distance);
        if (!err && s->use & DJ_CAN_TAGS)
            err = dj_gpu_pin(context, capacity * sizeof *set->prev_tag, (void **)&set->prev_tag);
        if (!err && s->use & DJ_CAN_TIMES)
            err = dj_gpu_pin(context, capacity * sizeof *set->prev_time, (void **)&set->prev_time);
    }
    if (err)
        unpin_sets(s);
    else
        s->set_capacity = capacity;
    return err;
}

static bool is_allowed(const dj_gpu_worker *s, const dj_gpu_config *config)
{
    uint64_t held = s->gpu ? dj_gpu_bytes(&s->config) : 0;
    return config->chunk + config->key_capacity < DJ_GPU_MOST && held + dj_gpu_bytes(config) <= s->most_bytes;
}

static int open_as_it_is(dj_gpu_worker *s, dj_context *context, const dj_order *order)
{
    if (!is_allowed(s, &s->config))
        return DJ_ERR_MEMORY;
    int err = dj_gpu_open(context, &s->config, &s->gpu);
    s->chunk = dj_gpu_size_chunk(&s->limits, &s->config, order->count);
    if (!err)
        err = pin_sets(s, context, s->chunk);
    if (!err && order->count > 0)
        err = dj_gpu_begin(s->gpu, context, order);
    if (err) {
        dj_gpu_close(s->gpu);
        s->gpu = NULL;
    }
    return err;
}

static void warn_of_memory(const dj_gpu_worker *s, dj_context *context, const char *name, uint64_t keys)
{
    char what[48] = "a short chunk";
    if (keys > 0)
        snprintf(what, sizeof what, "%llu keys", (unsigned long long)keys);
    dj_warn(context, "engine gpu: %s does not have enough memory for %s%s; engine fast does the rest", name,
            what, s->limits.asked_bytes ? " within --gpu-memory" : "");
}

// Opens a device that continues from `order`, or the fallback.
static int open_device(dj_gpu_worker *s, dj_context *context, const dj_order *order)
{
    uint64_t keys = order->count;
    dj_gpu_info info;
    int err = dj_gpu_find(context, &info);
    if (err)
        return err;
    s->most_bytes = s->limits.asked_bytes ? s->limits.asked_bytes : info.free_bytes / 10 * 9;
    s->generation++;
    dj_gpu_size_first(&s->limits, &s->config);
    if (keys > 0)
        dj_gpu_size_more(&s->limits, keys, &s->config);
    do
        err = open_as_it_is(s, context, order);
    while (err == DJ_ERR_MEMORY && dj_gpu_size_shrink(&s->limits, keys, &s->config));
    if (err == DJ_ERR_MEMORY) {
        warn_of_memory(s, context, info.name, keys);
        unpin_sets(s);
        err = dj_gpu_fallback_create(context, s->use, order, &s->fallback);
    }
    if (!err)
        measure(s);
    return err;
}

int dj_gpu_worker_create(dj_gpu_worker *s, dj_context *context, dj_gpu_queue *queue, uint32_t use,
                         const dj_gpu_limits *limits)
{
    dj_order nothing = {0};
    *s = (dj_gpu_worker){.queue = queue, .use = use, .limits = *limits, .config = {.use = use}};
    if (dj_context_create(&s->context) != DJ_OK)
        return dj_fail_memory(context, "engine gpu", 0);
    int err = dj_histogram_create(context, &s->counted);
    return err ? err : open_device(s, context, &nothing);
}

void dj_gpu_worker_destroy(dj_gpu_worker *s)
{
    dj_gpu_close(s->gpu);
    dj_gpu_fallback_destroy(s->fallback);
    unpin_sets(s);
    dj_histogram_destroy(s->counted);
    dj_context_destroy(s->context);
}

// Passes on the answers of the chunk that was started last.
static int answer_due(dj_gpu_worker *s)
{
    if (s->due == 0)
        return DJ_OK;
    int err = dj_gpu_wait_answers(s->gpu, s->context);
    if (!err)
        dj_gpu_queue_answer(s->queue, &s->sets[1 - s->set], s->due_at, s->due);
    s->due = 0;
    return err;
}

static int put(dj_gpu_worker *s, const dj_gpu_columns *columns, uint64_t count, dj_gpu_mark *mark);

static int wait_put(dj_gpu_worker *s, const dj_gpu_mark *mark)
{
    return s->gpu && mark->generation == s->generation ? dj_gpu_wait_put(s->gpu, s->context, mark->ticket)
                                                       : DJ_OK;
}

// Returns the keys, and the accesses not analyzed yet, for the next device; keeps what was counted.
static int close_device(dj_gpu_worker *s, dj_order *order, dj_order *back)
{
    uint64_t keys;
    int err = dj_gpu_finish(s->gpu, s->context, &keys);
    if (!err)
        err = dj_gpu_take_back(s->gpu, s->context, back);
    if (!err && back->count != s->in_chunk)
        err = dj_fail(s->context, DJ_ERR_DEVICE, "engine gpu: the device lost accesses");
    if (!err)
        err = dj_gpu_order(s->gpu, s->context, order);
    if (!err && counts(s))
        err = dj_gpu_totals(s->gpu, s->context, s->counted, &s->cold);
    dj_gpu_close(s->gpu);
    s->gpu = NULL;
    return err;
}

// More keys need longer chunks, as far as memory allows.
static int adapt_chunk(dj_gpu_worker *s)
{
    uint64_t chunk = dj_gpu_size_chunk(&s->limits, &s->config, dj_gpu_keys(s->gpu));
    if (chunk <= s->chunk)
        return DJ_OK;
    if (!counts(s)) {
        int err = answer_due(s);
        dj_gpu_queue_answered(s->queue); // the answer buffers change
        if (err)
            return err;
        err = pin_sets(s, s->context, chunk);
        if (err == DJ_ERR_MEMORY) {
            s->limits.most_chunk = chunk = s->chunk;
            err = pin_sets(s, s->context, chunk);
        }
        if (err)
            return err;
    }
    s->chunk = chunk;
    return DJ_OK;
}

// Makes space for more keys if the device has enough memory in addition to what it uses now.
static int grow_device(dj_gpu_worker *s)
{
    uint64_t keys = dj_gpu_keys(s->gpu);
    dj_gpu_config larger = s->config;
    int err = DJ_ERR_MEMORY;
    dj_gpu_size_more(&s->limits, keys, &larger);
    do
        if (is_allowed(s, &larger))
            err = dj_gpu_grow(s->gpu, s->context, larger.chunk, larger.key_capacity);
    while (err == DJ_ERR_MEMORY && dj_gpu_size_shrink(&s->limits, keys, &larger));
    if (err)
        return err;
    s->config.chunk = larger.chunk > s->config.chunk ? larger.chunk : s->config.chunk;
    s->config.key_capacity = larger.key_capacity;
    measure(s);
    return adapt_chunk(s);
}

// Moves everything through host memory to a reopened device, or to the fallback.
static int change_device(dj_gpu_worker *s)
{
    dj_order order = {0}, back = {0};
    dj_gpu_mark mark = {0};
    int err = close_device(s, &order, &back);
    if (!counts(s))
        dj_gpu_queue_answered(s->queue); // the answer buffers may change
    if (!err)
        err = open_device(s, s->context, &order);
    dj_order_free(&order);
    s->in_chunk = 0;
    if (!err)
        err = put(s, &(dj_gpu_columns){back.key, back.tag, back.time}, back.count, &mark);
    if (!err)
        err = wait_put(s, &mark);
    dj_order_free(&back);
    return err;
}

static int analyze(dj_gpu_worker *s)
{
    dj_gpu_answers *set = NULL;
    if (!counts(s)) {
        dj_gpu_queue_answered(s->queue); // of the chunk before the last one, which used these answer buffers
        set = &s->sets[s->set];
    }
    int err = dj_gpu_analyze(s->gpu, s->context, set);
    if (err == DJ_ERR_UNSUPPORTED) { // more keys than it has space for
        err = answer_due(s);
        if (!err)
            err = grow_device(s);
        return err == DJ_ERR_MEMORY ? change_device(s) : err ? err : analyze(s);
    }
    if (!err && set) {
        err = answer_due(s);
        s->due_at = s->chunk_at;
        s->due = s->in_chunk;
        s->set = 1 - s->set;
    }
    s->chunk_at += s->in_chunk;
    s->in_chunk = 0;
    return err ? err : adapt_chunk(s);
}

static void step_on(dj_gpu_columns *columns, uint64_t count)
{
    columns->key += count;
    columns->tag = columns->tag ? columns->tag + count : NULL;
    columns->time = columns->time ? columns->time + count : NULL;
}

static int ask_spare(dj_gpu_worker *s, const dj_gpu_columns *columns, uint64_t count)
{
    int err;
    if (counts(s)) {
        err = dj_gpu_fallback_count(s->fallback, s->context, columns, count, s->counted, &s->cold);
    } else {
        dj_gpu_answers answers;
        err = dj_gpu_fallback_answer(s->fallback, s->context, columns, count, &answers);
        if (!err) {
            dj_gpu_queue_answer(s->queue, &answers, s->chunk_at, count);
            dj_gpu_queue_answered(s->queue);
        }
    }
    s->chunk_at += count;
    return err;
}

static int put(dj_gpu_worker *s, const dj_gpu_columns *columns, uint64_t count, dj_gpu_mark *mark)
{
    dj_gpu_columns from = *columns;
    int err = DJ_OK;
    for (uint64_t part; !err && count > 0; count -= part, step_on(&from, part)) {
        if (s->fallback) {
            part = least(count, DJ_GPU_FALLBACK_ACCESSES);
            err = ask_spare(s, &from, part);
            continue;
        }
        part = least(count, s->chunk - s->in_chunk);
        err = dj_gpu_put(s->gpu, s->context, &from, part, &mark->ticket);
        mark->generation = s->generation;
        s->in_chunk += part;
        if (!err && s->in_chunk == s->chunk)
            err = analyze(s);
    }
    return err;
}

static int flush(dj_gpu_worker *s)
{
    uint64_t keys = 0;
    int err = DJ_OK;
    while (!err && s->in_chunk > 0) // after a change of device there may be some left
        err = analyze(s);
    if (!err)
        err = answer_due(s);
    if (!err && s->gpu)
        err = dj_gpu_finish(s->gpu, s->context, &keys);
    if (!err && s->fallback) {
        dj_engine_stats stats;
        dj_gpu_fallback_stats(s->fallback, &stats);
        keys = stats.keys;
    }
    if (!err && !counts(s))
        dj_gpu_queue_answered(s->queue);
    if (!err) {
        atomic_store(&s->keys, keys);
        measure(s);
    }
    return err;
}

static int free_oldest(dj_gpu_worker *s)
{
    const dj_gpu_buffer *buffer = dj_gpu_queue_oldest(s->queue);
    int err = wait_put(s, &buffer->put);
    dj_gpu_queue_free_oldest(s->queue);
    return err;
}

void dj_gpu_worker_run(dj_gpu_worker *s)
{
    enum { IN_FLIGHT = 2 }; // buffers that are being copied to the device
    unsigned taken = 0;
    int err = DJ_OK;
    while (!err) {
        dj_gpu_buffer *buffer;
        enum dj_gpu_event event = dj_gpu_queue_next(s->queue, taken == 0, &buffer);
        if (event == DJ_GPU_END)
            return;
        if (event == DJ_GPU_BUFFER) {
            dj_gpu_columns columns = {buffer->key, buffer->tag, buffer->time};
            err = put(s, &columns, buffer->given, &buffer->put);
            taken++;
        }
        for (; !err && taken >= (event == DJ_GPU_BUFFER ? IN_FLIGHT : 1); taken--)
            err = free_oldest(s);
        if (!err && event == DJ_GPU_FLUSH) {
            err = flush(s);
            if (!err)
                dj_gpu_queue_flushed(s->queue);
        }
    }
    dj_gpu_queue_fail(s->queue, err);
}

int dj_gpu_worker_totals(dj_gpu_worker *s, dj_context *context, dj_histogram *into, uint64_t *cold)
{
    int err = dj_histogram_merge(into, context, s->counted);
    *cold += s->cold;
    return err || !s->gpu ? err : dj_gpu_totals(s->gpu, context, into, cold);
}

int dj_gpu_worker_order(dj_gpu_worker *s, dj_context *context, dj_order *out)
{
    return s->gpu ? dj_gpu_order(s->gpu, context, out) : dj_gpu_fallback_order(s->fallback, context, out);
}
