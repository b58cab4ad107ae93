// SPDX-License-Identifier: MIT
// A three-point stencil; the threads divide the array, and wait for each other after each step.
#include "kernel.h"

static double *now, *next;
static pthread_barrier_t barrier;

static void *work(void *argument)
{
    const long t = (long)(intptr_t)argument;
    const long from = t * size / threads, end = (t + 1) * size / threads;
    double *a = now, *b = next;
    for (long round = 0; round < rounds; round++) {
        for (long i = from; i < end; i++)
            b[i] = 0.25 * (a[i > 0 ? i - 1 : 0] + 2 * a[i] + a[i < size - 1 ? i + 1 : i]);
        double *swap = a;
        a = b;
        b = swap;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int count, char **words)
{
    read_arguments(count, words, 8000, 10);
    now = need((size_t)size * sizeof *now);
    next = need((size_t)size * sizeof *next);
    now[size / 2] = 1;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    run_threads(work);
    printf("%g\n", now[size / 2] + next[size / 2]);
    return 0;
}
