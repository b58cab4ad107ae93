// SPDX-License-Identifier: MIT
// relay ROUNDS [fork | exec | threads | leap]: rounds of writing to an array of 1000 elements, ROUNDS times
// 1000; then what the last word says, and the same work again: in a child and in this process, in the program
// that this process becomes, in two threads, or after leaving five calls by longjmp in every round.
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ELEMENTS = 1000, DEPTH = 5, STATUS = 7 };

static long rounds;

static __attribute__((noinline)) void fill(volatile long *to, long value)
{
    for (long i = 0; i < ELEMENTS; i++)
        to[i] = value + i;
}

static void work(void)
{
    volatile long *data = malloc(ELEMENTS * sizeof *data);
    for (long r = 0; r < rounds; r++)
        fill(data, r);
    free((void *)data);
}

static void *work_in_thread(void *unused)
{
    work();
    return unused;
}

static __attribute__((noinline)) void leap(jmp_buf *back, volatile long *data, int depth)
{
    data[depth] = depth;
    if (depth > 0)
        leap(back, data, depth - 1);
    else
        longjmp(*back, 1);
    data[depth] = 0;
}

static void leap_often(void)
{
    static long data[ELEMENTS];
    for (volatile long r = 0; r < rounds; r++) {
        jmp_buf back;
        fill(data, r);
        if (setjmp(back) == 0)
            leap(&back, data, DEPTH);
    }
}

static int work_in_child(void)
{
    int status = -1;
    const pid_t child = fork();
    work();
    if (child == 0)
        exit(STATUS);
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == STATUS ? 0 : 1;
}

static int work_in_threads(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work_in_thread, NULL) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

int main(int count, char **arguments)
{
    const char *how = count > 2 ? arguments[2] : "";
    rounds = count > 1 ? atol(arguments[1]) : 1;
    work();
    if (strcmp(how, "fork") == 0)
        return work_in_child();
    if (strcmp(how, "exec") == 0)
        return execl(arguments[0], arguments[0], arguments[1], (char *)NULL);
    if (strcmp(how, "threads") == 0)
        return work_in_threads();
    if (strcmp(how, "leap") == 0)
        leap_often();
    return 0;
}
