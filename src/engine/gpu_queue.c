// SPDX-License-Identifier: MIT
#include "engine/gpu_queue.h"

#include <stdlib.h>
#include <string.h>

enum {
    JOB_ACCESSES = 1 << 16, // at most
    ENTRIES = 64,           // at first
    WAITING_TRAYS = 2,      // accesses that are pushed and not copied fill so many, at most
};

// What a hand does at a time, within one work: copy accesses, or their answers back.
typedef struct job {
    bool answers;
    dj_work work; // where it begins
    uint64_t count;
    dj_gpu_tray *tray;
    uint64_t at; // in the tray or in the answers
    dj_gpu_answers from;
} job;

static bool counts(const dj_gpu_queue *q)
{
    return q->use & DJ_CAN_TOTALS;
}

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

// Of the work of entry *number, what lies from *at on, but not behind `end`; both go on.
static void take_part(const dj_gpu_queue *q, uint64_t *number, uint64_t *at, uint64_t end, job *j)
{
    const dj_gpu_entry *entry = &q->entries[*number & (q->room - 1)];
    uint64_t from = *at - entry->begin, left = entry->work->count - from;
    j->work = work_from(entry->work, from);
    j->count = least(least(left, end - *at), JOB_ACCESSES);
    *at += j->count;
    *number += j->count == left;
}

static bool take_answers(dj_gpu_queue *q, dj_gpu_hand *hand, job *j)
{
    if (q->answer_at == q->answers_end)
        return false;
    *j = (job){.answers = true, .at = q->answer_at - q->answers_begin, .from = q->answers};
    hand->busy = q->answer_at;
    take_part(q, &q->next_answer, &q->answer_at, q->answers_end, j);
    return true;
}

static bool take_copy(dj_gpu_queue *q, dj_gpu_hand *hand, job *j)
{
    if (q->next_copy == q->newest || q->filling - q->freed == DJ_GPU_TRAYS)
        return false;
    dj_gpu_tray *tray = &q->trays[q->filling % DJ_GPU_TRAYS];
    *j = (job){.tray = tray, .at = tray->given};
    hand->busy = counts(q) ? q->copy_at : UINT64_MAX;
    take_part(q, &q->next_copy, &q->copy_at, q->copy_at + q->tray_accesses - tray->given, j);
    tray->given += j->count;
    q->filling += tray->given == q->tray_accesses;
    return true;
}

static bool take_job(dj_gpu_queue *q, dj_gpu_hand *hand, job *j)
{
    if (q->failed || q->ending || !(take_answers(q, hand, j) || take_copy(q, hand, j)))
        return false;
    q->running++;
    return true;
}

static void copy_answers(const job *j)
{
    const uint32_t *from = j->from.distance + j->at;
    uint64_t *to = j->work.distance;
    for (uint64_t i = 0; i < j->count; i++)
        to[i] = from[i] == DJ_GPU_COLD ? DJ_COLD : from[i];
    if (j->work.prev_tag)
        memcpy(j->work.prev_tag, j->from.prev_tag + j->at, j->count * sizeof *j->from.prev_tag);
    if (j->work.prev_time)
        memcpy(j->work.prev_time, j->from.prev_time + j->at, j->count * sizeof *j->from.prev_time);
}

static void copy_accesses(const job *j)
{
    memcpy(j->tray->key + j->at, j->work.key, j->count * sizeof *j->work.key);
    if (j->tray->tag)
        memcpy(j->tray->tag + j->at, j->work.tag, j->count * sizeof *j->work.tag);
    if (j->tray->time)
        memcpy(j->tray->time + j->at, j->work.time, j->count * sizeof *j->work.time);
}

// What hands are still busy with is not done, nor what lies behind it.
static void tell_done(dj_gpu_queue *q)
{
    uint64_t done = counts(q) ? q->copy_at : q->answer_at;
    for (unsigned i = 0; i < q->hand_count; i++)
        done = least(done, q->hands[i].busy);
    atomic_store_explicit(&q->done_to, done, memory_order_release);
    if (!counts(q) && done == q->answers_end)
        pthread_cond_signal(&q->for_device);
}

static void end_job(dj_gpu_queue *q, dj_gpu_hand *hand, const job *j)
{
    hand->busy = UINT64_MAX;
    q->running--;
    tell_done(q);
    if (!j->answers) {
        j->tray->copied += j->count;
        q->copied += j->count;
        if (j->tray->copied == q->tray_accesses)
            pthread_cond_signal(&q->for_device);
    }
    if (q->caller_waits)
        pthread_cond_signal(&q->for_caller);
}

// With the lock, which is let go for as long as the job takes.
static bool do_job(dj_gpu_queue *q, dj_gpu_hand *hand)
{
    job j;
    if (!take_job(q, hand, &j))
        return false;
    pthread_mutex_unlock(&q->lock);
    if (j.answers)
        copy_answers(&j);
    else
        copy_accesses(&j);
    pthread_mutex_lock(&q->lock);
    end_job(q, hand, &j);
    return true;
}

static void *work(void *argument)
{
    dj_gpu_hand *hand = argument;
    dj_gpu_queue *q = hand->queue;
    pthread_mutex_lock(&q->lock);
    while (!q->ending) {
        if (do_job(q, hand))
            continue;
        q->idle++;
        pthread_cond_wait(&q->for_hands, &q->lock);
        q->idle--;
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

static int pin_trays(dj_gpu_queue *q, dj_context *context)
{
    int err = DJ_OK;
    for (unsigned i = 0; !err && i < DJ_GPU_TRAYS; i++) {
        dj_gpu_tray *tray = &q->trays[i];
        err = dj_gpu_pin(context, q->tray_accesses * sizeof *tray->key, (void **)&tray->key);
        if (!err && q->use & DJ_CAN_TAGS)
            err = dj_gpu_pin(context, q->tray_accesses * sizeof *tray->tag, (void **)&tray->tag);
        if (!err && q->use & DJ_CAN_TIMES)
            err = dj_gpu_pin(context, q->tray_accesses * sizeof *tray->time, (void **)&tray->time);
    }
    return err;
}

int dj_gpu_queue_create(dj_gpu_queue *q, dj_context *context, uint32_t use, uint64_t tray_accesses,
                        unsigned copiers)
{
    *q = (dj_gpu_queue){.use = use, .tray_accesses = tray_accesses, .hand_count = copiers + 1};
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->for_hands, NULL);
    pthread_cond_init(&q->for_device, NULL);
    pthread_cond_init(&q->for_caller, NULL);
    for (unsigned i = 0; i < q->hand_count; i++)
        q->hands[i] = (dj_gpu_hand){.queue = q, .busy = UINT64_MAX};
    q->room = ENTRIES;
    q->entries = malloc(q->room * sizeof *q->entries);
    int err = q->entries ? pin_trays(q, context) : dj_fail_memory(context, "engine gpu", 0);
    for (unsigned i = 1; !err && i < q->hand_count; i++) {
        if (pthread_create(&q->hands[i].thread, NULL, work, &q->hands[i]) != 0)
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
    pthread_cond_broadcast(&q->for_hands);
    pthread_cond_broadcast(&q->for_device);
    pthread_mutex_unlock(&q->lock);
    for (unsigned i = 1; i <= q->started; i++)
        pthread_join(q->hands[i].thread, NULL);
    q->started = 0;
}

void dj_gpu_queue_destroy(dj_gpu_queue *q)
{
    for (unsigned i = 0; i < DJ_GPU_TRAYS; i++) {
        dj_gpu_unpin(q->trays[i].key);
        dj_gpu_unpin(q->trays[i].tag);
        dj_gpu_unpin(q->trays[i].time);
    }
    free(q->entries);
    pthread_cond_destroy(&q->for_caller);
    pthread_cond_destroy(&q->for_device);
    pthread_cond_destroy(&q->for_hands);
    pthread_mutex_destroy(&q->lock);
}

uint64_t dj_gpu_queue_bytes(const dj_gpu_queue *q)
{
    uint64_t each = sizeof(uint64_t);
    each += q->use & DJ_CAN_TAGS ? sizeof(uint32_t) : 0;
    each += q->use & DJ_CAN_TIMES ? sizeof(uint64_t) : 0;
    return DJ_GPU_TRAYS * q->tray_accesses * each;
}

static uint64_t oldest_entry(const dj_gpu_queue *q)
{
    return counts(q) ? q->next_copy : least(q->next_copy, q->next_answer);
}

static int make_room(dj_gpu_queue *q, dj_context *context)
{
    if (q->newest - oldest_entry(q) < q->room)
        return DJ_OK;
    dj_gpu_entry *more = malloc(2 * q->room * sizeof *more);
    if (!more)
        return dj_fail_memory(context, "the work of engine gpu", 2 * q->room * sizeof *more);
    for (uint64_t i = oldest_entry(q); i < q->newest; i++)
        more[i & (2 * q->room - 1)] = q->entries[i & (q->room - 1)];
    free(q->entries);
    q->entries = more;
    q->room *= 2;
    return DJ_OK;
}

// The caller does what a hand can do, or waits for something to happen.
static void help(dj_gpu_queue *q)
{
    if (do_job(q, &q->hands[0]))
        return;
    q->caller_waits = true;
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
    int err = make_room(q, context);
    if (!err) {
        dj_work_queue_put(&q->works, added);
        q->entries[q->newest++ & (q->room - 1)] = (dj_gpu_entry){added, q->pushed_to};
        q->pushed_to += added->count;
        if (q->idle > 0)
            pthread_cond_signal(&q->for_hands);
        while (!q->failed && q->pushed_to - q->copied > WAITING_TRAYS * q->tray_accesses)
            help(q);
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
        help(q);
    if (q->filling - q->freed < DJ_GPU_TRAYS && q->trays[q->filling % DJ_GPU_TRAYS].given > 0)
        q->filling++;
    q->flushing = true;
    pthread_cond_signal(&q->for_device);
    while (!q->failed && q->flushing)
        help(q);
    while (q->running > 0) // after a failure
        help(q);
    int err = q->failed;
    pthread_mutex_unlock(&q->lock);
    return err;
}

enum dj_gpu_event dj_gpu_queue_next(dj_gpu_queue *q, bool wait, dj_gpu_tray **tray)
{
    enum dj_gpu_event event = DJ_GPU_NOTHING;
    pthread_mutex_lock(&q->lock);
    for (;;) {
        dj_gpu_tray *next = &q->trays[q->putting % DJ_GPU_TRAYS];
        if (q->ending) {
            event = DJ_GPU_END;
        } else if (q->putting < q->filling && next->copied == next->given) {
            event = DJ_GPU_TRAY;
            *tray = next;
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

dj_gpu_tray *dj_gpu_queue_oldest(dj_gpu_queue *q)
{
    return &q->trays[q->freed % DJ_GPU_TRAYS];
}

void dj_gpu_queue_free_oldest(dj_gpu_queue *q)
{
    pthread_mutex_lock(&q->lock);
    dj_gpu_tray *tray = dj_gpu_queue_oldest(q);
    tray->given = tray->copied = 0;
    q->freed++;
    pthread_cond_broadcast(&q->for_hands);
    if (q->caller_waits)
        pthread_cond_signal(&q->for_caller);
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
    pthread_cond_broadcast(&q->for_hands);
    if (q->caller_waits)
        pthread_cond_signal(&q->for_caller);
    pthread_mutex_unlock(&q->lock);
}

void dj_gpu_queue_answered(dj_gpu_queue *q)
{
    pthread_mutex_lock(&q->lock);
    wait_answered(q);
    pthread_mutex_unlock(&q->lock);
}
