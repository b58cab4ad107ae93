// SPDX-License-Identifier: MIT
/// \file
/// What engines that answer at once share: the queue of answered work.
#ifndef DJ_ENGINE_WORK_H
#define DJ_ENGINE_WORK_H

#include <deja/engine.h>

/// First in, first out, linked through dj_work.next. All zero: empty.
typedef struct dj_work_queue {
    dj_work *first, *last;
} dj_work_queue;

static inline void dj_work_queue_put(dj_work_queue *queue, dj_work *work)
{
    work->next = NULL;
    if (queue->first)
        queue->last->next = work;
    else
        queue->first = work;
    queue->last = work;
}

/// NULL when the queue is empty.
static inline dj_work *dj_work_queue_take(dj_work_queue *queue)
{
    dj_work *work = queue->first;
    if (work)
        queue->first = work->next;
    return work;
}

#endif
