// SPDX-License-Identifier: MIT
// Valgrind reuses its thread numbers; the stream has a new one for each thread.
#include "tool.h"

static uint32_t *serials; // by Valgrind's number
static uint32_t created;
static uint32_t running;

void dj_threads_number(ThreadId parent, ThreadId child)
{
    (void)parent;
    if (!serials)
        serials = VG_(calloc)("deja.threads", VG_N_THREADS, sizeof *serials);
    serials[child] = ++created;
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
    running = serials[tid];
    dj_ring_put(DJ_RECORD_THREAD, running, words, 2);
}

void dj_threads_run(ThreadId tid, ULong blocks)
{
    (void)blocks;
    if (serials[tid] != running)
        send(tid);
}

void dj_threads_send_again(void)
{
    ThreadId tid = VG_(get_running_tid)();
    if (tid != VG_INVALID_THREADID)
        send(tid);
}

void dj_threads_name(ThreadId tid, const HChar *name)
{
    dj_ring_put_text(DJ_RECORD_THREAD_NAME, serials[tid], NULL, 0, name);
}
