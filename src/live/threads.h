// SPDX-License-Identifier: MIT
// The threads of a traced process, by the tracer's numbers.
#ifndef DEJA_LIVE_THREADS_H
#define DEJA_LIVE_THREADS_H

#include "live/blocks.h"

typedef struct dj_live_thread {
    uint32_t id;
    uint64_t stack_lo, stack_hi;
    char *name; // told with the next event of the thread; NULL: nothing to tell
    dj_allocation allocation;
    uint64_t *entered; // where the return addresses of functions that were entered lie, falling
    size_t depth, capacity;
} dj_live_thread;

typedef struct dj_threads {
    dj_live_thread **list; // each stays where it is
    uint32_t count, capacity;
    dj_map index; // id → index + 1
    dj_footprint footprint;
} dj_threads;

// The threads must stay where they are until they are destroyed.
int dj_threads_create(dj_threads *threads, dj_context *context);
void dj_threads_destroy(dj_threads *threads); // one that is all zero is fine
int dj_threads_find(dj_threads *threads, dj_context *context, uint32_t id, dj_live_thread **out);

// A function is entered, whose return address lies at `position`; what lies below it was left.
int dj_thread_enter(dj_live_thread *thread, dj_context *context, uint64_t position);
// A function is left while the stack pointer is `sp`, and all below it with it.
// Gives where its return address lies, or false: its entry was not seen.
bool dj_thread_leave(dj_live_thread *thread, uint64_t sp, uint64_t *position);

// `thread` has all that follows.
int dj_thread_tell(dj_live_thread *thread, dj_context *context, dj_batch *batch);

#endif
