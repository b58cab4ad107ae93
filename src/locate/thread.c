// SPDX-License-Identifier: MIT
#include "locate/thread.h"

#include "base/grow.h"
#include <deja/attribution.h>

#include <stdlib.h>

// Tail calls search for their function in vain, so the search must be short.
enum { UNWIND_MOST = 256 };

dj_shadow_frame *dj_thread_frame(const dj_thread *thread, size_t index)
{
    return &thread->chunks[index / DJ_FRAMES_CHUNK][index % DJ_FRAMES_CHUNK];
}

static int push(dj_thread *thread, dj_context *context, dj_shadow_frame frame)
{
    if (thread->depth == thread->chunk_count * DJ_FRAMES_CHUNK) {
        int err = dj_grow(context, "a call stack", &thread->chunks, &thread->chunk_capacity,
                          thread->chunk_count + 1, sizeof *thread->chunks);
        if (err)
            return err;
        dj_shadow_frame *chunk = calloc(DJ_FRAMES_CHUNK, sizeof *chunk);
        if (!chunk)
            return dj_fail_memory(context, "a call stack", DJ_FRAMES_CHUNK * sizeof *chunk);
        thread->chunks[thread->chunk_count++] = chunk;
    }
    if (++thread->serial == 0)
        thread->serial = 1;
    frame.serial = thread->serial;
    thread->top = dj_thread_frame(thread, thread->depth++);
    *thread->top = frame;
    return DJ_OK;
}

static void pop(dj_thread *thread)
{
    thread->left_site = thread->top->call_site;
    thread->top->serial = 0;
    thread->depth--;
    thread->top = dj_thread_frame(thread, thread->depth - 1);
}

int dj_thread_create(dj_thread *thread, dj_context *context, uint64_t id, uint32_t root)
{
    *thread = (dj_thread){.id = id, .root = root, .left_site = DJ_NOWHERE};
    return push(thread, context,
                (dj_shadow_frame){.sp = UINT64_MAX,
                                  .cct_node = root,
                                  .called_node = root,
                                  .call_site = DJ_NOWHERE,
                                  .entered = true});
}

void dj_thread_destroy(dj_thread *thread)
{
    for (size_t i = 0; i < thread->chunk_count; i++)
        free(thread->chunks[i]);
    free(thread->chunks);
}

int dj_thread_call(dj_thread *thread, dj_context *context, uint32_t call_site, uint64_t sp)
{
    while (thread->top->sp <= sp && thread->depth > 1)
        pop(thread);
    return push(thread, context,
                (dj_shadow_frame){.sp = sp,
                                  .cct_node = thread->top->cct_node,
                                  .called_node = thread->top->cct_node,
                                  .call_site = call_site});
}

void dj_thread_return(dj_thread *thread, uint64_t sp)
{
    while (thread->top->sp < sp && thread->depth > 1)
        pop(thread);
}

bool dj_thread_unwind(dj_thread *thread, uint32_t function)
{
    size_t depth = thread->depth, least = depth > UNWIND_MOST ? depth - UNWIND_MOST : 0;
    if (thread->top->called == function) {
        thread->top->function = function;
        thread->top->cct_node = thread->top->called_node;
        return true;
    }
    while (depth > least && dj_thread_frame(thread, depth - 1)->function != function)
        depth--;
    if (depth == least)
        return false;
    while (thread->depth > depth)
        pop(thread);
    return true;
}

dj_shadow_frame *dj_thread_frame_at(const dj_thread *thread, uint64_t address, size_t *index)
{
    size_t lo = 0, hi = thread->depth - 1; // stack pointers decrease from frame to frame
    while (lo < hi) {
        size_t middle = (lo + hi + 1) / 2;
        const dj_shadow_frame *frame = dj_thread_frame(thread, middle);
        if (middle == 0 || dj_frame_cfa(frame) > address)
            lo = middle;
        else
            hi = middle - 1;
    }
    *index = lo;
    return dj_thread_frame(thread, lo);
}
