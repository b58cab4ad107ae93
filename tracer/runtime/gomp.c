// SPDX-License-Identifier: MIT
// OpenMP synchronization in gcc's libgomp. Every member of a team and every task hands over its frame at the
// end of its work, and each thread before it waits for others or releases them.
#include <string.h>

#include "core.h"
#include "teams.h"

DJ_RT_BARRIER_VOID(GOMP_barrier, (void), ())
DJ_RT_BARRIER(_Bool, GOMP_barrier_cancel, (void), ())
DJ_RT_BARRIER_VOID(GOMP_loop_end, (void), ())
DJ_RT_BARRIER(_Bool, GOMP_loop_end_cancel, (void), ())
DJ_RT_PUBLISH(void, GOMP_loop_end_nowait, (void), ())
DJ_RT_BARRIER_VOID(GOMP_sections_end, (void), ())
DJ_RT_BARRIER(_Bool, GOMP_sections_end_cancel, (void), ())
DJ_RT_PUBLISH(void, GOMP_sections_end_nowait, (void), ())
DJ_RT_TASKWAIT_VOID(GOMP_taskwait, (void), ())
DJ_RT_TASKWAIT_VOID(GOMP_taskwait_depend, (void **depend), (depend))
DJ_RT_TASKWAIT_VOID(GOMP_taskgroup_end, (void), ())
DJ_RT_PUBLISH(void, GOMP_taskyield, (void), ())

#define LOCK(name, parameters, arguments, object)                                                            \
    DJ_RT_AROUND_VOID(name, parameters, arguments, , dj_rt_acquire(object))
#define UNLOCK(name, parameters, arguments, object)                                                          \
    DJ_RT_BEFORE(void, name, parameters, arguments, dj_rt_release(object))

static const char unnamed, update; // all critical sections without a name share a lock, and all updates
LOCK(GOMP_critical_start, (void), (), &unnamed)
UNLOCK(GOMP_critical_end, (void), (), &unnamed)
LOCK(GOMP_critical_name_start, (void **lock), (lock), lock)
UNLOCK(GOMP_critical_name_end, (void **lock), (lock), lock)
LOCK(GOMP_atomic_start, (void), (), &update)
UNLOCK(GOMP_atomic_end, (void), (), &update)

#define ORDERED offsetof(dj_rt_team, ordered)
#define ACROSS offsetof(dj_rt_team, across)
DJ_RT_AROUND_VOID(GOMP_ordered_start, (void), (), , dj_rt_team_acquire(ORDERED))
DJ_RT_BEFORE(void, GOMP_ordered_end, (void), (), dj_rt_team_release(ORDERED))
DJ_RT_BEFORE(void, GOMP_doacross_post, (long *counts), (counts), dj_rt_team_release(ACROSS))
DJ_RT_BEFORE(void, GOMP_doacross_ull_post, (unsigned long long *counts), (counts), dj_rt_team_release(ACROSS))

// These have as many arguments as the loop nest has dimensions, which only libgomp knows: some of those
// passed on are other words of the stack.
#define WORDS(type)                                                                                          \
    (type a, type b, type c, type d, type e, type f, type g, type h, type i, type j, type k, type l)
DJ_RT_AROUND_VOID(GOMP_doacross_wait, WORDS(long), (a, b, c, d, e, f, g, h, i, j, k, l), ,
                  dj_rt_team_acquire(ACROSS))
DJ_RT_AROUND_VOID(GOMP_doacross_ull_wait, WORDS(unsigned long long), (a, b, c, d, e, f, g, h, i, j, k, l), ,
                  dj_rt_team_acquire(ACROSS))

// One thread gets NULL, and executes what follows up to GOMP_single_copy_end, for which the others wait here.
DJ_RT_AROUND(void *, GOMP_single_copy_start, (void), (), dj_rt_team_arrive(), if (status) dj_rt_team_pass())
DJ_RT_BARRIER_VOID(GOMP_single_copy_end, (void *data), (data))

typedef void part(void *);

// On the stack of the function that waits for the team.
typedef struct share {
    part *function;
    void *data;
    dj_rt_team team;
} share;

static void do_share(void *data)
{
    share *of = data;
    dj_rt_member before = dj_rt_team_enter(&of->team);
    of->function(of->data);
    dj_rt_team_leave(before);
}

#define TEAM(type, name, parameters, arguments)                                                              \
    extern type name parameters;                                                                             \
    DJ_RT_WRAP(name);                                                                                        \
    DJ_RT_EXPORT type DJ_RT_NAME(name) parameters                                                            \
    {                                                                                                        \
        share of = {.function = function, .data = data};                                                     \
        dj_rt_team_fork(&of.team);                                                                           \
        DJ_RT_REAL(name) arguments;                                                                          \
        dj_rt_team_join(&of.team);                                                                           \
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

// libgomp looks for reductions in the data, so the data must not move: its address identifies the share.
static struct reduction {
    share of;
    struct reduction *next;
} * reductions; // in progress; protected by the lock of the frames

static void do_reduction(void *data)
{
    dj_rt_frames_lock();
    struct reduction *r = reductions;
    while (r->of.data != data)
        r = r->next;
    dj_rt_frames_unlock();
    do_share(&r->of);
}

static void forget_reduction(const struct reduction *r)
{
    dj_rt_frames_lock();
    struct reduction **to = &reductions;
    while (*to != r)
        to = &(*to)->next;
    *to = r->next;
    dj_rt_frames_unlock();
}

DJ_RT_EXPORT unsigned DJ_RT_NAME(GOMP_parallel_reductions)(part *function, void *data, unsigned threads,
                                                           unsigned flags)
{
    struct reduction r = {.of = {.function = function, .data = data}};
    dj_rt_team_fork(&r.of.team);
    dj_rt_frames_lock();
    r.next = reductions;
    reductions = &r;
    dj_rt_frames_unlock();
    unsigned members = DJ_RT_REAL(GOMP_parallel_reductions)(do_reduction, data, threads, flags);
    forget_reduction(&r);
    dj_rt_team_join(&r.of.team);
    return members;
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
    dj_rt_member creator;
    bool depends;
} task;

static void do_task(void *data)
{
    task *of = data;
    dj_rt_member before = dj_rt_task_enter(of->creator, data, of->depends);
    of->function((char *)data + of->offset);
    dj_rt_task_leave(before);
}

static void copy_task(void *to, void *from)
{
    task *of = from;
    memcpy(to, of, sizeof *of);
    if (of->copy)
        of->copy((char *)to + of->offset, of->data);
    else
        memcpy((char *)to + of->offset, of->data, of->bytes);
    dj_rt_release(to);
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
    task of = {function, (size_t)offset, data, copy, (size_t)bytes, dj_rt_task_create(), depend != NULL};
    __typeof__(&GOMP_task) real = DJ_RT_REAL(GOMP_task);
    dj_rt_publish();
    if (flags & TASK_DATA_IS_CHANGED)
        real(function, data, copy, bytes, alignment, deferred, flags, depend, priority, detach);
    else
        real(do_task, &of, copy_task, offset + bytes, aligned, deferred, flags, depend, priority, detach);
}
