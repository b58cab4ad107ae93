// SPDX-License-Identifier: MIT
// What the kernels of ./dev bench time share: KERNEL SIZE ROUNDS prepares its data, calls work once, and
// prints a checksum and how many seconds work took.
#ifndef BENCH_PROGRAMS_TIME_KERNEL_H
#define BENCH_PROGRAMS_TIME_KERNEL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static size_t size;
static long rounds;

static void prepare(void);
__attribute__((noinline)) static double work(void);

static inline void *need(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        exit(1);
    for (size_t i = 0; i < bytes; i++)
        ((char *)memory)[i] = 0;
    return memory;
}

static inline uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

// A random order of 0 … count - 1: a permutation of more numbers, without those that are too large.
static inline uint32_t *shuffled(size_t count)
{
    uint32_t *order = need(count * sizeof *order), bits = 1;
    while ((size_t)1 << bits < count)
        bits++;
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (uint64_t i = 0, k = 0; i <= mask; i++) {
        uint64_t value = i * UINT64_C(0x9e3779b97f4a7c15) & mask;
        value ^= value >> (bits / 2 + 1);
        value = value * UINT64_C(0xd6e8feb86659fd93) & mask;
        if (value < count)
            order[k++] = (uint32_t)value;
    }
    return order;
}

int main(int count, char **words)
{
    struct timespec from, to;
    if (count != 3 || atol(words[1]) < 1 || atol(words[2]) < 1)
        return 2;
    size = (size_t)atol(words[1]);
    rounds = atol(words[2]);
    prepare();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    const double sum = work();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    printf("%.9g %.9f\n", sum,
           (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    return 0;
}

#endif
