// SPDX-License-Identifier: MIT
#include "engine/gpu_queue.h"

#include "engine/stream.h"

#include <stdlib.h>
#include <string.h>

enum {
    PART_ACCESSES = 1 << 16, // at most, as the next one
    JOB_PARTS = 4,
    ENTRIES = 64,            // at first
    WAITING_TRAYS = 4,       // accesses that are pushed and not copied fill so many, at most
    WAKE_ACCESSES = 1 << 17, // what a hand should find to do when it is woken, which takes as long
};

// Of one work.
typedef struct part {
    dj_work work; // where it begins
    uint64_t count;
    uint64_t at; // in the tray or in the answers
} part;

// What a hand does at a time: copy accesses, or their answers back.
typedef struct job {
    bool answers;
    unsigned part_count;
    part parts[JOB_PARTS];
    dj_gpu_tray *tray;
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
static uint64_t take_part(const dj_gpu_queue *q, uint64_t *number, uint64_t *at, uint64_t end, part *p)
{
    const dj_gpu_entry *entry = &q->entries[*number & (q->room - 1)];
    uint64_t from = *at - entry->begin, left = entry->work->count - from;
    p->work = work_from(entry->work, from);
    p->count = least(least(left, end - *at), PART_ACCESSES);
    *at += p->count;
    *number += p->count == left;
    return p->count;
}

static bool take_answers(dj_gpu_queue *q, dj_gpu_hand *hand, job *j)
{
    if (q->answer_at == q->answers_end)
        return false;
    j->answers = true;
    j->from = q->answers;
    hand->busy = q->answer_at;
    while (j->part_count < JOB_PARTS && q->answer_at < q->answers_end) {
        part *p = &j->parts[j->part_count++];
        p->at = q->answer_at - q->answers_begin;
        (void)take_part(q, &q->next_answer, &q->answer_at, q->answers_end, p);
    }
    return true;
}

static bool take_copy(dj_gpu_queue *q, dj_gpu_hand *hand, job *j)
{
    if (q->next_copy == q->newest || q->filling - q->freed == DJ_GPU_TRAYS)
        return false;
    dj_gpu_tray *tray = &q->trays[q->filling % DJ_GPU_TRAYS];
    j->tray = tray;
    hand->busy = counts(q) ? q->copy_at : UINT64_MAX;
    while (j->part_count < JOB_PARTS && q->next_copy < q->newest && tray->given < q->tray_accesses) {
        part *p = &j->parts[j->part_count++];
        p->at = tray->given;
        tray->given +=
            take_part(q, &q->next_copy, &q->copy_at, q->copy_at + q->tray_accesses - tray->given, p);
    }
    q->filling += tray->given == q->tray_accesses;
    return true;
}

// Wakes one hand, if there is enough to do for one more. That one wakes the next.
static void wake(dj_gpu_queue *q)
{
    uint64_t waiting = q->pushed_to - q->copy_at;
    unsigned awake = q->started - q->idle + q->waking;
    bool much = waiting >= (awake + UINT64_C(1)) * WAKE_ACCESSES;
    if (awake >= q->started || !(much || (waiting > 0 && awake == 0 && q->caller_waits)))
        return;
    q->waking++;
    pthread_cond_signal(&q->for_hands);
}

static bool take_job(dj_gpu_queue *q, dj_gpu_hand *hand, job *j)
{
    j->answers = false;
    j->part_count = 0;
    if (q->failed || q->ending || !(take_answers(q, hand, j) || take_copy(q, hand, j)))
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

static void copy_accesses(const part *p, const dj_gpu_tray *to)
{
    dj_stream_copy(to->key + p->at, p->work.key, p->count);
    if (to->tag)
        memcpy(to->tag + p->at, p->work.tag, p->count * sizeof *p->work.tag);
    if (to->time)
        memcpy(to->time + p->at, p->work.time, p->count * sizeof *p->work.time);
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
    for (unsigned i = 0; !j->answers && i < j->part_count; i++) {
        j->tray->copied += j->parts[i].count;
        q->copied += j->parts[i].count;
    }
    if (!j->answers && j->tray->copied == q->tray_accesses)
        pthread_cond_signal(&q->for_device);
    if (q->caller_waits && (q->copied >= q->caller_until || (q->failed && q->running == 0)))
        pthread_cond_signal(&q->for_caller);
}

// With the lock, which is let go for as long as the job takes.
static bool do_job(dj_gpu_queue *q, dj_gpu_hand *hand)
{
    job j;
    if (!take_job(q, hand, &j))
        return false;
    wake(q);
    pthread_mutex_unlock(&q->lock);
    for (unsigned i = 0; i < j.part_count; i++) {
        if (j.answers)
            copy_answers(&j.parts[i], &j.from);
        else
            copy_accesses(&j.parts[i], j.tray);
    }
    dj_stream_end();
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
        q->waking -= q->waking > 0;
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

// The caller does what a hand can do, or waits until so many are copied, or for news of the device.
static void help(dj_gpu_queue *q, uint64_t until)
{
    if (do_job(q, &q->hands[0]))
        return;
    q->caller_until = until;
    q->caller_waits = true;
    wake(q);
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
        uint64_t most = WAITING_TRAYS * q->tray_accesses;
        dj_work_queue_put(&q->works, added);
        q->entries[q->newest++ & (q->room - 1)] = (dj_gpu_entry){added, q->pushed_to};
        q->pushed_to += added->count;
        wake(q);
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
    if (q->filling - q->freed < DJ_GPU_TRAYS && q->trays[q->filling % DJ_GPU_TRAYS].given > 0)
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
    wake(q);
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
    pthread_cond_broadcast(&q->for_hands);
    pthread_mutex_unlock(&q->lock);
}

void dj_gpu_queue_answered(dj_gpu_queue *q)
{
    pthread_mutex_lock(&q->lock);
    wait_answered(q);
    pthread_mutex_unlock(&q->lock);
}
