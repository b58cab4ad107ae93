// SPDX-License-Identifier: MIT
// OpenMP synchronization in clang's libomp, like gomp.c for gcc. That library is always shared.
#include <stdarg.h>

#include "teams.h"

#define PLACE (void *loc, int thread)
DJ_RT_BARRIER_VOID(__kmpc_barrier, PLACE, (loc, thread))
DJ_RT_BARRIER(int, __kmpc_cancel_barrier, PLACE, (loc, thread))
static void pass_unless(bool goes_on)
{
    if (!goes_on)
        dj_rt_team_pass();
}

// The master gets 1 when all have arrived, and the others leave after __kmpc_end_barrier_master.
DJ_RT_AROUND(int, __kmpc_barrier_master, PLACE, (loc, thread), dj_rt_team_arrive(), pass_unless(status))
DJ_RT_BARRIER_VOID(__kmpc_end_barrier_master, PLACE, (loc, thread))
DJ_RT_BARRIER(int, __kmpc_barrier_master_nowait, PLACE, (loc, thread))
DJ_RT_PUBLISH(void, __kmpc_flush, (void *loc), (loc))

#define LOCK(name, parameters, arguments)                                                                    \
    DJ_RT_AROUND_VOID(name, parameters, arguments, , dj_rt_acquire(lock))
LOCK(__kmpc_critical, (void *loc, int thread, void *lock), (loc, thread, lock))
LOCK(__kmpc_critical_with_hint, (void *loc, int thread, void *lock, unsigned hint), (loc, thread, lock, hint))
DJ_RT_BEFORE(void, __kmpc_end_critical, (void *loc, int thread, void *lock), (loc, thread, lock),
             dj_rt_release(lock))

#define ORDERED offsetof(dj_rt_team, ordered)
#define ACROSS offsetof(dj_rt_team, across)
#define VECTOR (void *loc, int thread, const void *vector)
DJ_RT_AROUND_VOID(__kmpc_ordered, PLACE, (loc, thread), , dj_rt_team_acquire(ORDERED))
DJ_RT_BEFORE(void, __kmpc_end_ordered, PLACE, (loc, thread), dj_rt_team_release(ORDERED))
DJ_RT_AROUND_VOID(__kmpc_doacross_wait, VECTOR, (loc, thread, vector), , dj_rt_team_acquire(ACROSS))
DJ_RT_BEFORE(void, __kmpc_doacross_post, VECTOR, (loc, thread, vector), dj_rt_team_release(ACROSS))

// Calls a part of the program with its arguments.
typedef void part(int *, int *, ...);
extern int __kmp_invoke_microtask(part *function, int thread, int member, int count, void **arguments,
                                  void **frame);
extern void __kmpc_fork_call(void *loc, int count, part *function, ...);
DJ_RT_WRAP(__kmpc_fork_call);
DJ_RT_WRAP(__kmp_invoke_microtask);

typedef struct share {
    part *function;
    int count;
    void **arguments;
    dj_rt_team team;
} share;

static void do_share(int *thread, int *member, share *of)
{
    void *frame;
    dj_rt_member before = dj_rt_team_enter(&of->team);
    DJ_RT_REAL(__kmp_invoke_microtask)(of->function, *thread, *member, of->count, of->arguments, &frame);
    dj_rt_team_leave(before);
}

DJ_RT_EXPORT void DJ_RT_NAME(__kmpc_fork_call)(void *loc, int count, part *function, ...)
{
    void *arguments[count + 1];
    va_list list;
    va_start(list, function);
    for (int i = 0; i < count; i++)
        arguments[i] = va_arg(list, void *);
    va_end(list);
    share of = {function, count, arguments, {0}};
    dj_rt_team_fork(&of.team);
    DJ_RT_REAL(__kmpc_fork_call)(loc, 1, (part *)(void *)do_share, &of);
    dj_rt_team_join(&of.team);
}

// A region that its thread executes alone, in place.
DJ_RT_AROUND_VOID(__kmpc_serialized_parallel, PLACE, (loc, thread), , dj_rt_membership.alone++)
DJ_RT_AROUND_VOID(__kmpc_end_serialized_parallel, PLACE, (loc, thread), , dj_rt_membership.alone--)
