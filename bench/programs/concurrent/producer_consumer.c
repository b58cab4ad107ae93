// SPDX-License-Identifier: MIT
// Half of the threads put messages into a queue, the other half take them out and add them up.
#include "kernel.h"

enum { SLOTS = 64, MESSAGE = 64 };
static double (*slots)[MESSAGE];
static long put, taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static double sums[THREADS_MOST];

static void produce(double *own, long messages)
{
    for (long n = 0; n < messages; n++) {
        for (long i = 0; i < size; i++) // work on data of its own
            own[i] += 1;
        pthread_mutex_lock(&lock);
        while (put - taken == SLOTS)
            pthread_cond_wait(&changed, &lock);
        double *to = slots[put++ % SLOTS];
        for (int i = 0; i < MESSAGE; i++)
            to[i] = own[i % size];
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
}

static double consume(double *own, long messages)
{
    double sum = 0;
    for (long n = 0; n < messages; n++) {
        pthread_mutex_lock(&lock);
        while (put == taken)
            pthread_cond_wait(&changed, &lock);
        const double *from = slots[taken++ % SLOTS];
        for (int i = 0; i < MESSAGE; i++)
            own[i % size] += from[i];
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        for (long i = 0; i < size; i++)
            sum += own[i];
    }
    return sum;
}

static void *work(void *argument)
{
    const long t = (long)(intptr_t)argument;
    double *own = need((size_t)size * sizeof *own);
    if (t % 2 == 0)
        produce(own, rounds);
    else
        sums[t] = consume(own, rounds);
    free(own);
    return NULL;
}

int main(int count, char **words)
{
    read_arguments(count, words, 1000, 100);
    threads += threads % 2; // as many consumers as producers
    slots = need(SLOTS * sizeof *slots);
    run_threads(work);
    printf("%g\n", sums[1]);
    return 0;
}
