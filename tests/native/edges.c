// SPDX-License-Identifier: MIT
// edges HOW [TURNS]: threads hand each other the array `cells` in one way. Prints the addresses and
// sizes of the data that they share, and those of the object by which they synchronize.
// No access races with another: every order of two of them comes from that object.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

enum { THREADS = 4, CELLS = 4 };

static int turns = 60;

static volatile long cells[CELLS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;
static mtx_t plain;
static cnd_t standard;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag standard_once = ONCE_FLAG_INIT;
static const struct timespec far = {.tv_sec = 4000000000};
static int busy;

// A function that gives up is called again.
#define AGAIN(call)                                                                                          \
    while ((call) != 0)                                                                                      \
    sched_yield()

#define DO(name, call)                                                                                       \
    static void name(void)                                                                                   \
    {                                                                                                        \
        call;                                                                                                \
    }
DO(mutex_lock, pthread_mutex_lock(&mutex))
DO(mutex_try, AGAIN(pthread_mutex_trylock(&mutex)))
DO(mutex_timed, pthread_mutex_timedlock(&mutex, &far))
DO(mutex_clock, pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &far))
DO(mutex_unlock, pthread_mutex_unlock(&mutex))
DO(spin_lock, pthread_spin_lock(&spin))
DO(spin_try, AGAIN(pthread_spin_trylock(&spin)))
DO(spin_unlock, pthread_spin_unlock(&spin))
DO(write_lock, pthread_rwlock_wrlock(&rwlock))
DO(write_try, AGAIN(pthread_rwlock_trywrlock(&rwlock)))
DO(write_timed, pthread_rwlock_timedwrlock(&rwlock, &far))
DO(write_clock, pthread_rwlock_clockwrlock(&rwlock, CLOCK_REALTIME, &far))
DO(write_unlock, pthread_rwlock_unlock(&rwlock))
DO(semaphore_wait, sem_wait(&semaphore))
DO(semaphore_try, AGAIN(sem_trywait(&semaphore)))
DO(semaphore_timed, sem_timedwait(&semaphore, &far))
DO(semaphore_clock, sem_clockwait(&semaphore, CLOCK_REALTIME, &far))
DO(semaphore_post, sem_post(&semaphore))
DO(plain_lock, mtx_lock(&plain))
DO(plain_try, AGAIN(mtx_trylock(&plain)))
DO(plain_timed, mtx_timedlock(&plain, &far))
DO(plain_unlock, mtx_unlock(&plain))

// The mutex protects only `busy`, and orders the threads as well.
#define BY_CONDITION(name, lock, unlock, wait, signal)                                                       \
    static void enter_##name(void)                                                                           \
    {                                                                                                        \
        lock;                                                                                                \
        while (busy)                                                                                         \
            wait;                                                                                            \
        busy = 1;                                                                                            \
        unlock;                                                                                              \
    }                                                                                                        \
    static void leave_##name(void)                                                                           \
    {                                                                                                        \
        lock;                                                                                                \
        busy = 0;                                                                                            \
        signal;                                                                                              \
        unlock;                                                                                              \
    }
BY_CONDITION(wait, mutex_lock(), mutex_unlock(), pthread_cond_wait(&condition, &mutex),
             pthread_cond_signal(&condition))
BY_CONDITION(timedwait, mutex_lock(), mutex_unlock(), pthread_cond_timedwait(&condition, &mutex, &far),
             pthread_cond_broadcast(&condition))
BY_CONDITION(clockwait, mutex_lock(), mutex_unlock(),
             pthread_cond_clockwait(&condition, &mutex, CLOCK_REALTIME, &far),
             pthread_cond_signal(&condition))
BY_CONDITION(standard_wait, plain_lock(), plain_unlock(), cnd_wait(&standard, &plain), cnd_signal(&standard))
BY_CONDITION(standard_timedwait, plain_lock(), plain_unlock(), cnd_timedwait(&standard, &plain, &far),
             cnd_broadcast(&standard))

typedef struct way {
    const char *name;
    const volatile void *object;
    size_t bytes;
    void (*enter)(void), (*leave)(void);
} way;

#define WAY(name, object, enter, leave)                                                                      \
    {                                                                                                        \
        name, &(object), sizeof(object), enter, leave                                                        \
    }
static const way ways[] = {
    WAY("mutex", mutex, mutex_lock, mutex_unlock),
    WAY("mutex_try", mutex, mutex_try, mutex_unlock),
    WAY("mutex_timed", mutex, mutex_timed, mutex_unlock),
    WAY("mutex_clock", mutex, mutex_clock, mutex_unlock),
    WAY("spin", spin, spin_lock, spin_unlock),
    WAY("spin_try", spin, spin_try, spin_unlock),
    WAY("write", rwlock, write_lock, write_unlock),
    WAY("write_try", rwlock, write_try, write_unlock),
    WAY("write_timed", rwlock, write_timed, write_unlock),
    WAY("write_clock", rwlock, write_clock, write_unlock),
    WAY("semaphore", semaphore, semaphore_wait, semaphore_post),
    WAY("semaphore_try", semaphore, semaphore_try, semaphore_post),
    WAY("semaphore_timed", semaphore, semaphore_timed, semaphore_post),
    WAY("semaphore_clock", semaphore, semaphore_clock, semaphore_post),
    WAY("mtx", plain, plain_lock, plain_unlock),
    WAY("mtx_try", plain, plain_try, plain_unlock),
    WAY("mtx_timed", plain, plain_timed, plain_unlock),
    WAY("wait", mutex, enter_wait, leave_wait),
    WAY("timedwait", mutex, enter_timedwait, leave_timedwait),
    WAY("clockwait", mutex, enter_clockwait, leave_clockwait),
    WAY("cnd_wait", plain, enter_standard_wait, leave_standard_wait),
    WAY("cnd_timedwait", plain, enter_standard_timedwait, leave_standard_timedwait),
    // The others have their own functions.
    WAY("barrier", barrier, NULL, NULL),
    WAY("read", rwlock, NULL, NULL),
    WAY("once", once, NULL, NULL),
    WAY("call_once", standard_once, NULL, NULL),
    WAY("join", cells, NULL, NULL),
    WAY("join_try", cells, NULL, NULL),
    WAY("join_timed", cells, NULL, NULL),
    WAY("join_clock", cells, NULL, NULL),
    WAY("thrd_join", cells, NULL, NULL),
};
static const way *how;

static int is(const char *name)
{
    return strcmp(how->name, name) == 0;
}

static void *take_turns(void *unused)
{
    (void)unused;
    for (int i = 0; i < turns; i++) {
        how->enter();
        for (int k = 0; k < CELLS; k++)
            cells[k] = cells[k] + 1;
        how->leave();
    }
    return NULL;
}

// One writes, the others read, then another writes.
static void *meet(void *argument)
{
    long self = (long)argument, sum = 0;
    for (int i = 0; i < turns; i++) {
        if (i % THREADS == self)
            cells[0] = i;
        pthread_barrier_wait(&barrier);
        sum += cells[0];
        pthread_barrier_wait(&barrier);
    }
    return (void *)sum;
}

// The first thread writes; the others read, in each way.
static void *read_or_write(void *argument)
{
    long self = (long)argument, sum = 0;
    for (int i = 0; i < turns; i++) {
        if (self == 0)
            pthread_rwlock_wrlock(&rwlock);
        else if (i % 4 == 0)
            pthread_rwlock_rdlock(&rwlock);
        else if (i % 4 == 1)
            AGAIN(pthread_rwlock_tryrdlock(&rwlock));
        else if (i % 4 == 2)
            pthread_rwlock_timedrdlock(&rwlock, &far);
        else
            pthread_rwlock_clockrdlock(&rwlock, CLOCK_REALTIME, &far);
        if (self == 0)
            cells[0] = i;
        sum += cells[0];
        pthread_rwlock_unlock(&rwlock);
        sched_yield();
    }
    return (void *)sum;
}

static void prepare(void)
{
    for (int k = 0; k < CELLS; k++)
        cells[k] = k;
}

static void *use_prepared(void *unused)
{
    long sum = 0;
    (void)unused;
    if (is("once"))
        pthread_once(&once, prepare);
    else
        call_once(&standard_once, prepare);
    for (int k = 0; k < CELLS; k++)
        sum += cells[k];
    return (void *)sum;
}

static void *change(void *cell)
{
    ++*(volatile long *)cell;
    return NULL;
}

static int change_standard(void *cell)
{
    change(cell);
    return 0;
}

static void join(pthread_t thread)
{
    if (is("join_try"))
        AGAIN(pthread_tryjoin_np(thread, NULL));
    else if (is("join_timed"))
        pthread_timedjoin_np(thread, NULL, &far);
    else if (is("join_clock"))
        pthread_clockjoin_np(thread, NULL, CLOCK_REALTIME, &far);
    else
        pthread_join(thread, NULL);
}

// The cell passes from its owner to a thread and back. Identifiers of threads are used again, here and by
// other owners.
static void *create_and_join(void *argument)
{
    volatile long *cell = &cells[(long)argument];
    for (int i = 0; i < turns; i++) {
        pthread_t thread;
        thrd_t standard_thread;
        *cell = i;
        if (is("thrd_join")) {
            thrd_create(&standard_thread, change_standard, (void *)cell);
            thrd_join(standard_thread, NULL);
        } else {
            pthread_create(&thread, NULL, change, (void *)cell);
            join(thread);
        }
        if (*cell != i + 1)
            exit(1);
    }
    return NULL;
}

static void *(*work(void))(void *)
{
    if (how->enter)
        return take_turns;
    if (is("barrier"))
        return meet;
    if (is("read"))
        return read_or_write;
    return is("once") || is("call_once") ? use_prepared : create_and_join;
}

int main(int count, char **arguments)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; count > 1 && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, arguments[1]) == 0)
            how = &ways[i];
    if (!how)
        return 2;
    if (count > 2)
        turns = atoi(arguments[2]);
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, NULL, THREADS);
    sem_init(&semaphore, 0, 1);
    mtx_init(&plain, mtx_timed);
    cnd_init(&standard);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work(), (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%lx %zu %lx %zu\n", (unsigned long)cells, sizeof cells, (unsigned long)how->object, how->bytes);
    return how->enter && cells[0] != THREADS * turns;
}
