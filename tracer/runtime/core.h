// SPDX-License-Identifier: MIT
// Shared by the files that manage the ring, its frames, the threads and the process.
#ifndef DEJA_RUNTIME_CORE_H
#define DEJA_RUNTIME_CORE_H

#include <pthread.h>

#include "runtime.h"

enum { DJ_RT_FRAMES = 4096, DJ_RT_FRAME_WORDS = 2048, DJ_RT_FRAME_BYTES = DJ_RT_FRAME_WORDS * 8 };

// Where records go, according to DEJA_RING.
typedef struct dj_rt_target {
    char folder[256];
    uint32_t analyzer;
    bool follow; // also trace processes that this one creates
} dj_rt_target;

extern dj_ring *dj_rt_ring; // NULL: none (yet)

// The frame of a writer whose cursor is not 0. These are inline because hot code must not call anything
// between the reading of a cursor and the use of it.
static inline __attribute__((always_inline)) uint64_t *dj_rt_frame_start(const dj_ring_writer *writer)
{
    const uint64_t offset = writer->cursor - dj_rt_ring->base;
    return (uint64_t *)(dj_rt_ring->base + offset / DJ_RT_FRAME_BYTES * DJ_RT_FRAME_BYTES);
}

// Its last word is never used, so that a cursor identifies its frame.
static inline __attribute__((always_inline)) uint64_t dj_rt_frame_limit(const dj_ring_writer *writer)
{
    return (uint64_t)(dj_rt_frame_start(writer) + DJ_RT_FRAME_WORDS - 2);
}

extern bool dj_rt_off; // tracing has ended, or was never requested

// What the stream says about this thread. Number 0: it has none yet.
typedef struct dj_rt_thread {
    uint32_t number;
    bool counted; // among the running threads
    bool created; // by another thread that is traced, and has not recorded anything yet
    uint64_t stack_low, stack_end;
} dj_rt_thread;

extern DJ_RT_THREAD dj_rt_thread dj_rt_self;

// process.c: reads the environment and opens the ring; returns whether there is one.
bool dj_rt_start(void);
uint32_t dj_rt_analyzer(void); // the process that will read, according to the environment

// ring.c
bool dj_rt_ring_open(const dj_rt_target *target, uint32_t *image);
void dj_rt_ring_close(void);                           // in a forked child: the ring is the parent's
bool dj_rt_ring_reserve(unsigned begin, unsigned end); // whether these frames can be written without a fault
bool dj_rt_ring_is_lost(void);                         // an analyzer can no longer open its file

// frames.c
void dj_rt_frames_begin(unsigned reserved);              // in a new ring
bool dj_rt_ensure_space(unsigned words);                 // in dj_rt_writer; false: nothing can be written
void dj_rt_frames_lock(void), dj_rt_frames_unlock(void); // signals are deferred in between
void dj_rt_frames_forget_lock(void);                     // in the child
void dj_rt_frames_end_gap(uint64_t length);              // requires the lock
void dj_rt_frames_end(void); // publishes the frames of all threads, that of this thread last

// bursts.c: only parts of the run are traced.
enum { DJ_RT_RATE_ALL = 1000000 };
// The rate is in millionths; 0: everything is traced. With a budget, in thousandths of the time without
// bursts, it is the most; 0: none.
void dj_rt_bursts_begin(uint32_t rate, uint32_t seed, uint32_t budget);
void dj_rt_bursts_begin_child(void);
void dj_rt_bursts_end(void);  // of the process
bool dj_rt_bursts_skip(void); // in a gap, sometimes; false: the gap is over
// These require the lock of the frames.
void dj_rt_bursts_count(uint64_t records);            // were written
bool dj_rt_bursts_end_now(uint64_t *written);         // whether a gap begins now, after that many records
void dj_rt_put_sampled(uint64_t head, uint64_t word); // dj_rt_put_slow in a gap, or after one

// Whether the thread may write accesses without looking around. After a gap it first has to send its stack:
// another record, such as that of an allocation, must not open the frame before.
static inline bool dj_rt_is_open(void)
{
    return !dj_rt_gap && dj_rt_own_burst == dj_rt_burst;
}

// calls.c: the functions of this thread that have not returned.
void dj_rt_send_stack(void);
void dj_rt_calls_end(void); // of a thread

// waiting.c
extern uint64_t dj_rt_waited_ns;          // of all threads, for the analyzer
void dj_rt_wait_for_space(uint32_t seen); // until more than `seen` frames are returned, or for a while
void dj_rt_wake_analyzer(void);

// modules.c
void dj_rt_modules_send_again(void); // in a forked child, where the loader cannot be called

// threads.c
void dj_rt_threads_begin(void);         // the thread that starts the library, or a forked child
void dj_rt_thread_begin(void);          // any other thread, at its first record
uint32_t dj_rt_threads_now(void);       // number of running threads
uint32_t dj_rt_thread_expect(void);     // a thread is about to be created: returns its number
void dj_rt_thread_expect_no_more(void); // its creation failed
void dj_rt_thread_is(uint32_t number);  // in the new thread
extern bool dj_rt_concurrent;           // there was more than one thread

// joins.c: the numbers of threads that can be joined. 0: unknown.
void dj_rt_joinable(pthread_t thread, uint32_t number, bool *known_already);
uint32_t dj_rt_joined(pthread_t thread);

// annotations.c
void dj_rt_put_thread_name(const char *name);

// process.c
void dj_rt_before_fork(void), dj_rt_after_fork(void), dj_rt_begin_child(void);
void dj_rt_process_end(int status);
void dj_rt_quick_status(int status); // before quick_exit

extern DJ_RT_THREAD int dj_rt_cancel_type; // of the thread, before the critical section

// The thread must not be cancelled either: it would keep the lock. (A cancellation in progress checks only
// the type, at least in glibc 2.36.)
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
