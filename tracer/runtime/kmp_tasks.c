// SPDX-License-Identifier: MIT
// OpenMP tasks in clang's libomp.
#include "teams.h"

#define PLACE (void *loc, int thread)
#define TASKWAIT(name, parameters, arguments)                                                                \
    DJ_RT_AROUND(int, name, parameters, arguments, dj_rt_publish(), dj_rt_tasks_wait())
TASKWAIT(__kmpc_omp_taskwait, PLACE, (loc, thread))
DJ_RT_TASKWAIT_VOID(__kmpc_omp_wait_deps,
                    (void *loc, int thread, int count, void *list, int more, void *more_list),
                    (loc, thread, count, list, more, more_list))
DJ_RT_TASKWAIT_VOID(__kmpc_end_taskgroup, PLACE, (loc, thread))
DJ_RT_PUBLISH(int, __kmpc_omp_taskyield, (void *loc, int thread, int part), (loc, thread, part))

// A task begins with the address of its shared data, followed by its function. What is kept for the task is
// stored before the shared data, which is moved for it. A copy of the task has a copy of that.
typedef int routine(int, void *);
typedef struct work {
    void *shared;
    routine *function;
} work;

typedef struct kept {
    routine *function;
    const void *object; // the task itself, or the one of which it is a copy
    dj_rt_member creator;
    uint64_t depends;
    uint64_t unused; // the shared data keeps its alignment
} kept;

static kept *kept_of(const work *of)
{
    return (kept *)of->shared - 1;
}

static int do_task(int thread, void *data)
{
    const kept *k = kept_of(data);
    dj_rt_member before = dj_rt_task_enter(k->creator, k->object, k->depends);
    int status = k->function(thread, data);
    dj_rt_task_leave(before);
    return status;
}

extern void *__kmpc_omp_task_alloc(void *loc, int thread, int flags, size_t bytes, size_t shared_bytes,
                                   routine *function);
DJ_RT_WRAP(__kmpc_omp_task_alloc);

DJ_RT_EXPORT void *DJ_RT_NAME(__kmpc_omp_task_alloc)(void *loc, int thread, int flags, size_t bytes,
                                                     size_t shared_bytes, routine *function)
{
    work *of =
        DJ_RT_REAL(__kmpc_omp_task_alloc)(loc, thread, flags, bytes, shared_bytes + sizeof(kept), do_task);
    *(kept *)of->shared = (kept){.function = function, .object = of, .creator = dj_rt_task_create()};
    of->shared = (kept *)of->shared + 1;
    return of;
}

static void *depending(void *task)
{
    kept_of(task)->depends = 1;
    return task;
}

DJ_RT_BEFORE(int, __kmpc_omp_task, (void *loc, int thread, void *task), (loc, thread, task),
             dj_rt_release(task))
DJ_RT_BEFORE(int, __kmpc_omp_task_with_deps,
             (void *loc, int thread, void *task, int count, void *list, int more, void *more_list),
             (loc, thread, task, count, list, more, more_list), dj_rt_release(depending(task)))

// Copies the task, and waits for the copies unless `without_group`.
DJ_RT_AROUND_VOID(__kmpc_taskloop,
                  (void *loc, int thread, void *task, int condition, uint64_t *from, uint64_t *to,
                   int64_t step, int without_group, int schedule, uint64_t size, void *copy),
                  (loc, thread, task, condition, from, to, step, without_group, schedule, size, copy),
                  dj_rt_release(task), if (!without_group) dj_rt_tasks_wait())
