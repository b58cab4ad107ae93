// SPDX-License-Identifier: MIT
// Functions by which threads wait for each other. What a thread does before it releases another is recorded
// before anything that the other does afterwards: the frame is handed over before each function that releases
// something.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include "wrap.h"

// EOWNERDEAD: a robust mutex is locked, and its last owner died.
#define LOCK(name, parameters, arguments, lock)                                                              \
    DJ_RT_AROUND(int, name, parameters, arguments, ,                                                         \
                 if (status == 0 || status == EOWNERDEAD) dj_rt_acquire(lock))
#define UNLOCK(name, parameters, arguments, lock)                                                            \
    DJ_RT_BEFORE(int, name, parameters, arguments, dj_rt_release(lock))

LOCK(pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex), mutex)
LOCK(pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex), mutex)
LOCK(pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *end), (mutex, end), mutex)
LOCK(pthread_mutex_clocklock, (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *end),
     (mutex, clock, end), mutex)
UNLOCK(pthread_mutex_unlock, (pthread_mutex_t * mutex), (mutex), mutex)
LOCK(pthread_spin_lock, (pthread_spinlock_t * lock), (lock), lock)
LOCK(pthread_spin_trylock, (pthread_spinlock_t * lock), (lock), lock)
UNLOCK(pthread_spin_unlock, (pthread_spinlock_t * lock), (lock), lock)
LOCK(sem_wait, (sem_t * semaphore), (semaphore), semaphore)
LOCK(sem_trywait, (sem_t * semaphore), (semaphore), semaphore)
LOCK(sem_timedwait, (sem_t * semaphore, const struct timespec *end), (semaphore, end), semaphore)
LOCK(sem_clockwait, (sem_t * semaphore, clockid_t clock, const struct timespec *end), (semaphore, clock, end),
     semaphore)
UNLOCK(sem_post, (sem_t * semaphore), (semaphore), semaphore)
LOCK(mtx_lock, (mtx_t * mutex), (mutex), mutex)
LOCK(mtx_trylock, (mtx_t * mutex), (mutex), mutex)
LOCK(mtx_timedlock, (mtx_t * mutex, const struct timespec *end), (mutex, end), mutex)
UNLOCK(mtx_unlock, (mtx_t * mutex), (mutex), mutex)

// The waiting thread has the mutex again even if it waited in vain.
#define WAIT(name, parameters, arguments)                                                                    \
    DJ_RT_AROUND(int, name, parameters, arguments, dj_rt_release(mutex), waited(status, condition, mutex))
#define SIGNAL(name, parameters) UNLOCK(name, parameters, (condition), condition)

static void waited(int status, const volatile void *condition, const volatile void *mutex)
{
    if (status == 0)
        dj_rt_acquire(condition);
    dj_rt_acquire(mutex);
}

SIGNAL(pthread_cond_signal, (pthread_cond_t * condition))
SIGNAL(pthread_cond_broadcast, (pthread_cond_t * condition))
WAIT(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex), (condition, mutex))
WAIT(pthread_cond_timedwait, (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *end),
     (condition, mutex, end))
WAIT(pthread_cond_clockwait,
     (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *end),
     (condition, mutex, clock, end))
SIGNAL(cnd_signal, (cnd_t * condition))
SIGNAL(cnd_broadcast, (cnd_t * condition))
WAIT(cnd_wait, (cnd_t * condition, mtx_t *mutex), (condition, mutex))
WAIT(cnd_timedwait, (cnd_t * condition, mtx_t *mutex, const struct timespec *end), (condition, mutex, end))

// Readers wait for writers, and writers for both. A reader's release is that of the next address.
static const char *readers_of(const pthread_rwlock_t *lock)
{
    return (const char *)lock + 1;
}

static void release_lock(pthread_rwlock_t *lock)
{
#ifdef __GLIBC__
    if (!lock->__data.__cur_writer) {
        dj_rt_release(readers_of(lock));
        return;
    }
#endif
    dj_rt_release(lock);
}

#define READ_LOCK(name, parameters, arguments) LOCK(name, parameters, arguments, lock)
#define WRITE_LOCK(name, parameters, arguments)                                                              \
    DJ_RT_AROUND(int, name, parameters, arguments, , if (status == 0) write_locked(lock))

static void write_locked(pthread_rwlock_t *lock)
{
    dj_rt_acquire(lock);
    dj_rt_acquire(readers_of(lock));
}

READ_LOCK(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
READ_LOCK(pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock))
READ_LOCK(pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const struct timespec *end), (lock, end))
READ_LOCK(pthread_rwlock_clockrdlock, (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *end),
          (lock, clock, end))
WRITE_LOCK(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
WRITE_LOCK(pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock))
WRITE_LOCK(pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const struct timespec *end), (lock, end))
WRITE_LOCK(pthread_rwlock_clockwrlock, (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *end),
           (lock, clock, end))
DJ_RT_BEFORE(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock), release_lock(lock))

// The function passed to pthread_once has no argument.
static DJ_RT_THREAD struct {
    void (*function)(void);
    const volatile void *control;
} once;

static void do_once(void)
{
    const volatile void *control = once.control;
    once.function();
    dj_rt_release(control);
}

DJ_RT_WRAP(pthread_once);
DJ_RT_EXPORT int DJ_RT_NAME(pthread_once)(pthread_once_t *control, void (*function)(void))
{
    __typeof__(once) before = once;
    once.function = function;
    once.control = control;
    int status = DJ_RT_REAL(pthread_once)(control, do_once);
    once = before;
    dj_rt_acquire(control);
    return status;
}

DJ_RT_WRAP(call_once);
DJ_RT_EXPORT void DJ_RT_NAME(call_once)(once_flag *flag, void (*function)(void))
{
    __typeof__(once) before = once;
    once.function = function;
    once.control = flag;
    DJ_RT_REAL(call_once)(flag, do_once);
    once = before;
    dj_rt_acquire(flag);
}
