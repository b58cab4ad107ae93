// SPDX-License-Identifier: MIT
// OpenMP synchronization in gcc's libgomp. Every member of a team and every task hands over its frame at the
// end of its work, and each thread before it waits for others or releases them.
#include <string.h>

#include "wrap.h"

DJ_RT_RELEASE(void, GOMP_barrier, (void), ())
DJ_RT_RELEASE(_Bool, GOMP_barrier_cancel, (void), ())
DJ_RT_RELEASE(void, GOMP_critical_end, (void), ())
DJ_RT_RELEASE(void, GOMP_critical_name_end, (void **lock), (lock))
DJ_RT_RELEASE(void, GOMP_atomic_end, (void), ())
DJ_RT_RELEASE(void, GOMP_taskwait, (void), ())
DJ_RT_RELEASE(void, GOMP_taskwait_depend, (void **depend), (depend))
DJ_RT_RELEASE(void, GOMP_taskyield, (void), ())
DJ_RT_RELEASE(void, GOMP_taskgroup_end, (void), ())
DJ_RT_RELEASE(void, GOMP_loop_end, (void), ())
DJ_RT_RELEASE(_Bool, GOMP_loop_end_cancel, (void), ())
DJ_RT_RELEASE(void, GOMP_loop_end_nowait, (void), ())
DJ_RT_RELEASE(void, GOMP_sections_end, (void), ())
DJ_RT_RELEASE(_Bool, GOMP_sections_end_cancel, (void), ())
DJ_RT_RELEASE(void, GOMP_sections_end_nowait, (void), ())
DJ_RT_RELEASE(void, GOMP_ordered_end, (void), ())
DJ_RT_RELEASE(void, GOMP_doacross_post, (long *counts), (counts))
DJ_RT_RELEASE(void, GOMP_doacross_ull_post, (unsigned long long *counts), (counts))
DJ_RT_RELEASE(void, GOMP_single_copy_end, (void *data), (data))

typedef void part(void *);

// On the stack of the function that waits for the team.
typedef struct share {
    part *function;
    void *data;
} share;

static void do_share(void *data)
{
    share *of = data;
    of->function(of->data);
    dj_rt_publish();
}

#define TEAM(type, name, parameters, arguments)                                                              \
    extern type name parameters;                                                                             \
    DJ_RT_WRAP(name);                                                                                        \
    DJ_RT_EXPORT type DJ_RT_NAME(name) parameters                                                            \
    {                                                                                                        \
        share of = {function, data};                                                                         \
        dj_rt_publish();                                                                                     \
        DJ_RT_REAL(name) arguments;                                                                          \
    }

TEAM(void, GOMP_parallel, (part * function, void *data, unsigned threads, unsigned flags),
     (do_share, &of, threads, flags))
TEAM(void, GOMP_parallel_sections,
     (part * function, void *data, unsigned threads, unsigned count, unsigned flags),
     (do_share, &of, threads, count, flags))

#define LOOP(name)                                                                                           \
    TEAM(void, name,                                                                                         \
         (part * function, void *data, unsigned threads, long start, long end, long step, long chunk,        \
          unsigned flags),                                                                                   \
         (do_share, &of, threads, start, end, step, chunk, flags))
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)

#define LOOP_OF_SCHEDULE(name)                                                                               \
    TEAM(void, name,                                                                                         \
         (part * function, void *data, unsigned threads, long start, long end, long step, unsigned flags),   \
         (do_share, &of, threads, start, end, step, flags))
LOOP_OF_SCHEDULE(GOMP_parallel_loop_runtime)
LOOP_OF_SCHEDULE(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_OF_SCHEDULE(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

extern unsigned GOMP_parallel_reductions(part *function, void *data, unsigned threads, unsigned flags);
DJ_RT_WRAP(GOMP_parallel_reductions);

// libgomp looks for reductions in the data, so the data must not move.
DJ_RT_EXPORT unsigned DJ_RT_NAME(GOMP_parallel_reductions)(part *function, void *data, unsigned threads,
                                                           unsigned flags)
{
    dj_rt_publish();
    return DJ_RT_REAL(GOMP_parallel_reductions)(function, data, threads, flags);
}

// Flags of tasks to whose data libgomp itself writes: reductions, detached tasks.
enum { TASK_DATA_IS_CHANGED = 1 << 12 | 1 << 13 };

// The data of a task is copied before the function that creates it returns. A task gets its data after these
// words, with the original alignment.
typedef struct task {
    part *function;
    size_t offset;
    void *data; // until it is copied
    void (*copy)(void *, void *);
    size_t bytes;
} task;

static void do_task(void *data)
{
    task *of = data;
    of->function((char *)data + of->offset);
    dj_rt_publish();
}

static void copy_task(void *to, void *from)
{
    task *of = from;
    memcpy(to, of, sizeof *of);
    if (of->copy)
        of->copy((char *)to + of->offset, of->data);
    else
        memcpy((char *)to + of->offset, of->data, of->bytes);
}

extern void GOMP_task(part *function, void *data, void (*copy)(void *, void *), long bytes, long alignment,
                      _Bool deferred, unsigned flags, void **depend, int priority, void *detach);
DJ_RT_WRAP(GOMP_task);

DJ_RT_EXPORT void DJ_RT_NAME(GOMP_task)(part *function, void *data, void (*copy)(void *, void *), long bytes,
                                        long alignment, _Bool deferred, unsigned flags, void **depend,
                                        int priority, void *detach)
{
    long least = (long)_Alignof(task), aligned = alignment > least ? alignment : least;
    long offset = ((long)sizeof(task) + aligned - 1) / aligned * aligned;
    task of = {function, (size_t)offset, data, copy, (size_t)bytes};
    __typeof__(&GOMP_task) real = DJ_RT_REAL(GOMP_task);
    dj_rt_publish();
    if (flags & TASK_DATA_IS_CHANGED)
        real(function, data, copy, bytes, alignment, deferred, flags, depend, priority, detach);
    else
        real(do_task, &of, copy_task, offset + bytes, aligned, deferred, flags, depend, priority, detach);
}
