// SPDX-License-Identifier: MIT
// order HOW: threads take turns in a critical section. Prints the address of `turn`,
// which each thread writes there, and the order in which the threads entered.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

enum { THREADS = 4, TURNS = 150 };

static const char *how;
static volatile long turn;
static unsigned char entered[THREADS * TURNS];
static long private_work[THREADS][16];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;
static mtx_t plain;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static atomic_int ticket, serving;
static int busy;

static void enter_by_condition(void)
{
    pthread_mutex_lock(&mutex);
    while (busy)
        pthread_cond_wait(&condition, &mutex);
    busy = 1;
    pthread_mutex_unlock(&mutex);
}

static void leave_by_condition(void)
{
    pthread_mutex_lock(&mutex);
    busy = 0;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}

static void enter(void)
{
    if (strcmp(how, "mutex") == 0)
        pthread_mutex_lock(&mutex);
    else if (strcmp(how, "cond") == 0)
        enter_by_condition();
    else if (strcmp(how, "rwlock") == 0)
        pthread_rwlock_wrlock(&rwlock);
    else if (strcmp(how, "spin") == 0)
        pthread_spin_lock(&spin);
    else if (strcmp(how, "sem") == 0)
        sem_wait(&semaphore);
    else if (strcmp(how, "mtx") == 0)
        mtx_lock(&plain);
    else if (strcmp(how, "flag") == 0)
        while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
            thrd_yield();
    else if (strcmp(how, "ticket") == 0)
        for (int mine = atomic_fetch_add(&ticket, 1); atomic_load(&serving) != mine;)
            thrd_yield();
}

static void leave(void)
{
    if (strcmp(how, "mutex") == 0)
        pthread_mutex_unlock(&mutex);
    else if (strcmp(how, "cond") == 0)
        leave_by_condition();
    else if (strcmp(how, "rwlock") == 0)
        pthread_rwlock_unlock(&rwlock);
    else if (strcmp(how, "spin") == 0)
        pthread_spin_unlock(&spin);
    else if (strcmp(how, "sem") == 0)
        sem_post(&semaphore);
    else if (strcmp(how, "mtx") == 0)
        mtx_unlock(&plain);
    else if (strcmp(how, "flag") == 0)
        atomic_flag_clear_explicit(&flag, memory_order_release);
    else if (strcmp(how, "ticket") == 0)
        atomic_fetch_add(&serving, 1);
}

static void *work(void *argument)
{
    long self = (long)argument;
    for (int i = 0; i < TURNS; i++) {
        for (int j = 0; j < 16; j++)
            private_work[self][j] += i;
        if (strcmp(how, "barrier") == 0) {
            for (int k = 0; k < THREADS; k++) {
                pthread_barrier_wait(&barrier);
                if (k == self) {
                    entered[turn] = (unsigned char)self;
                    turn = turn + 1;
                }
            }
            continue;
        }
        enter();
        entered[turn] = (unsigned char)self;
        turn = turn + 1;
        leave();
    }
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t threads[THREADS];
    how = count > 1 ? arguments[1] : "mutex";
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, NULL, THREADS);
    sem_init(&semaphore, 0, 1);
    mtx_init(&plain, mtx_plain);
    turn = 0;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    long last = turn;
    printf("%lx ", (unsigned long)&turn);
    for (long i = 0; i < last; i++)
        putchar('a' + entered[i]);
    putchar('\n');
    return last != THREADS * TURNS;
}
