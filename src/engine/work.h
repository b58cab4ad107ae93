// SPDX-License-Identifier: MIT
// The queue of answered work, and `pull` and `drain` for engines that answer immediately.
#ifndef DEJA_ENGINE_WORK_H
#define DEJA_ENGINE_WORK_H

#include <deja/engine.h>

// First in, first out, linked through dj_work.next. All zero: empty.
typedef struct dj_work_queue {
    dj_work *first, *last;
} dj_work_queue;

void dj_work_queue_put(dj_work_queue *queue, dj_work *work);
// NULL if the queue is empty.
dj_work *dj_work_queue_take(dj_work_queue *queue);

// `pull` and `drain` of an engine that answers in `push`. Its state must begin with the dj_work_queue.
int dj_work_pull_at_once(void *state, dj_context *context, dj_work **out);
int dj_work_drain_at_once(void *state, dj_context *context);

// What access `i` asks; `use` is that of the engine's parameters.
static inline uint8_t dj_work_op(const dj_work *work, uint32_t use, size_t i)
{
    return use & (DJ_CAN_INVALIDATE | DJ_CAN_REMOVE) && work->op ? work->op[i] : DJ_OP_ACCESS;
}

#endif
