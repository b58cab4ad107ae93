// SPDX-License-Identifier: MIT
// Threads that take turns while they receive signals, also inside the tracing library.
// Prints addresses and values of both counters.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

enum { THREADS = 3, SIGNALS = 3000 };

static volatile long turn;
static long arrived, wrong;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void arrive(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_signo != number || info->si_code != SI_QUEUE)
        wrong = 1;
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
}

static void *work(void *unused)
{
    long mine = 0;
    for (; __atomic_load_n(&arrived, __ATOMIC_RELAXED) < SIGNALS; mine++) {
        pthread_mutex_lock(&mutex);
        turn = turn + 1;
        pthread_mutex_unlock(&mutex);
    }
    (void)unused;
    return (void *)mine;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = arrive, .sa_flags = SA_SIGINFO | SA_RESTART};
    pthread_t threads[THREADS];
    long sum = 0;
    sigaction(SIGRTMIN, &action, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; __atomic_load_n(&arrived, __ATOMIC_RELAXED) < SIGNALS; i++) {
        pthread_sigqueue(threads[i % THREADS], SIGRTMIN, (union sigval){.sival_int = i});
        if (i % 8 == 0)
            sched_yield();
    }
    for (int i = 0; i < THREADS; i++) {
        void *turns;
        pthread_join(threads[i], &turns);
        sum += (long)turns;
    }
    printf("%lx %ld %lx %ld\n", (unsigned long)&turn, turn, (unsigned long)&arrived, arrived);
    return sum != turn || wrong;
}
