// SPDX-License-Identifier: MIT
// What the kernels share: threads that run one function, and random numbers that are the same in every run.
//   KERNEL [THREADS [SIZE [ROUNDS]]]
#ifndef BENCH_PROGRAMS_CONCURRENT_KERNEL_H
#define BENCH_PROGRAMS_CONCURRENT_KERNEL_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MOST = 64 };

static long threads = 2, size, rounds;

static inline void read_arguments(int count, char **words, long usual_size, long usual_rounds)
{
    threads = count > 1 ? atol(words[1]) : 2;
    size = count > 2 ? atol(words[2]) : usual_size;
    rounds = count > 3 ? atol(words[3]) : usual_rounds;
    if (threads < 1 || threads > THREADS_MOST || size < 16 || rounds < 1)
        exit(2);
}

static inline void *need(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        exit(1);
    for (size_t i = 0; i < bytes; i++)
        ((char *)memory)[i] = 0;
    return memory;
}

// Runs `work` with the numbers 0 to threads - 1.
static inline void run_threads(void *(*work)(void *))
{
    pthread_t ids[THREADS_MOST];
    for (long t = 0; t < threads; t++)
        if (pthread_create(&ids[t], NULL, work, (void *)(intptr_t)t) != 0)
            exit(1);
    for (long t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
}

static inline uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

#endif
