// SPDX-License-Identifier: MIT
// Valgrind reuses its thread numbers; the stream has a new one for each thread.
#include "tool.h"

enum { CLONE_THREAD_POINTER = 0x80000 };

// Of the program's threads, by Valgrind's number.
typedef struct thread {
    uint32_t serial; // 0: none, or it has ended
    Bool started;
    uint32_t joining; // the thread that it waits for; 0: none
    uint32_t joined;  // the last one that it waited for
    UInt burst;       // the last one in which its stack was sent
} thread;

// A thread that was created, by what the C library calls it: the thread pointer.
typedef struct joinable {
    struct _VgHashNode *next;
    UWord thread_pointer;
    uint32_t serial;
} joinable;

static thread *threads;
static VgHashTable *joinables;
static uint32_t created;
static uint32_t running;
static Addr next_pointer; // of the thread that is about to be created; 0: unknown

enum { ACQUIRE = 1, RELEASE = 2, THREAD = 4 }; // enum dj_sync of batch.h

static void synchronize(UInt what, uint32_t serial)
{
    uint64_t word = serial;
    dj_ring_put(DJ_RECORD_SYNC, what | THREAD, &word, 1);
}

void dj_threads_clone(UWord flags, Addr thread_pointer)
{
    next_pointer = flags & CLONE_THREAD_POINTER ? thread_pointer : 0;
}

// A pointer is used again when its thread has ended.
static void enter_joinable(Addr thread_pointer, uint32_t serial)
{
    joinable *node = VG_(HT_lookup)(joinables, thread_pointer);
    if (!node) {
        node = VG_(calloc)("deja.joinable", 1, sizeof *node);
        node->thread_pointer = thread_pointer;
        VG_(HT_add_node)(joinables, node);
    }
    node->serial = serial;
}

void dj_threads_number(ThreadId parent, ThreadId child)
{
    if (!threads) {
        threads = VG_(calloc)("deja.threads", VG_N_THREADS, sizeof *threads);
        joinables = VG_(HT_construct)("deja.joinables");
    }
    threads[child] = (thread){.serial = ++created, .started = parent == VG_INVALID_THREADID};
    if (parent == VG_INVALID_THREADID)
        return;
    if (next_pointer)
        enter_joinable(next_pointer, created);
    synchronize(RELEASE, created);
}

static void send(ThreadId tid)
{
    Addr end = VG_(thread_get_stack_max)(tid);
    SizeT bytes = VG_(thread_get_stack_size)(tid);
    uint64_t words[2] = {0, 0};
    if (end && bytes && bytes <= end) {
        words[0] = end + 1 - bytes;
        words[1] = end + 1;
    }
    running = threads[tid].serial;
    dj_ring_put(DJ_RECORD_THREAD, running, words, 2);
}

static Bool has_ended(uint32_t serial)
{
    for (UInt i = 0; i < VG_N_THREADS; i++)
        if (threads[i].serial == serial)
            return False;
    return True;
}

// Threads run one at a time: a thread that waits for the end of another runs again after that.
static void follow(thread *t)
{
    if (!t->started)
        synchronize(ACQUIRE, t->serial);
    t->started = True;
    if (t->joining && has_ended(t->joining)) {
        synchronize(ACQUIRE, t->joining);
        t->joined = t->joining;
        t->joining = 0;
    }
}

// The first burst follows each thread from its beginning.
static Bool lacks_stack(const thread *t)
{
    return dj_bursts_used() && dj_bursts_tracing() && t->burst != dj_bursts_number();
}

void dj_threads_run(ThreadId tid, ULong blocks)
{
    dj_bursts_start(tid, blocks);
    if (threads[tid].serial != running)
        send(tid);
    if (lacks_stack(&threads[tid])) {
        dj_stack_send(tid);
        threads[tid].burst = dj_bursts_number();
    }
    if (!threads[tid].started || threads[tid].joining)
        follow(&threads[tid]);
}

// One of these functions may call another.
void dj_threads_join(ThreadId tid, Addr thread_pointer)
{
    const joinable *node = VG_(HT_lookup)(joinables, thread_pointer);
    thread *t = &threads[tid];
    t->joining = node && node->serial != t->joined ? node->serial : 0;
    follow(t);
}

void dj_threads_exit(ThreadId tid)
{
    if (created > 1 && threads[tid].serial != running)
        send(tid);
    if (created > 1)
        synchronize(RELEASE, threads[tid].serial);
    threads[tid].serial = 0;
}

void dj_threads_send_again(void)
{
    ThreadId tid = VG_(get_running_tid)();
    if (tid != VG_INVALID_THREADID)
        send(tid);
}

void dj_threads_name(ThreadId tid, const HChar *name)
{
    dj_ring_put_text(DJ_RECORD_THREAD_NAME, threads[tid].serial, NULL, 0, name);
}
