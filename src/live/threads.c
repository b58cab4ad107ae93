// SPDX-License-Identifier: MIT
#include "live/threads.h"

#include <stdlib.h>

#include "base/grow.h"

enum { DEPTH_MOST = 1 << 24 };

int dj_threads_create(dj_threads *threads, dj_context *context)
{
    *threads = (dj_threads){0};
    return dj_map_create(&threads->index, context, &threads->footprint, 0);
}

void dj_threads_destroy(dj_threads *threads)
{
    for (uint32_t i = 0; i < threads->count; i++) {
        free(threads->list[i]->name);
        free(threads->list[i]->entered);
        free(threads->list[i]);
    }
    free(threads->list);
    dj_map_destroy(&threads->index);
    *threads = (dj_threads){0};
}

static int add(dj_threads *threads, dj_context *context, uint32_t id, dj_live_thread **out)
{
    if (threads->count == threads->capacity) {
        uint32_t capacity = threads->capacity ? 2 * threads->capacity : 16;
        dj_live_thread **grown = realloc(threads->list, capacity * sizeof *grown);
        if (!grown)
            return dj_fail_memory(context, "the threads of a program", 0);
        threads->list = grown;
        threads->capacity = capacity;
    }
    dj_live_thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return dj_fail_memory(context, "a thread of a program", 0);
    thread->id = id;
    threads->list[threads->count++] = thread;
    *out = thread;
    return DJ_OK;
}

int dj_threads_find(dj_threads *threads, dj_context *context, uint32_t id, dj_live_thread **out)
{
    uint64_t known = dj_map_get(&threads->index, id);
    if (known) {
        *out = threads->list[known - 1];
        return DJ_OK;
    }
    int err = add(threads, context, id, out);
    uint64_t *slot = err ? NULL : dj_map_at(&threads->index, context, id);
    if (!slot)
        return err ? err : DJ_ERR_MEMORY;
    *slot = threads->count;
    return DJ_OK;
}

int dj_thread_enter(dj_live_thread *thread, dj_context *context, dj_entered function)
{
    thread->depth = dj_calls_above(thread->entered, thread->depth, function.position);
    if (thread->depth == DEPTH_MOST)
        return DJ_OK; // its exit will look like one whose entry was not traced
    int err = dj_grow(context, "a call stack", &thread->entered, &thread->capacity, thread->depth + 1,
                      sizeof *thread->entered);
    if (!err)
        thread->entered[thread->depth++] = function;
    return err;
}

bool dj_thread_leave(dj_live_thread *thread, uint64_t pc, uint64_t sp, uint64_t *position)
{
    thread->depth = dj_calls_left(thread->entered, thread->depth, pc, sp);
    if (!thread->depth)
        return false;
    *position = thread->entered[--thread->depth].position;
    return true;
}

int dj_thread_announce(dj_live_thread *thread, dj_context *context, dj_batch *batch)
{
    dj_event event = {batch->count,     DJ_EVENT_THREAD,  thread->id,
                      thread->stack_lo, thread->stack_hi, thread->name ? thread->name : ""};
    int err = dj_batch_add_event(context, batch, &event);
    free(thread->name);
    thread->name = NULL;
    return err;
}
