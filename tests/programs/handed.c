// SPDX-License-Identifier: MIT
// Code and data that are passed around: a callback through a lazily bound library
// function, mapped memory, and arrays on the stack of one thread that other threads
// write.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { NAMES = 16, CELLS = 300, THREADS = 3, WORDS = 2048, TEXT = 1000 };

static const char *volatile names[NAMES];
static volatile long compared;

static int compare(const void *a, const void *b)
{
    compared = compared + 1; // [compared]
    return strcoll(*(const char *const *)a, *(const char *const *)b);
}

__attribute__((noinline, noclone)) static void sort(void)
{
    static const char text[] = "qwertyuiopasdfghjkl";
    for (int i = 0; i < NAMES; i++)
        names[i] = text + i;
    qsort((void *)names, NAMES, sizeof names[0], compare);
}

__attribute__((noinline, noclone)) static long map(void)
{
    volatile long *pages = mmap(NULL, WORDS * sizeof *pages, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); // [map]
    if (pages == MAP_FAILED)
        return 1;
    for (int i = 0; i < WORDS; i++)
        pages[i] = i; // [mapped]
    return pages[1] - 1;
}

// A mapped file is data like any other.
__attribute__((noinline, noclone)) static long map_file(const char *path)
{
    int file = open(path, O_RDONLY);
    volatile const char *text = mmap(NULL, TEXT, PROT_READ, MAP_PRIVATE, file, 0); // [map file]
    if (text == MAP_FAILED)
        return 1;
    long sum = 0;
    for (int i = 0; i < TEXT; i++)
        sum += text[i]; // [file]
    return sum == 0;
}

static void *work(void *argument)
{
    volatile long *cells = argument;
    for (int i = 0; i < CELLS; i++)
        cells[i] = i; // [handed]
    return NULL;
}

int main(int count, char **arguments)
{
    long mine[THREADS][CELLS];
    pthread_t threads[THREADS];
    sort();
    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&threads[t], NULL, work, mine[t]) != 0)
            return 1;
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    return (int)(map() + (count > 1 ? map_file(arguments[1]) : 1) + mine[2][7] - 7);
}
