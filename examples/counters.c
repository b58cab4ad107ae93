// SPDX-License-Identifier: MIT
// Threads that count words, each in a counter of its own. The counters are in one cache line, so every
// increment takes the line away from the other threads. With an argument, each has its own line.
#include <pthread.h>
#include <stdalign.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 1000, LINE = 64 };

struct counter {
    long words, letters;
};

static volatile struct counter counters[THREADS];
static volatile struct padded {
    alignas(LINE) struct counter of;
} padded[THREADS];
static _Bool separate;

static void *count(void *which)
{
    long me = (long)which;
    for (int i = 0; i < ROUNDS; i++) {
        if (separate)
            padded[me].of.words++; // [padded]
        else
            counters[me].words++; // [packed]
    }
    return NULL;
}

int main(int arguments, char **names)
{
    pthread_t threads[THREADS];
    (void)names;
    separate = arguments > 1;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    long sum = 0;
    for (int i = 0; i < THREADS; i++)
        sum += counters[i].words + padded[i].of.words;
    printf("%ld words\n", sum);
    return 0;
}
