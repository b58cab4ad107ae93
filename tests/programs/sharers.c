// SPDX-License-Identifier: MIT
// Threads that share a cache. The first argument:
//   sweep  two threads, each sweeps over its own 156 KiB
//   speed  two threads of equal work, of which the second makes three times as many accesses
//   fork   like sweep, but first starts another process
//   wait   like sweep, then waits for a signal
// The exit status is 3.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 156 * 1024 / 64, WORDS = 8, SWEEPS = 50, ROUNDS = 500000, STEPS = 200 };

static volatile long cells[2][BLOCKS * WORDS] __attribute__((aligned(64)));
static volatile long marks[2][WORDS] __attribute__((aligned(64)));
static pthread_barrier_t start;

static void *sweep(void *argument)
{
    volatile long *own = argument;
    pthread_barrier_wait(&start);
    for (int s = 0; s < SWEEPS; s++)
        for (int i = 0; i < BLOCKS; i++)
            own[i * WORDS] = s; // [sweep]
    return NULL;
}

static unsigned long compute(unsigned long x)
{
    for (int i = 0; i < STEPS; i++)
        x = x * 6364136223846793005UL + 1442695040888963407UL;
    return x;
}

static void *work(void *argument)
{
    volatile long *own = argument;
    unsigned long x = 1;
    pthread_barrier_wait(&start);
    for (int i = 0; i < ROUNDS; i++) {
        x = compute(x);
        own[0] = (long)x; // [one]
        if (own == marks[1]) {
            own[1] = (long)x; // [two]
            own[2] = (long)x; // [three]
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "sweep";
    int speed = strcmp(mode, "speed") == 0;
    pthread_t threads[2];
    if (strcmp(mode, "fork") == 0) {
        pid_t child = fork();
        if (child == 0)
            _exit(cells[0][0] != 0);
        waitpid(child, NULL, 0);
    }
    pthread_barrier_init(&start, NULL, 2);
    for (int t = 0; t < 2; t++)
        if (pthread_create(&threads[t], NULL, speed ? work : sweep,
                           speed ? (void *)marks[t] : (void *)cells[t]) != 0)
            return 1;
    for (int t = 0; t < 2; t++)
        pthread_join(threads[t], NULL);
    puts("done");
    fflush(stdout);
    while (strcmp(mode, "wait") == 0)
        pause();
    return 3;
}
