// SPDX-License-Identifier: MIT
// The run-time library of a recompiled program: declarations for its own files. The compiler inserts calls at
// every access, function entry and exit, as it does for ThreadSanitizer. The library records them in a ring
// (../ring.h) while an analyzer reads, and does nothing otherwise.
#ifndef DEJA_RUNTIME_H
#define DEJA_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/ring.h"

#define DJ_RT_EXPORT __attribute__((visibility("default")))
// Code that may be writing a record when a signal arrives. It holds no lock: it reads the cursor, writes a
// record there, and stores the cursor after it, without a call in between (tests/native/test_hot.py). The
// linker defines the section's bounds as __start_deja_hot and __stop_deja_hot.
#define DJ_RT_HOT __attribute__((section("deja_hot")))
#define DJ_RT_LIKELY(x) __builtin_expect(!!(x), 1)
#define DJ_RT_THREAD __thread __attribute__((tls_model("initial-exec")))
#define DJ_RT_COLD __attribute__((noinline, cold))

// enum dj_kind of deja/batch.h, which this library does not include.
enum dj_rt_kind { DJ_RT_READ = 0, DJ_RT_WRITE = 1, DJ_RT_MODIFY = 2 };

// enum dj_sync of deja/batch.h.
enum dj_rt_sync { DJ_RT_SYNC_ACQUIRE = 1, DJ_RT_SYNC_RELEASE = 2, DJ_RT_SYNC_THREAD = 4 };

// The writer of this thread. Never NULL: `dj_rt_no_writer` has no space, so that threads that are not traced,
// or not yet, take dj_rt_put_slow.
extern DJ_RT_THREAD dj_ring_writer *dj_rt_writer;
extern dj_ring_writer dj_rt_no_writer;

// dj_rt_put if the frame is full or the thread has none.
DJ_RT_COLD void dj_rt_put_slow(uint64_t head, uint64_t word);

// Bypasses the caches: the analyzer reads the frame on another processor, and getting its cache lines back
// from there costs more than the callback. The frame is published by an atomic exchange, which waits for such
// stores.
static inline __attribute__((always_inline)) void dj_rt_store(uint64_t *to, uint64_t word)
{
#if defined(__x86_64__)
    __builtin_ia32_movnti64((long long *)to, (long long)word);
#else
    *to = word;
#endif
}

// Writes one direct record (enum dj_direct_type). The last action of a callback, so that it ends with a jump
// and need not save registers.
static inline __attribute__((always_inline)) void dj_rt_put(uint64_t head, uint64_t word)
{
    dj_ring_writer *writer = dj_rt_writer;
    uint64_t *at = (uint64_t *)writer->cursor;
    if (!DJ_RT_LIKELY((uint64_t)at < writer->limit)) {
        dj_rt_put_slow(head, word);
        return;
    }
    dj_rt_store(at, head);
    dj_rt_store(at + 1, word);
    __atomic_store_n(&writer->cursor, (uint64_t)(at + 2), __ATOMIC_RELEASE);
}

// bursts.c: in a gap, accesses, calls and returns are not recorded.
extern bool dj_rt_sampled, dj_rt_gap;
extern uint32_t dj_rt_burst;                  // number of gaps that have ended
extern DJ_RT_THREAD int32_t dj_rt_left;       // records that this thread skips before it looks around
extern DJ_RT_THREAD uint32_t dj_rt_own_burst; // the burst that knows its stack
// Before a record that needs the calling context: sends the stack in a gap, or after one. Returns whether it
// did.
bool dj_rt_bursts_know_stack(void);

// Whether records of this thread are wanted now. False within the library (dj_rt_enter) and before it is
// ready.
bool dj_rt_is_traced(void);

// Writes any other record, with `text` (may be NULL) after the words. Does nothing if tracing is off; does
// not check whether the thread is within the library.
void dj_rt_put_record(enum dj_record_type type, uint32_t id, const uint64_t *words, unsigned count,
                      const char *text);

// Hands over what the thread has written, so that what others do after a synchronization comes after it.
// Costs only a test while there is one thread.
void dj_rt_publish(void);

// edges.c: the thread synchronizes with others by `object`, and nothing is recorded while there was never
// more than one. An acquire is recorded after it took effect. A release is recorded, and handed over with
// everything before it, before it takes effect.
void dj_rt_acquire(const volatile void *object);
void dj_rt_release(const volatile void *object);
void dj_rt_acquire_thread(uint32_t number);
void dj_rt_release_thread(uint32_t number);

// Between the two, the thread works for the library: wrapped functions do their work without recording.
bool dj_rt_enter(void); // false: already within, or not ready; then do not call dj_rt_leave
void dj_rt_leave(void);
extern DJ_RT_THREAD unsigned dj_rt_depth; // how often it was entered

// Not 0: the thread holds the lock of the frames, briefly and never while it waits for the analyzer. A
// handler must not run now: the signal is kept, dj_rt_deferred is set, and dj_rt_signals_deliver (signals.c)
// is called right after.
extern DJ_RT_THREAD volatile int dj_rt_critical, dj_rt_deferred;
void dj_rt_signals_deliver(void) __attribute__((weak));

// For a handler that interrupts hot code: takes a second writer for this thread, with a new and empty frame
// (NULL: there is none); giving it back publishes the frame.
dj_ring_writer *dj_rt_writer_acquire(void);
void dj_rt_writer_release(dj_ring_writer *writer);
enum { DJ_RT_FRAME_HEAD = 4 }; // words of the record at the start of each frame

// threads.c
void dj_rt_thread_end(void);
// modules.c
void dj_rt_modules_changed(void); // after dlopen: reports new object files

// The real function of that name, which this library wraps (from dlsym, or from --wrap in a static program).
// Works before constructors have run.
#ifdef DEJA_RUNTIME_STATIC
#define DJ_RT_NAME(name) __wrap_##name
#define DJ_RT_REAL(name) __real_##name
#else
#define DJ_RT_NAME(name) name
#define DJ_RT_REAL(name) ((__typeof__(&name))dj_rt_real(#name, &dj_rt_real_##name))
void *dj_rt_real(const char *name, void **known);
#endif

#endif
