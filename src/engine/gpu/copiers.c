// SPDX-License-Identifier: MIT
#include "engine/gpu/queue.h"
#include "engine/stream.h"

#include <string.h>

enum {
    PART_ACCESSES = 1 << 16, // maximum, like the next one
    JOB_PARTS = 4,
    // Work that makes waking a copier worthwhile; waking takes as long as copying these.
    WAKE_ACCESSES = 1 << 17,
};

// A range of one work.
typedef struct part {
    dj_work work; // where it begins
    uint64_t count;
    uint64_t at; // position in the buffer or in the answers
} part;

// One unit of a copier's work: copy accesses to a buffer, or answers back.
typedef struct job {
    bool answers;
    unsigned part_count;
    part parts[JOB_PARTS];
    dj_gpu_buffer *buffer;
    dj_gpu_answers from;
} job;

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static dj_work work_from(const dj_work *w, uint64_t from)
{
    return (dj_work){.key = w->key + from,
                     .tag = w->tag ? w->tag + from : NULL,
                     .time = w->time ? w->time + from : NULL,
                     .distance = w->distance ? w->distance + from : NULL,
                     .prev_tag = w->prev_tag ? w->prev_tag + from : NULL,
                     .prev_time = w->prev_time ? w->prev_time + from : NULL};
}

// Takes the range of the work of entry *number from *at on, up to `end`; advances both.
static uint64_t take_part(const dj_gpu_queue *q, uint64_t *number, uint64_t *at, uint64_t end, part *p)
{
    const dj_gpu_entry *entry = &q->entries[*number & (q->capacity - 1)];
    uint64_t from = *at - entry->begin, left = entry->work->count - from;
    p->work = work_from(entry->work, from);
    p->count = least(least(left, end - *at), PART_ACCESSES);
    *at += p->count;
    *number += p->count == left;
    return p->count;
}

static bool take_answers(dj_gpu_queue *q, dj_gpu_copier *copier, job *j)
{
    if (q->answer_at == q->answers_end)
        return false;
    j->answers = true;
    j->from = q->answers;
    copier->busy = q->answer_at;
    while (j->part_count < JOB_PARTS && q->answer_at < q->answers_end) {
        part *p = &j->parts[j->part_count++];
        p->at = q->answer_at - q->answers_begin;
        (void)take_part(q, &q->next_answer, &q->answer_at, q->answers_end, p);
    }
    return true;
}

static bool take_copy(dj_gpu_queue *q, dj_gpu_copier *copier, job *j)
{
    if (q->next_copy == q->newest || q->filling - q->freed == DJ_GPU_BUFFERS)
        return false;
    dj_gpu_buffer *buffer = &q->buffers[q->filling % DJ_GPU_BUFFERS];
    j->buffer = buffer;
    copier->busy = dj_gpu_counts(q) ? q->copy_at : UINT64_MAX;
    while (j->part_count < JOB_PARTS && q->next_copy < q->newest && buffer->given < q->buffer_accesses) {
        part *p = &j->parts[j->part_count++];
        p->at = buffer->given;
        buffer->given +=
            take_part(q, &q->next_copy, &q->copy_at, q->copy_at + q->buffer_accesses - buffer->given, p);
    }
    q->filling += buffer->given == q->buffer_accesses;
    return true;
}

void dj_gpu_copiers_wake(dj_gpu_queue *q)
{
    uint64_t waiting = q->pushed_to - q->copy_at;
    unsigned awake = q->started - q->idle + q->waking;
    bool much = waiting >= (awake + UINT64_C(1)) * WAKE_ACCESSES;
    if (awake >= q->started || !(much || (waiting > 0 && awake == 0 && q->caller_waits)))
        return;
    q->waking++;
    pthread_cond_signal(&q->for_copiers);
}

static bool take_job(dj_gpu_queue *q, dj_gpu_copier *copier, job *j)
{
    j->answers = false;
    j->part_count = 0;
    if (q->failed || q->ending || !(take_answers(q, copier, j) || take_copy(q, copier, j)))
        return false;
    q->running++;
    return true;
}

static void copy_answers(const part *p, const dj_gpu_answers *from)
{
    dj_stream_widen(p->work.distance, from->distance + p->at, p->count);
    if (p->work.prev_tag)
        memcpy(p->work.prev_tag, from->prev_tag + p->at, p->count * sizeof *from->prev_tag);
    if (p->work.prev_time)
        memcpy(p->work.prev_time, from->prev_time + p->at, p->count * sizeof *from->prev_time);
}

static void copy_accesses(const part *p, const dj_gpu_buffer *to)
{
    dj_stream_copy(to->key + p->at, p->work.key, p->count);
    if (to->tag && p->work.tag)
        memcpy(to->tag + p->at, p->work.tag, p->count * sizeof *p->work.tag);
    if (to->time && p->work.time)
        memcpy(to->time + p->at, p->work.time, p->count * sizeof *p->work.time);
}

// What copiers are still working on is not done, nor is anything after it.
static void publish_done(dj_gpu_queue *q)
{
    uint64_t done = dj_gpu_counts(q) ? q->copy_at : q->answer_at;
    for (unsigned i = 0; i < q->hand_count; i++)
        done = least(done, q->copiers[i].busy);
    atomic_store_explicit(&q->done_to, done, memory_order_release);
    if (!dj_gpu_counts(q) && done == q->answers_end)
        pthread_cond_signal(&q->for_device);
}

static void end_job(dj_gpu_queue *q, dj_gpu_copier *copier, const job *j)
{
    copier->busy = UINT64_MAX;
    q->running--;
    publish_done(q);
    for (unsigned i = 0; !j->answers && i < j->part_count; i++) {
        j->buffer->copied += j->parts[i].count;
        q->copied += j->parts[i].count;
    }
    if (!j->answers && j->buffer->copied == q->buffer_accesses)
        pthread_cond_signal(&q->for_device);
    if (q->caller_waits && (q->copied >= q->caller_until || (q->failed && q->running == 0)))
        pthread_cond_signal(&q->for_caller);
}

bool dj_gpu_copier_work(dj_gpu_copier *copier)
{
    dj_gpu_queue *q = copier->queue;
    job j;
    if (!take_job(q, copier, &j))
        return false;
    dj_gpu_copiers_wake(q);
    pthread_mutex_unlock(&q->lock);
    for (unsigned i = 0; i < j.part_count; i++) {
        if (j.answers)
            copy_answers(&j.parts[i], &j.from);
        else
            copy_accesses(&j.parts[i], j.buffer);
    }
    dj_stream_end();
    pthread_mutex_lock(&q->lock);
    end_job(q, copier, &j);
    return true;
}

void *dj_gpu_copier_run(void *argument)
{
    dj_gpu_copier *copier = argument;
    dj_gpu_queue *q = copier->queue;
    pthread_mutex_lock(&q->lock);
    while (!q->ending) {
        if (dj_gpu_copier_work(copier))
            continue;
        q->idle++;
        pthread_cond_wait(&q->for_copiers, &q->lock);
        q->idle--;
        q->waking -= q->waking > 0;
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}
