// SPDX-License-Identifier: MIT
// What a thread does before it releases another is recorded before anything that the other does afterwards:
// the frame is handed over before each function that releases something.
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "wrap.h"

DJ_RT_RELEASE(int, pthread_mutex_unlock, (pthread_mutex_t * mutex), (mutex))
DJ_RT_RELEASE(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock))
DJ_RT_RELEASE(int, pthread_spin_unlock, (pthread_spinlock_t * lock), (lock))
DJ_RT_RELEASE(int, pthread_cond_signal, (pthread_cond_t * condition), (condition))
DJ_RT_RELEASE(int, pthread_cond_broadcast, (pthread_cond_t * condition), (condition))
DJ_RT_RELEASE(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex),
              (condition, mutex))
DJ_RT_RELEASE(int, pthread_cond_timedwait,
              (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *end),
              (condition, mutex, end))
DJ_RT_RELEASE(int, pthread_cond_clockwait,
              (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock,
               const struct timespec *end),
              (condition, mutex, clock, end))
DJ_RT_RELEASE(int, pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier))
DJ_RT_RELEASE(int, sem_post, (sem_t * semaphore), (semaphore))
DJ_RT_RELEASE(int, mtx_unlock, (mtx_t * mutex), (mutex))
DJ_RT_RELEASE(int, cnd_signal, (cnd_t * condition), (condition))
DJ_RT_RELEASE(int, cnd_broadcast, (cnd_t * condition), (condition))
DJ_RT_RELEASE(int, cnd_wait, (cnd_t * condition, mtx_t *mutex), (condition, mutex))
DJ_RT_RELEASE(int, cnd_timedwait, (cnd_t * condition, mtx_t *mutex, const struct timespec *end),
              (condition, mutex, end))

// The function passed to pthread_once has no argument.
static DJ_RT_THREAD void (*once)(void);

static void do_once(void)
{
    once();
    dj_rt_publish();
}

DJ_RT_WRAP(pthread_once);
DJ_RT_EXPORT int DJ_RT_NAME(pthread_once)(pthread_once_t *control, void (*function)(void))
{
    void (*before)(void) = once;
    once = function;
    int status = DJ_RT_REAL(pthread_once)(control, do_once);
    once = before;
    return status;
}

DJ_RT_WRAP(call_once);
DJ_RT_EXPORT void DJ_RT_NAME(call_once)(once_flag *flag, void (*function)(void))
{
    void (*before)(void) = once;
    once = function;
    DJ_RT_REAL(call_once)(flag, do_once);
    once = before;
}
