// SPDX-License-Identifier: MIT
// Four concurrent threads; thread t sweeps t + 1 times over its own part of an array,
// and each increments a counter under one lock.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4, CELLS = 2000 };

static volatile long cells[THREADS][CELLS];
static volatile long finished;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline, noclone)) static void sweep(int t)
{
    for (int i = 0; i < CELLS; i++)
        cells[t][i] = i; // [sweep]
}

static void *begin(void *argument)
{
    int t = (int)(intptr_t)argument;
    for (int r = 0; r <= t; r++)
        sweep(t);
    pthread_mutex_lock(&lock);
    finished = finished + 1; // [finished]
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&threads[t], NULL, begin, (void *)(intptr_t)t) != 0)
            return 1;
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    printf("%ld\n", finished);
    return 0;
}
