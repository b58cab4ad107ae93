// SPDX-License-Identifier: MIT
// Moves accesses from the caller's works into pinned memory, and answers back. The caller pushes works;
// copiers, which are threads and the caller itself while it waits, copy them into a ring of buffers;
// one thread, which serves the device, takes full buffers in order. If each access has an answer,
// copiers also copy those back. Positions count all accesses from the beginning.
//
// Not a dj_queue: the input is works of any length, the output is buffers of a fixed length, and the
// same copiers serve both directions, so one lock guards everything.
#ifndef DEJA_ENGINE_GPU_QUEUE_H
#define DEJA_ENGINE_GPU_QUEUE_H

#include "engine/work.h"
#include "gpu/device.h"

#include <pthread.h>
#include <stdatomic.h>

enum { DJ_GPU_BUFFERS = 6, DJ_GPU_MOST_COPIERS = 13 };

// A copy to a device that has been started.
typedef struct dj_gpu_mark {
    uint64_t ticket;
    unsigned generation; // of the device
} dj_gpu_mark;

// Pinned memory for consecutive accesses.
typedef struct dj_gpu_buffer {
    uint64_t *key;
    uint32_t *tag;
    uint64_t *time;
    uint64_t given, copied; // accesses assigned to copiers, and accesses copied
    dj_gpu_mark put;        // of the thread that copies it to the device
} dj_gpu_buffer;

typedef struct dj_gpu_entry {
    dj_work *work;
    uint64_t begin;
} dj_gpu_entry;

typedef struct dj_gpu_copier {
    struct dj_gpu_queue *queue;
    pthread_t thread;
    uint64_t busy; // position of what will be done when its job ends; UINT64_MAX: nothing
} dj_gpu_copier;

typedef struct dj_gpu_queue {
    uint32_t use;
    uint64_t buffer_accesses;
    // Used by the caller only.
    dj_work_queue works; // not pulled yet
    uint64_t pulled_to;
    // Everything before this position is done: copied, or answered if there are answers.
    atomic_uint_fast64_t done_to;

    pthread_mutex_t lock; // guards everything below
    pthread_cond_t for_copiers, for_device, for_caller;
    dj_gpu_entry *entries; // a ring; the capacity is a power of two
    uint64_t capacity;
    uint64_t next_copy, next_answer, newest; // numbers of entries
    uint64_t pushed_to, copy_at, copied;     // `copied` is a sum
    dj_gpu_buffer buffers[DJ_GPU_BUFFERS];
    uint64_t filling, putting, freed; // numbers of buffers; those before `filling` are complete
    dj_gpu_answers answers;           // to be copied back
    uint64_t answers_begin, answers_end, answer_at;
    dj_gpu_copier copiers[DJ_GPU_MOST_COPIERS]; // the first one is the caller
    unsigned hand_count, started, idle, waking, running;
    uint64_t caller_until; // the caller waits until this many are copied
    bool caller_waits, flushing, ending;
    int failed;
} dj_gpu_queue;

static inline bool dj_gpu_counts(const dj_gpu_queue *queue)
{
    return queue->use & DJ_CAN_TOTALS;
}

// Called with the lock, which it releases while it works. False: there is nothing to do.
bool dj_gpu_copier_work(dj_gpu_copier *copier);
// Called with the lock. Wakes one copier if there is enough work for one more. That one wakes the next.
void dj_gpu_copiers_wake(dj_gpu_queue *queue);
// The thread function of a copier.
void *dj_gpu_copier_run(void *argument);

// `copiers`: number of threads.
int dj_gpu_queue_create(dj_gpu_queue *queue, dj_context *context, uint32_t use, uint64_t buffer_accesses,
                        unsigned copiers);
// For the caller: no work is touched any more, and the device's thread is asked to end.
void dj_gpu_queue_end(dj_gpu_queue *queue);
void dj_gpu_queue_destroy(dj_gpu_queue *queue);         // after that thread has ended
uint64_t dj_gpu_queue_bytes(const dj_gpu_queue *queue); // pinned

// For the caller. Returns the error passed to dj_gpu_queue_fail, if any, or DJ_ERR_MEMORY with a
// message.
int dj_gpu_queue_push(dj_gpu_queue *queue, dj_context *context, dj_work *added);
int dj_gpu_queue_failure(dj_gpu_queue *queue);   // the error passed to dj_gpu_queue_fail; 0: none
dj_work *dj_gpu_queue_pull(dj_gpu_queue *queue); // NULL: none is ready
// Waits until everything is done. Returns the same as dj_gpu_queue_failure.
int dj_gpu_queue_flush(dj_gpu_queue *queue);

enum dj_gpu_event { DJ_GPU_NOTHING, DJ_GPU_BUFFER, DJ_GPU_FLUSH, DJ_GPU_END };

// The functions below are for the thread that serves the device. Returns the next buffer, or a request
// to flush all buffers, to be confirmed by dj_gpu_queue_flushed.
enum dj_gpu_event dj_gpu_queue_next(dj_gpu_queue *queue, bool wait, dj_gpu_buffer **buffer);
// The oldest buffer that was taken and not freed.
dj_gpu_buffer *dj_gpu_queue_oldest(dj_gpu_queue *queue);
void dj_gpu_queue_free_oldest(dj_gpu_queue *queue);
void dj_gpu_queue_flushed(dj_gpu_queue *queue);
void dj_gpu_queue_fail(dj_gpu_queue *queue, int err);
// Passes the answers from position `begin` on, where the previous ones ended. They are copied while the
// thread continues; dj_gpu_queue_answered waits for that.
void dj_gpu_queue_answer(dj_gpu_queue *queue, const dj_gpu_answers *answers, uint64_t begin, uint64_t count);
void dj_gpu_queue_answered(dj_gpu_queue *queue);

#endif
