// SPDX-License-Identifier: MIT
// A family of processes: a forked child that writes its own array, one that executes
// another program (this one, with an argument), and a shell.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CELLS = 3000 };

static volatile long of_parent[CELLS], of_child[CELLS], of_other[CELLS];

__attribute__((noinline, noclone)) static void touch(volatile long *cells)
{
    for (int i = 0; i < CELLS; i++)
        cells[i] = i; // [touch]
}

int main(int argc, char **argv)
{
    int status;
    if (argc > 1 && strcmp(argv[1], "other") == 0) {
        touch(of_other);
        printf("other\n");
        return 5;
    }
    pid_t child = fork();
    if (child == 0) {
        touch(of_child);
        printf("child\n");
        fflush(stdout);
        _exit(3);
    }
    waitpid(child, &status, 0);
    printf("child ended with %d\n", WEXITSTATUS(status));
    fflush(stdout);
    child = fork();
    if (child == 0) {
        execl("/proc/self/exe", argv[0], "other", (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    printf("other ended with %d\n", WEXITSTATUS(status));
    fflush(stdout);
    status = system("exit 6");
    touch(of_parent);
    printf("shell ended with %d\n", WEXITSTATUS(status));
    return 4;
}
