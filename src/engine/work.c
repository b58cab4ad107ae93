// SPDX-License-Identifier: MIT
#include "engine/work.h"

void dj_work_queue_put(dj_work_queue *queue, dj_work *work)
{
    work->next = NULL;
    if (queue->first)
        queue->last->next = work;
    else
        queue->first = work;
    queue->last = work;
}

dj_work *dj_work_queue_take(dj_work_queue *queue)
{
    dj_work *work = queue->first;
    if (work)
        queue->first = work->next;
    return work;
}

int dj_work_pull_at_once(void *state, dj_context *context, dj_work **out)
{
    (void)context;
    *out = dj_work_queue_take(state);
    return DJ_OK;
}

int dj_work_drain_at_once(void *state, dj_context *context)
{
    (void)state;
    (void)context;
    return DJ_OK;
}
