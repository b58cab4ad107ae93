// SPDX-License-Identifier: MIT
// crowd turn N: N threads in sequence, each of which writes its own cell 100 times.
// crowd once N: N threads at once, which write twice as often, with a barrier between.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

static long cells[10000];
static pthread_barrier_t all;

static void *work(void *given)
{
    long *cell = given;
    if (cell == cells)
        pthread_setname_np(pthread_self(), "first");
    if (cell == cells + 1)
        prctl(PR_SET_NAME, "second");
    for (int i = 0; i < 100; i++)
        *(volatile long *)cell = i;
    return NULL;
}

static void *work_together(void *given)
{
    work(given);
    pthread_barrier_wait(&all);
    return work(given);
}

int main(int argc, char **argv)
{
    static pthread_t threads[10000];
    long count = argc > 2 ? atol(argv[2]) : 0;
    int once = strcmp(argv[1], "once") == 0;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 16);
    pthread_barrier_init(&all, NULL, (unsigned)count);
    for (long i = 0; i < count; i++) {
        if (pthread_create(&threads[i], &attributes, once ? work_together : work, &cells[i]) != 0)
            _Exit(77);
        if (!once)
            pthread_join(threads[i], NULL);
    }
    for (long i = 0; once && i < count; i++)
        pthread_join(threads[i], NULL);
    printf("%p\n", (void *)cells);
    return 0;
}
