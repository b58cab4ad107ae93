// SPDX-License-Identifier: MIT
// Each thread is a stage that changes every block of the data after the stage before it did.
#include "kernel.h"

enum { BLOCK = 256 };
static double *data;
static long done[THREADS_MOST + 1]; // blocks that each stage has finished
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *work(void *argument)
{
    const long t = (long)(intptr_t)argument, blocks = size / BLOCK;
    for (long n = 0; n < rounds * blocks; n++) {
        pthread_mutex_lock(&lock);
        while (t > 0 && done[t - 1] <= n)
            pthread_cond_wait(&changed, &lock);
        while (t == 0 && n >= blocks && done[threads - 1] <= n - blocks)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
        for (long i = n % blocks * BLOCK; i < (n % blocks + 1) * BLOCK; i++)
            data[i] = 0.5 * data[i] + (double)t;
        pthread_mutex_lock(&lock);
        done[t]++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int count, char **words)
{
    read_arguments(count, words, 8192, 12);
    data = need((size_t)size * sizeof *data);
    run_threads(work);
    printf("%g\n", data[size / BLOCK * BLOCK / 2]);
    return 0;
}
