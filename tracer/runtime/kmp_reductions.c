// SPDX-License-Identifier: MIT
// Reductions and single regions in clang's libomp: while threads wait in these functions, the library calls
// functions of the program on the data of other threads.
#include "teams.h"

typedef void combine(void *, void *);

static DJ_RT_THREAD struct {
    combine *function;
    const void *lock;
} reduction;

static void do_combine(void *to, void *from)
{
    dj_rt_acquire(reduction.lock);
    reduction.function(to, from);
    dj_rt_release(reduction.lock);
}

// The thread continues alone (1) or with atomic updates (2), up to __kmpc_end_reduce, or everything is done
// (0). The blocking form then has a barrier.
static void begin_reduction(combine *function, const void *lock)
{
    reduction.function = function;
    reduction.lock = lock;
    dj_rt_release(lock);
}

static void continue_reduction(int status, const void *lock, bool blocking)
{
    dj_rt_acquire(lock);
    if (blocking && status == 0)
        dj_rt_team_pass();
}

#define REDUCE(name, blocking)                                                                               \
    DJ_RT_AROUND(                                                                                            \
        int, name,                                                                                           \
        (void *loc, int thread, int count, size_t bytes, void *data, combine *function, void *lock),         \
        (loc, thread, count, bytes, data, do_combine, lock), begin_reduction(function, lock),                \
        continue_reduction(status, lock, blocking))
REDUCE(__kmpc_reduce, true)
REDUCE(__kmpc_reduce_nowait, false)

static void arrive_with(const void *lock)
{
    dj_rt_release(lock);
    dj_rt_team_arrive();
}

DJ_RT_AROUND_VOID(__kmpc_end_reduce, (void *loc, int thread, void *lock), (loc, thread, lock),
                  arrive_with(lock), dj_rt_team_pass())
DJ_RT_BEFORE(void, __kmpc_end_reduce_nowait, (void *loc, int thread, void *lock), (loc, thread, lock),
             dj_rt_release(lock))

// A barrier, the copies, and a barrier.
static DJ_RT_THREAD combine *copy_function;

static void do_copy(void *to, void *from)
{
    dj_rt_team_pass();
    copy_function(to, from);
    dj_rt_team_arrive();
}

static void copied(bool did)
{
    if (did) // and the others copied from it
        dj_rt_team_pass();
    dj_rt_team_pass();
}

static void begin_copy(combine *copy)
{
    copy_function = copy;
    dj_rt_team_arrive();
}

DJ_RT_AROUND_VOID(__kmpc_copyprivate,
                  (void *loc, int thread, size_t bytes, void *data, combine *copy, int did),
                  (loc, thread, bytes, data, do_copy, did), begin_copy(copy), copied(did))
