// SPDX-License-Identifier: MIT
// OpenMP synchronization in clang's libomp, like gomp.c for gcc. That library is always shared.
#include <stdarg.h>

#include "wrap.h"

DJ_RT_RELEASE(void, __kmpc_barrier, (void *loc, int thread), (loc, thread))
DJ_RT_RELEASE(int, __kmpc_cancel_barrier, (void *loc, int thread), (loc, thread))
DJ_RT_RELEASE(int, __kmpc_barrier_master, (void *loc, int thread), (loc, thread))
DJ_RT_RELEASE(void, __kmpc_end_barrier_master, (void *loc, int thread), (loc, thread))
DJ_RT_RELEASE(int, __kmpc_barrier_master_nowait, (void *loc, int thread), (loc, thread))
DJ_RT_RELEASE(void, __kmpc_end_critical, (void *loc, int thread, void *lock), (loc, thread, lock))
DJ_RT_RELEASE(void, __kmpc_end_ordered, (void *loc, int thread), (loc, thread))
DJ_RT_RELEASE(void, __kmpc_flush, (void *loc), (loc))
DJ_RT_RELEASE(int, __kmpc_omp_taskwait, (void *loc, int thread), (loc, thread))
DJ_RT_RELEASE(int, __kmpc_omp_taskyield, (void *loc, int thread, int part), (loc, thread, part))
DJ_RT_RELEASE(void, __kmpc_end_taskgroup, (void *loc, int thread), (loc, thread))
DJ_RT_RELEASE(void, __kmpc_doacross_post, (void *loc, int thread, const void *vector), (loc, thread, vector))
DJ_RT_RELEASE(int, __kmpc_omp_task, (void *loc, int thread, void *task), (loc, thread, task))
DJ_RT_RELEASE(int, __kmpc_omp_task_with_deps,
              (void *loc, int thread, void *task, int count, void *list, int more, void *more_list),
              (loc, thread, task, count, list, more, more_list))
DJ_RT_RELEASE(int, __kmpc_reduce,
              (void *loc, int thread, int count, size_t bytes, void *data, void (*reduce)(void *, void *),
               void *lock),
              (loc, thread, count, bytes, data, reduce, lock))
DJ_RT_RELEASE(int, __kmpc_reduce_nowait,
              (void *loc, int thread, int count, size_t bytes, void *data, void (*reduce)(void *, void *),
               void *lock),
              (loc, thread, count, bytes, data, reduce, lock))
DJ_RT_RELEASE(void, __kmpc_end_reduce, (void *loc, int thread, void *lock), (loc, thread, lock))
DJ_RT_RELEASE(void, __kmpc_end_reduce_nowait, (void *loc, int thread, void *lock), (loc, thread, lock))
DJ_RT_RELEASE(void, __kmpc_copyprivate,
              (void *loc, int thread, size_t bytes, void *data, void (*copy)(void *, void *), int did),
              (loc, thread, bytes, data, copy, did))

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
} share;

static void do_share(int *thread, int *member, share *of)
{
    void *frame;
    DJ_RT_REAL(__kmp_invoke_microtask)(of->function, *thread, *member, of->count, of->arguments, &frame);
    dj_rt_publish();
}

DJ_RT_EXPORT void DJ_RT_NAME(__kmpc_fork_call)(void *loc, int count, part *function, ...)
{
    void *arguments[count + 1];
    va_list list;
    va_start(list, function);
    for (int i = 0; i < count; i++)
        arguments[i] = va_arg(list, void *);
    va_end(list);
    share of = {function, count, arguments};
    dj_rt_publish();
    DJ_RT_REAL(__kmpc_fork_call)(loc, 1, (part *)(void *)do_share, &of);
}

// A task begins with the address of its shared data, followed by its function. The real function is stored
// before the shared data, which is moved for it.
typedef int routine(int, void *);
typedef struct task {
    void **shared;
    routine *function;
} task;

enum { KEPT_WORDS = 2 };

static int do_task(int thread, void *data)
{
    task *of = data;
    int status = ((routine *)of->shared[-KEPT_WORDS])(thread, data);
    dj_rt_publish();
    return status;
}

extern void *__kmpc_omp_task_alloc(void *loc, int thread, int flags, size_t bytes, size_t shared_bytes,
                                   routine *function);
DJ_RT_WRAP(__kmpc_omp_task_alloc);

DJ_RT_EXPORT void *DJ_RT_NAME(__kmpc_omp_task_alloc)(void *loc, int thread, int flags, size_t bytes,
                                                     size_t shared_bytes, routine *function)
{
    task *of = DJ_RT_REAL(__kmpc_omp_task_alloc)(loc, thread, flags, bytes,
                                                 shared_bytes + KEPT_WORDS * sizeof(void *), do_task);
    of->shared[0] = (void *)function;
    of->shared += KEPT_WORDS;
    return of;
}
