// SPDX-License-Identifier: MIT
#include "engine/gpu/queue.h"

#include <stdlib.h>

enum {
    ENTRIES = 64,        // initially
    WAITING_BUFFERS = 4, // accesses that are pushed but not copied fill at most this many buffers
};

static int pin_buffers(dj_gpu_queue *q, dj_context *context)
{
    int err = DJ_OK;
    for (unsigned i = 0; !err && i < DJ_GPU_BUFFERS; i++) {
        dj_gpu_buffer *buffer = &q->buffers[i];
        err = dj_gpu_pin(context, q->buffer_accesses * sizeof *buffer->key, (void **)&buffer->key);
        if (!err && q->use & DJ_CAN_TAGS)
            err = dj_gpu_pin(context, q->buffer_accesses * sizeof *buffer->tag, (void **)&buffer->tag);
        if (!err && q->use & DJ_CAN_TIMES)
            err = dj_gpu_pin(context, q->buffer_accesses * sizeof *buffer->time, (void **)&buffer->time);
    }
    return err;
}

int dj_gpu_queue_create(dj_gpu_queue *q, dj_context *context, uint32_t use, uint64_t buffer_accesses,
                        unsigned copiers)
{
    *q = (dj_gpu_queue){.use = use, .buffer_accesses = buffer_accesses, .hand_count = copiers + 1};
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->for_copiers, NULL);
    pthread_cond_init(&q->for_device, NULL);
    pthread_cond_init(&q->for_caller, NULL);
    for (unsigned i = 0; i < q->hand_count; i++)
        q->copiers[i] = (dj_gpu_copier){.queue = q, .busy = UINT64_MAX};
    q->capacity = ENTRIES;
    q->entries = malloc(q->capacity * sizeof *q->entries);
    int err = q->entries ? pin_buffers(q, context) : dj_fail_memory(context, "engine gpu", 0);
    for (unsigned i = 1; !err && i < q->hand_count; i++) {
        if (pthread_create(&q->copiers[i].thread, NULL, dj_gpu_copier_run, &q->copiers[i]) != 0)
            err = dj_fail(context, DJ_ERR_MEMORY, "engine gpu: cannot start thread %u of %u", i, copiers);
        else
            q->started++;
    }
    return err;
}

void dj_gpu_queue_end(dj_gpu_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->ending = true;
    pthread_cond_broadcast(&q->for_copiers);
    pthread_cond_broadcast(&q->for_device);
    pthread_mutex_unlock(&q->lock);
    for (unsigned i = 1; i <= q->started; i++)
        pthread_join(q->copiers[i].thread, NULL);
}

void dj_gpu_queue_destroy(dj_gpu_queue *q)
{
    for (unsigned i = 0; i < DJ_GPU_BUFFERS; i++) {
        dj_gpu_unpin(q->buffers[i].key);
        dj_gpu_unpin(q->buffers[i].tag);
        dj_gpu_unpin(q->buffers[i].time);
    }
    free(q->entries);
    pthread_cond_destroy(&q->for_caller);
    pthread_cond_destroy(&q->for_device);
    pthread_cond_destroy(&q->for_copiers);
    pthread_mutex_destroy(&q->lock);
}

uint64_t dj_gpu_queue_bytes(const dj_gpu_queue *q)
{
    uint64_t each = sizeof(uint64_t);
    each += q->use & DJ_CAN_TAGS ? sizeof(uint32_t) : 0;
    each += q->use & DJ_CAN_TIMES ? sizeof(uint64_t) : 0;
    return DJ_GPU_BUFFERS * q->buffer_accesses * each;
}

static uint64_t oldest_entry(const dj_gpu_queue *q)
{
    return dj_gpu_counts(q) ? q->next_copy : q->next_answer;
}

static int reserve(dj_gpu_queue *q, dj_context *context)
{
    if (q->newest - oldest_entry(q) < q->capacity)
        return DJ_OK;
    dj_gpu_entry *more = malloc(2 * q->capacity * sizeof *more);
    if (!more)
        return dj_fail_memory(context, "the work of engine gpu", 2 * q->capacity * sizeof *more);
    for (uint64_t i = oldest_entry(q); i < q->newest; i++)
        more[i & (2 * q->capacity - 1)] = q->entries[i & (q->capacity - 1)];
    free(q->entries);
    q->entries = more;
    q->capacity *= 2;
    return DJ_OK;
}

// The caller does the work of a copier, or waits until `until` accesses are copied or the device's
// thread reports something.
static void help(dj_gpu_queue *q, uint64_t until)
{
    if (dj_gpu_copier_work(&q->copiers[0]))
        return;
    q->caller_until = until;
    q->caller_waits = true;
    dj_gpu_copiers_wake(q);
    pthread_cond_wait(&q->for_caller, &q->lock);
    q->caller_waits = false;
}

int dj_gpu_queue_push(dj_gpu_queue *q, dj_context *context, dj_work *added)
{
    if (added->count == 0) {
        dj_work_queue_put(&q->works, added);
        return DJ_OK;
    }
    pthread_mutex_lock(&q->lock);
    int err = reserve(q, context);
    if (!err) {
        uint64_t most = WAITING_BUFFERS * q->buffer_accesses;
        dj_work_queue_put(&q->works, added);
        q->entries[q->newest++ & (q->capacity - 1)] = (dj_gpu_entry){added, q->pushed_to};
        q->pushed_to += added->count;
        dj_gpu_copiers_wake(q);
        while (!q->failed && q->pushed_to - q->copied > most)
            help(q, q->pushed_to - most / 2);
        err = q->failed;
    }
    pthread_mutex_unlock(&q->lock);
    return err;
}

int dj_gpu_queue_failure(dj_gpu_queue *q)
{
    pthread_mutex_lock(&q->lock);
    int failed = q->failed;
    pthread_mutex_unlock(&q->lock);
    return failed;
}

dj_work *dj_gpu_queue_pull(dj_gpu_queue *q)
{
    dj_work *oldest = q->works.first;
    if (!oldest || atomic_load_explicit(&q->done_to, memory_order_acquire) < q->pulled_to + oldest->count)
        return NULL;
    q->pulled_to += oldest->count;
    return dj_work_queue_take(&q->works);
}

int dj_gpu_queue_flush(dj_gpu_queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (!q->failed && q->copied < q->pushed_to)
        help(q, q->pushed_to);
    if (q->filling - q->freed < DJ_GPU_BUFFERS && q->buffers[q->filling % DJ_GPU_BUFFERS].given > 0)
        q->filling++;
    q->flushing = true;
    pthread_cond_signal(&q->for_device);
    while (!q->failed && q->flushing)
        help(q, UINT64_MAX);
    while (q->running > 0) // after a failure
        help(q, UINT64_MAX);
    int err = q->failed;
    pthread_mutex_unlock(&q->lock);
    return err;
}

enum dj_gpu_event dj_gpu_queue_next(dj_gpu_queue *q, bool wait, dj_gpu_buffer **buffer)
{
    enum dj_gpu_event event = DJ_GPU_NOTHING;
    pthread_mutex_lock(&q->lock);
    for (;;) {
        dj_gpu_buffer *next = &q->buffers[q->putting % DJ_GPU_BUFFERS];
        if (q->ending) {
            event = DJ_GPU_END;
        } else if (q->putting < q->filling && next->copied == next->given) {
            event = DJ_GPU_BUFFER;
            *buffer = next;
            q->putting++;
        } else if (q->flushing && q->putting == q->filling) {
            event = DJ_GPU_FLUSH;
        }
        if (event != DJ_GPU_NOTHING || !wait)
            break;
        pthread_cond_wait(&q->for_device, &q->lock);
    }
    pthread_mutex_unlock(&q->lock);
    return event;
}

dj_gpu_buffer *dj_gpu_queue_oldest(dj_gpu_queue *q)
{
    return &q->buffers[q->freed % DJ_GPU_BUFFERS];
}

void dj_gpu_queue_free_oldest(dj_gpu_queue *q)
{
    pthread_mutex_lock(&q->lock);
    dj_gpu_buffer *buffer = dj_gpu_queue_oldest(q);
    buffer->given = buffer->copied = 0;
    q->freed++;
    dj_gpu_copiers_wake(q);
    pthread_mutex_unlock(&q->lock);
}

void dj_gpu_queue_flushed(dj_gpu_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->flushing = false;
    pthread_cond_signal(&q->for_caller);
    pthread_mutex_unlock(&q->lock);
}

void dj_gpu_queue_fail(dj_gpu_queue *q, int err)
{
    pthread_mutex_lock(&q->lock);
    q->failed = err;
    pthread_cond_signal(&q->for_caller);
    pthread_mutex_unlock(&q->lock);
}

static void wait_answered(dj_gpu_queue *q)
{
    while (!q->ending && atomic_load_explicit(&q->done_to, memory_order_relaxed) < q->answers_end)
        pthread_cond_wait(&q->for_device, &q->lock);
}

void dj_gpu_queue_answer(dj_gpu_queue *q, const dj_gpu_answers *answers, uint64_t begin, uint64_t count)
{
    pthread_mutex_lock(&q->lock);
    wait_answered(q);
    q->answers = *answers;
    q->answers_begin = q->answer_at = begin;
    q->answers_end = begin + count;
    q->waking = q->idle;
    pthread_cond_broadcast(&q->for_copiers);
    pthread_mutex_unlock(&q->lock);
}

void dj_gpu_queue_answered(dj_gpu_queue *q)
{
    pthread_mutex_lock(&q->lock);
    wait_answered(q);
    pthread_mutex_unlock(&q->lock);
}
