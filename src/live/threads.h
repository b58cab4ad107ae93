// SPDX-License-Identifier: MIT
// The threads of a traced process, by the tracer's numbers.
#ifndef DEJA_LIVE_THREADS_H
#define DEJA_LIVE_THREADS_H

#include "live/blocks.h"
#include "tracer/calls.h"

typedef struct dj_live_thread {
    uint32_t id;
    uint64_t stack_lo, stack_hi;
    char *name; // reported with the next event of the thread; NULL: nothing to report
    dj_allocation allocation;
    dj_entered *entered; // functions that have not been left, at decreasing positions
    size_t depth, capacity;
} dj_live_thread;

typedef struct dj_threads {
    dj_live_thread **list; // their addresses are stable
    uint32_t count, capacity;
    dj_map index; // id → index + 1
    dj_footprint footprint;
} dj_threads;

// The structure must not move until it is destroyed.
int dj_threads_create(dj_threads *threads, dj_context *context);
void dj_threads_destroy(dj_threads *threads); // a zero-initialized one is allowed
int dj_threads_find(dj_threads *threads, dj_context *context, uint32_t id, dj_live_thread **out);

// Functions below the entered one on the stack have been left.
int dj_thread_enter(dj_live_thread *thread, dj_context *context, dj_entered function);
// DJ_DIRECT_EXIT. Returns the position of the return address of the function that is left, or false: its
// entry was not traced.
bool dj_thread_leave(dj_live_thread *thread, uint64_t pc, uint64_t sp, uint64_t *position);

// Adds the event that everything from here on belongs to `thread`.
int dj_thread_announce(dj_live_thread *thread, dj_context *context, dj_batch *batch);

#endif
