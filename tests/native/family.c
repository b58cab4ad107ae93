// SPDX-License-Identifier: MIT
// family WHAT N: creates processes in several ways. Each writes 1000 cells more or
// fewer than the previous one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long cells[100000];

__attribute__((noinline)) static void work(long count)
{
    for (long i = 0; i < count; i++)
        cells[i] = i;
}

static void by_fork(long count, pid_t (*make)(void))
{
    for (long i = 1; i <= count; i++) {
        pid_t child = make();
        if (child == 0) {
            work(1000 * i);
            _exit((int)i);
        }
        waitpid(child, NULL, 0);
    }
}

int main(int argc, char **argv)
{
    long count = argc > 2 ? atol(argv[2]) : 0;
    char less[32];
    snprintf(less, sizeof less, "%ld", count - 1);
    if (strcmp(argv[1], "fork") == 0)
        by_fork(count, fork);
    if (strcmp(argv[1], "_Fork") == 0)
        by_fork(count, _Fork);
    if (strcmp(argv[1], "exec") == 0) {
        work(1000 * count);
        if (count)
            execl(argv[0], argv[0], "exec", less, (char *)0);
    }
    if (strcmp(argv[1], "vfork") == 0 && count) {
        work(1000 * count);
        pid_t child = vfork();
        if (child == 0) {
            execl(argv[0], argv[0], "vfork", less, (char *)0);
            _exit(127);
        }
        waitpid(child, NULL, 0);
    }
    if (strcmp(argv[1], "fails") == 0) {
        pid_t child = vfork();
        if (child == 0) {
            execl("/nonexistent", "x", (char *)0);
            _exit(127);
        }
        waitpid(child, NULL, 0);
        execl("/nonexistent", "x", (char *)0);
    }
    if (strcmp(argv[1], "away") == 0) {
        work(3000);
        execlp("true", "true", (char *)0);
    }
    work(7);
    return 0;
}
