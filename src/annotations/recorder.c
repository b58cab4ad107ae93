// SPDX-License-Identifier: MIT
// The library that an annotated program loads (include/deja/record.h). It analyzes the annotations within the
// program and writes a profile. It must not disturb the program: it prints nothing unless the profile cannot
// be written, and after an error the program continues unrecorded.
#include "annotations/recorder.h"

// Only the table of calls: this is the library that is called.
#define DEJA_RECORD_OFF
#include <deja/record.h>

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic unsigned mode = DJ_MODE_OFF;
static _Atomic(dj_caller *) owner;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // for everything below, in mode SHARED
static pthread_mutex_t registration = PTHREAD_MUTEX_INITIALIZER;
static dj_recorder_state state;
static uint32_t callers;
static __thread dj_caller *self __attribute__((tls_model("initial-exec")));

// A handler may defer more calls at any moment.
static void do_deferred(dj_caller *caller)
{
    unsigned done = 0, count;
    do {
        for (; done < atomic_load_explicit(&caller->deferred.count, memory_order_relaxed); done++)
            (void)dj_recorder_do(&state, caller, &caller->deferred.call[done]);
        count = done;
    } while (!atomic_compare_exchange_strong(&caller->deferred.count, &count, 0));
}

// For the second thread: waits until the owner is outside; from then on all threads lock.
static void share(void)
{
    const dj_caller *first = atomic_load(&owner);
    unsigned expected = DJ_MODE_OWNED;
    if (!atomic_compare_exchange_strong(&mode, &expected, DJ_MODE_SHARED))
        return;
    // This barrier saves the owner a fence between `inside` and `mode`.
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    while (atomic_load(&first->inside))
        sched_yield();
}

static void drop_caller(void *caller)
{
    dj_caller *c = caller;
    atomic_store(&c->inside, false); // the thread may have been cancelled in the middle of call_access
    self = NULL;                     // a later destructor of the thread may call again
    if (c != atomic_load(&owner))    // others may wait for the owner
        free(c);
}

// The first calling thread starts the recorder; the second one shares it.
static dj_caller *register_caller(void)
{
    static pthread_key_t key;
    dj_caller *caller = calloc(1, sizeof *caller);
    if (!caller) {
        atomic_store(&state.lost, true);
        if (!atomic_load(&owner))
            atomic_store(&mode, DJ_MODE_OFF);
        return NULL;
    }
    caller->id = ++callers;
    if (atomic_load(&owner)) {
        share();
    } else {
        if (pthread_key_create(&key, drop_caller) != 0 || dj_recorder_begin(&state) != DJ_OK)
            atomic_store(&mode, DJ_MODE_OFF);
        atomic_store(&owner, caller);
    }
    pthread_setspecific(key, caller);
    return caller;
}

typedef struct cancelling {
    int state, type;
} cancelling;

// A thread that holds a lock must not be cancelled. The type is set too, because a cancellation in progress
// ignores the state (glibc 2.36).
static cancelling disable_cancel(void)
{
    cancelling old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old.state);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old.type);
    return old;
}

static void restore_cancel(cancelling old)
{
    pthread_setcanceltype(old.type, NULL);
    pthread_setcancelstate(old.state, NULL);
}

static dj_caller *new_caller(void)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); // a handler that calls would deadlock
    cancelling before = disable_cancel();
    pthread_mutex_lock(&registration);
    if (!self)
        self = register_caller();
    pthread_mutex_unlock(&registration);
    restore_cancel(before);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return self;
}

// For a signal handler that interrupted the recorder in its own thread.
static void defer_call(dj_caller *caller, const dj_call *call)
{
    unsigned at = atomic_load_explicit(&caller->deferred.count, memory_order_relaxed);
    if (at == DJ_DEFERRED_CALLS) {
        atomic_fetch_add_explicit(&state.outside, call->type == DJ_CALL_ACCESS, memory_order_relaxed);
        return;
    }
    caller->deferred.call[at] = *call;
    if (call->text) {
        snprintf(caller->deferred.text[at], DJ_DEFERRED_NAME, "%s", call->text);
        caller->deferred.call[at].text = caller->deferred.text[at];
    }
    atomic_store_explicit(&caller->deferred.count, at + 1, memory_order_relaxed);
}

// Executes one call, or none (NULL), and the calls that handlers have deferred.
static void do_call(dj_caller *caller, const dj_call *call)
{
    unsigned now = atomic_load_explicit(&mode, memory_order_relaxed);
    bool shared = now == DJ_MODE_SHARED; // after switching off, nobody may be left to unlock
    if (shared)
        pthread_mutex_lock(&lock);
    if (now == DJ_MODE_OWNED ||
        (shared && atomic_load_explicit(&mode, memory_order_relaxed) == DJ_MODE_SHARED)) {
        if (call)
            (void)dj_recorder_do(&state, caller, call);
        do_deferred(caller);
    } else {
        atomic_store_explicit(&caller->deferred.count, 0, memory_order_relaxed);
    }
    if (shared)
        pthread_mutex_unlock(&lock);
}

static bool has_more(const dj_caller *caller)
{
    return __builtin_expect(atomic_load_explicit(&caller->deferred.count, memory_order_relaxed), 0);
}

static void make_call(const dj_call *call)
{
    dj_caller *caller = self;
    if (__builtin_expect(!caller, 0)) {
        if (atomic_load(&mode) == DJ_MODE_OFF || !(caller = new_caller()))
            return;
    }
    if (__builtin_expect(atomic_load_explicit(&caller->inside, memory_order_relaxed), 0)) {
        defer_call(caller, call);
        return;
    }
    cancelling old = disable_cancel();
    do {
        atomic_store_explicit(&caller->inside, true, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        do_call(caller, call);
        atomic_store_explicit(&caller->inside, false, memory_order_release);
        atomic_signal_fence(memory_order_seq_cst);
        call = NULL;
    } while (has_more(caller));
    restore_cancel(old);
}

#define HERE .pc = (uint64_t)(uintptr_t)__builtin_return_address(0)
#define ADDRESS(pointer) (uint64_t)(uintptr_t)(pointer)

static void call_data(const void *base, size_t bytes, size_t element_bytes, const char *name)
{
    make_call(&(dj_call){.type = DJ_CALL_DATA,
                         .a = ADDRESS(base),
                         .b = bytes,
                         .c = element_bytes,
                         .text = name ? name : "",
                         HERE});
}

static void call_partial(const void *base, const void *entry)
{
    make_call(&(dj_call){.type = DJ_CALL_PARTIAL, .a = ADDRESS(base), .b = ADDRESS(entry), HERE});
}

static void call_access(const void *base, const void *element, int kind)
{
    uint64_t pc = (uint64_t)(uintptr_t)__builtin_return_address(0);
    dj_caller *caller = self;
    if (__builtin_expect(caller && !atomic_load_explicit(&caller->inside, memory_order_relaxed), 1)) {
        atomic_store_explicit(&caller->inside, true, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
        bool done = atomic_load_explicit(&mode, memory_order_relaxed) == DJ_MODE_OWNED &&
                    dj_recorder_access(&state, caller, ADDRESS(base), ADDRESS(element), kind, pc);
        atomic_signal_fence(memory_order_seq_cst);
        atomic_store_explicit(&caller->inside, false, memory_order_release);
        atomic_signal_fence(memory_order_seq_cst);
        if (__builtin_expect(done, 1)) {
            if (has_more(caller))
                make_call(NULL);
            return;
        }
    }
    make_call(&(dj_call){
        .type = DJ_CALL_ACCESS, .kind = kind, .a = ADDRESS(base), .b = ADDRESS(element), .pc = pc});
}

static void call_forget(const void *base)
{
    make_call(&(dj_call){.type = DJ_CALL_FORGET, .a = ADDRESS(base)});
}

static void call_statement(void)
{
    make_call(&(dj_call){.type = DJ_CALL_STATEMENT, HERE});
}

static void call_region(const char *name, int begins)
{
    make_call(&(dj_call){.type = DJ_CALL_REGION, .kind = begins, .text = name ? name : ""});
}

static void call_thread_name(const char *name)
{
    make_call(&(dj_call){.type = DJ_CALL_THREAD_NAME, .text = name ? name : ""});
}

__attribute__((visibility("default"))) const dj_record_calls dj_recorder = {
    .version = DJ_RECORD_CALLS_VERSION,
    .data = call_data,
    .partial = call_partial,
    .access = call_access,
    .forget = call_forget,
    .statement = call_statement,
    .region = call_region,
    .thread_name = call_thread_name,
};

static void leave(void)
{
    exit(EXIT_SUCCESS);
}

// A forked child has no analysis thread: it records nothing.
static void switch_off(void)
{
    atomic_store(&mode, DJ_MODE_OFF);
}

__attribute__((destructor)) static void end(void);

__attribute__((constructor)) static void begin(void)
{
    if (!dj_recorder_configure(&state))
        return;
    // Without barriers, a second thread could not be sure that the first one is outside.
    bool barriers = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    pthread_atfork(NULL, NULL, switch_off);
    (void)at_quick_exit(end);
    state.config.leave = leave;
    atomic_store(&mode, barriers ? DJ_MODE_OWNED : DJ_MODE_SHARED);
}

static void end(void)
{
    if (atomic_load(&mode) == DJ_MODE_OFF || !atomic_load(&owner))
        return;
    dj_caller *caller = self ? self : new_caller();
    // A handler that ends the program may have interrupted the recorder.
    bool nested = caller && atomic_load(&caller->inside);
    bool shared = !nested && atomic_load(&mode) == DJ_MODE_SHARED;
    if (shared)
        pthread_mutex_lock(&lock);
    if (caller && !nested)
        do_deferred(caller);
    atomic_store(&mode, DJ_MODE_OFF);
    if (shared)
        pthread_mutex_unlock(&lock);
    dj_recorder_end(&state);
}
