// SPDX-License-Identifier: MIT
// Runs long enough to be traced in bursts, and does what makes calling contexts and heap blocks hard to
// follow when most of the run is not seen: deep calls, recursion, callbacks, longjmp, signals, threads, and
// blocks that are allocated and freed all the time, through functions that forward to malloc.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WORDS = 4096, ROUNDS = 400, DEPTH = 12, SORTED = 500, MAPPED = 1 << 16 };

#define NOINLINE __attribute__((noinline))

static long table[WORDS];
static long handled[64];
static jmp_buf back;

static NOINLINE void *get_memory(size_t bytes)
{
    return malloc(bytes);
}

static NOINLINE long walk(const long *from, size_t count)
{
    long sum = 0;
    __asm__ volatile("" ::: "memory"); // each call counts
    for (size_t i = 0; i < count; i++)
        sum += from[i]; // [walk]
    return sum;
}

static NOINLINE void fill(long *to, size_t count, long value)
{
    for (size_t i = 0; i < count; i++)
        to[i] = value + (long)i; // [fill]
}

static NOINLINE long descend(int depth, const long *data)
{
    long sum = depth > 0 ? descend(depth - 1, data) : walk(data, WORDS);
    return sum + data[depth]; // [descend]
}

static int compare(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b; // [compare]
    return x < y ? -1 : x > y;
}

static NOINLINE void sort(long *list)
{
    for (size_t i = 0; i < SORTED; i++)
        list[i] = (long)((i * 7919) % SORTED); // [shuffle]
    qsort(list, SORTED, sizeof *list, compare);
}

static NOINLINE void leap(int depth)
{
    table[depth] += walk(table, 64); // [leap]
    if (depth == 0)
        longjmp(back, 1);
    leap(depth - 1);
}

static void handle(int number)
{
    for (int i = 0; i < 64; i++)
        handled[i] += number; // [handler]
}

static NOINLINE void *work(void *of)
{
    long *own = calloc(WORDS, sizeof *own); // [calloc]
    long sum = 0;
    for (int round = 0; round < ROUNDS / 2; round++)
        sum += walk(own, WORDS);
    *(long *)of = sum;
    free(own);
    return NULL;
}

static NOINLINE long play(int round, long *pages)
{
    long *block = get_memory(WORDS * sizeof *block); // [get_memory]
    void *aligned = NULL;
    fill(block, WORDS, round);
    long sum = descend(DEPTH, block);
    block = realloc(block, 2 * WORDS * sizeof *block); // [realloc]
    fill(block + WORDS, WORDS, round);
    if (posix_memalign(&aligned, 256, SORTED * sizeof(long))) // [aligned]
        abort();
    sort(aligned);
    if (!setjmp(back))
        leap(DEPTH);
    raise(SIGUSR1);
    pages[round % MAPPED] += sum;
    sum += walk(pages, WORDS) + walk(block, 2 * WORDS) + *(long *)aligned;
    free(block);
    free(aligned);
    return sum;
}

// With an argument there is one thread only: what Valgrind runs is then the same in every run.
int main(int count, char **arguments)
{
    long sum = 0, of_thread = 0;
    pthread_t thread;
    const int alone = count > 1;
    (void)arguments;
    long *pages =
        mmap(NULL, MAPPED * sizeof *pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGUSR1, handle);
    if (pages == MAP_FAILED || (!alone && pthread_create(&thread, NULL, work, &of_thread)))
        return 1;
    for (int round = 0; round < ROUNDS; round++)
        sum += play(round, pages);
    if (alone)
        work(&of_thread);
    else
        pthread_join(thread, NULL);
    printf("%ld\n", sum + of_thread + handled[0]);
    return 0;
}
