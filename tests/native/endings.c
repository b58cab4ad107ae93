// SPDX-License-Identifier: MIT
// endings HOW N [STATUS]: writes cells N times and ends as HOW says.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile long cells[1 << 10];
static volatile int started;

static void *work(void *unused)
{
    for (long i = 0;; i++) {
        cells[i & 1023] = i;
        started = 1;
    }
    return unused;
}

static void *work_until_cancelled(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    return work(unused);
}

// Cancels threads at arbitrary moments, also while they hand over their records.
static void cancel_threads(void)
{
    for (int i = 0; i < 300; i++) {
        pthread_t threads[2];
        for (int k = 0; k < 2; k++)
            if (pthread_create(&threads[k], NULL, work_until_cancelled, NULL) != 0)
                exit(98);
        usleep(300);
        for (int k = 0; k < 2; k++) {
            pthread_cancel(threads[k]);
            pthread_join(threads[k], NULL);
        }
    }
}

int main(int argc, char **argv)
{
    long count = argc > 2 ? atol(argv[2]) : 0;
    pthread_t thread;
    errno = 77;
    for (long i = 0; i < count; i++)
        cells[i & 1023] = i;
    if (errno != 77)
        return 99;
    if (strcmp(argv[1], "kill") == 0)
        raise(SIGKILL);
    if (strcmp(argv[1], "abort") == 0)
        abort();
    if (strcmp(argv[1], "_exit") == 0)
        _exit(5);
    if (strcmp(argv[1], "cancel") == 0)
        cancel_threads();
    if (strcmp(argv[1], "quick_exit") == 0)
        quick_exit(7);
    if (strcmp(argv[1], "threads") == 0 && pthread_create(&thread, NULL, work, NULL) == 0)
        while (!started)
            ;
    return argc > 3 ? atoi(argv[3]) : 0;
}
