// SPDX-License-Identifier: MIT
// What the files that keep the ring, its frames, the threads and the process
// share among each other.
#ifndef DEJA_RUNTIME_CORE_H
#define DEJA_RUNTIME_CORE_H

#include <pthread.h>

#include "runtime.h"

enum { DJ_RT_FRAMES = 4096, DJ_RT_FRAME_WORDS = 2048, DJ_RT_FRAME_BYTES = DJ_RT_FRAME_WORDS * 8 };

// Where DEJA_RING says that records go.
typedef struct dj_rt_target {
    char folder[256];
    uint32_t analyzer;
    bool follow; // processes that this one makes are traced too
} dj_rt_target;

extern dj_ring *dj_rt_ring; // NULL: none (yet)
extern bool dj_rt_off;      // nothing is traced any more, or nobody wanted it

// What the stream says of this thread. Number 0: it has none yet.
typedef struct dj_rt_thread {
    uint32_t number;
    bool counted; // among those that run
    uint64_t stack_low, stack_end;
} dj_rt_thread;

extern DJ_RT_THREAD dj_rt_thread dj_rt_self;

// process.c: reads the environment and opens the ring; gives whether there is one.
bool dj_rt_start(void);

// ring.c
bool dj_rt_ring_open(const dj_rt_target *target, uint32_t *image);
void dj_rt_ring_close(void);                           // in a forked child: it is the parent's
bool dj_rt_ring_reserve(unsigned begin, unsigned end); // whether these frames can be written without fault

// frames.c
void dj_rt_frames_begin(unsigned reserved);              // in a new ring
bool dj_rt_room(unsigned words);                         // of dj_rt_writer; false: nothing can be written
void dj_rt_frames_lock(void), dj_rt_frames_unlock(void); // signals are deferred between
void dj_rt_frames_forget_lock(void);                     // in the child
void dj_rt_frames_end(void); // publishes the frames of all threads, this one's last

// waiting.c
void dj_rt_wait_for_room(uint32_t seen); // until more than `seen` frames are given back, or for a while
void dj_rt_wake_analyzer(void);

// modules.c
void dj_rt_modules_send_again(void); // in a forked child, where the loader cannot be asked

// threads.c
void dj_rt_threads_begin(void);         // the thread that starts the library, or a forked child
void dj_rt_thread_begin(void);          // any other, at its first record
uint32_t dj_rt_threads_now(void);       // that run
uint32_t dj_rt_thread_expect(void);     // one is about to be created: its number
void dj_rt_thread_expect_no_more(void); // it could not be
void dj_rt_thread_is(uint32_t number);  // in the new thread

// record.c
void dj_rt_put_thread_name(const char *name);

// process.c
void dj_rt_before_fork(void), dj_rt_after_fork(void), dj_rt_begin_child(void);
void dj_rt_process_end(int status);
void dj_rt_quick_status(int status); // before quick_exit

extern DJ_RT_THREAD int dj_rt_cancel_type; // of the thread, before

// Nor must the thread be cancelled: the lock would go with it. (A cancellation
// that is under way looks at the type alone, in glibc 2.36 at least.)
static inline void dj_rt_critical_begin(void)
{
    int type;
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    if (dj_rt_critical++ == 0)
        dj_rt_cancel_type = type;
    __asm__ volatile("" ::: "memory");
}

static inline void dj_rt_critical_end(void)
{
    __asm__ volatile("" ::: "memory");
    int type = dj_rt_cancel_type;
    if (--dj_rt_critical != 0)
        return;
    if (dj_rt_deferred && dj_rt_signals_deliver)
        dj_rt_signals_deliver();
    pthread_setcanceltype(type, NULL);
}

#endif
