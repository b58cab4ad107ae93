// SPDX-License-Identifier: MIT
// The run-time library of a recompiled program, seen from its own files. The
// compiler calls it at every access, entry and exit, as it would call the
// library of ThreadSanitizer; it writes what happens into a ring (../ring.h)
// while somebody analyzes, and does nothing otherwise.
#ifndef DEJA_RUNTIME_H
#define DEJA_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/ring.h"

#define DJ_RT_EXPORT __attribute__((visibility("default")))
// Code that may be at work on a record when a signal comes. It holds no lock:
// it reads the cursor, writes a record there, and stores the cursor behind it.
// The linker knows the section's bounds as __start_deja_hot and __stop_deja_hot.
#define DJ_RT_HOT __attribute__((section("deja_hot")))
#define DJ_RT_LIKELY(x) __builtin_expect(!!(x), 1)
#define DJ_RT_THREAD __thread __attribute__((tls_model("initial-exec")))
#define DJ_RT_COLD __attribute__((noinline, cold))

// enum dj_kind of deja/batch.h, which this library does not know.
enum dj_rt_kind { DJ_RT_READ = 0, DJ_RT_WRITE = 1, DJ_RT_MODIFY = 2 };

// The writer of this thread. Never NULL: `dj_rt_nothing` has no room, so that
// threads that are not traced, or not yet, come to dj_rt_put_slow.
extern DJ_RT_THREAD dj_ring_writer *dj_rt_writer;
extern dj_ring_writer dj_rt_nothing;

// dj_rt_put when the frame is full or the thread has none.
DJ_RT_COLD void dj_rt_put_slow(uint64_t head, uint64_t word);

// Past the caches: the analyzer reads the frame on another processor, and to
// take its lines back from there costs more than the callback does. What
// publishes the frame is an atomic exchange, which waits for such stores.
static inline __attribute__((always_inline)) void dj_rt_store(uint64_t *to, uint64_t word)
{
#if defined(__x86_64__)
    __builtin_ia32_movnti64((long long *)to, (long long)word);
#else
    *to = word;
#endif
}

// One direct record (enum dj_direct_type). The last thing a callback does, so
// that the way out is a jump and nothing has to be saved before.
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

// Whether records are wanted, of this thread and now. False within the library
// itself (dj_rt_enter) and before it is ready.
bool dj_rt_is_traced(void);

// Any other record, with `text` (may be NULL) after the words. Does nothing
// when nothing is traced; does not ask whether the library is within itself.
void dj_rt_put_record(enum dj_record_type type, uint32_t id, const uint64_t *words, unsigned count,
                      const char *text);

// The thread hands over what it has written, so that what others do after a
// synchronization comes after it. Costs a test while there is one thread.
void dj_rt_publish(void);

// Between the two, what the thread does is the library's affair: interposed
// functions do their work and tell nothing.
bool dj_rt_enter(void); // false: it is within already, or not ready; then do not leave
void dj_rt_leave(void);
extern DJ_RT_THREAD unsigned dj_rt_depth; // how often it was entered

// Not 0: the thread has the lock of the frames, for a moment and never while it
// waits for the analyzer. A handler must not run now: the signal is kept,
// dj_rt_deferred set, and dj_rt_signals_deliver (signals.c) called right after.
extern DJ_RT_THREAD volatile int dj_rt_critical, dj_rt_deferred;
void dj_rt_signals_deliver(void) __attribute__((weak));

// For a handler that interrupts hot code: a second writer of this thread, with a
// fresh frame (NULL: there is none), and back again, when it is published.
dj_ring_writer *dj_rt_writer_take(void);
void dj_rt_writer_give(dj_ring_writer *writer);
uint64_t *dj_rt_frame_start(const dj_ring_writer *writer); // its cursor is not 0
enum { DJ_RT_FRAME_HEAD = 4 };                             // words of the record that each frame begins with

// threads.c
void dj_rt_thread_end(void);
// modules.c
void dj_rt_modules_changed(void); // after dlopen: tells object files that are new

// The function of that name that this library stands in front of (dlsym, or
// what --wrap leaves in a static program). Works before constructors have run.
#ifdef DEJA_RUNTIME_STATIC
#define DJ_RT_NAME(name) __wrap_##name
#define DJ_RT_REAL(name) __real_##name
#else
#define DJ_RT_NAME(name) name
#define DJ_RT_REAL(name) ((__typeof__(&name))dj_rt_real(#name, &dj_rt_real_##name))
void *dj_rt_real(const char *name, void **known);
#endif

#endif
