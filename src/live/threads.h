// SPDX-License-Identifier: MIT
// The threads of a traced process, by the tracer's numbers.
#ifndef DEJA_LIVE_THREADS_H
#define DEJA_LIVE_THREADS_H

#include "live/blocks.h"

// A function that was entered: where its return address lies, and what that is.
typedef struct dj_entered {
    uint64_t position, pc;
} dj_entered;

typedef struct dj_live_thread {
    uint32_t id;
    uint64_t stack_lo, stack_hi;
    char *name; // told with the next event of the thread; NULL: nothing to tell
    dj_allocation allocation;
    dj_entered *entered; // functions that have not been left, at falling positions
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

// What lies below a function that is entered was left.
int dj_thread_enter(dj_live_thread *thread, dj_context *context, dj_entered function);
// DJ_DIRECT_EXIT. Gives where the return address of the function that is left
// lies, or false: its entry was not seen.
bool dj_thread_leave(dj_live_thread *thread, uint64_t pc, uint64_t sp, uint64_t *position);

// `thread` has all that follows.
int dj_thread_tell(dj_live_thread *thread, dj_context *context, dj_batch *batch);

#endif
