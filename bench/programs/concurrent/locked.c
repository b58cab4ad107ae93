// SPDX-License-Identifier: MIT
// Threads count random keys in one table, under one of 16 locks each.
#include "kernel.h"

enum { LOCKS = 16 };
static long *table;
static pthread_mutex_t locks[LOCKS];

static void *work(void *argument)
{
    uint64_t random = (uint64_t)(intptr_t)argument + 1;
    for (long i = 0; i < rounds; i++) {
        const uint64_t key = next_random(&random) % (uint64_t)size;
        pthread_mutex_lock(&locks[key % LOCKS]);
        table[key]++;
        pthread_mutex_unlock(&locks[key % LOCKS]);
    }
    return NULL;
}

int main(int count, char **words)
{
    long sum = 0;
    read_arguments(count, words, 8000, 60000);
    table = need((size_t)size * sizeof *table);
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&locks[i], NULL);
    run_threads(work);
    for (long i = 0; i < size; i++)
        sum += table[i];
    printf("%ld\n", sum);
    return 0;
}
