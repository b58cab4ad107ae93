// SPDX-License-Identifier: MIT
// Programs that end, signal, jump or use their descriptors in unusual ways: the
// first argument selects one. Each prints its progress to standard output.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CELLS = 4096, JUMPS = 200, SIGNALS = 300 };

static volatile long cells[CELLS];

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static long work(int rounds)
{
    long sum = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < CELLS; i++)
            sum += cells[i] = cells[i] + i;
    return sum;
}

static int end_well(const char *argument)
{
    printf("%ld\n", work(3));
    return argument ? atoi(argument) : 0;
}

static int end_by_signal(const char *argument)
{
    work(3);
    printf("raising\n");
    fflush(stdout);
    kill(getpid(), atoi(argument));
    pause();
    return 0;
}

static int crash(const char *argument)
{
    (void)argument;
    work(3);
    printf("crashing\n");
    fflush(stdout);
    volatile long *volatile nowhere = NULL;
    *nowhere = 1;
    return 0;
}

static int give_up(const char *argument)
{
    (void)argument;
    work(3);
    abort();
}

static int close_all(const char *argument)
{
    (void)argument;
    work(1);
    printf("closing\n");
    fflush(stdout);
    for (int fd = 0; fd < 4096; fd++)
        close(fd);
    work(3);
    return open("/dev/null", O_RDONLY) == 0 ? 7 : 8; // the program's own table: the lowest is free
}

static void *one_thread(void *argument)
{
    volatile long *cell = argument;
    *cell = *cell + 1;
    return NULL;
}

static int threads_in_turn(const char *argument)
{
    int count = atoi(argument);
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, one_thread, (void *)(uintptr_t)&cells[i % CELLS]) != 0 ||
            pthread_join(thread, NULL) != 0)
            return 1;
    }
    printf("%d threads\n", count);
    return 0;
}

static jmp_buf home;

NOINLINE static void deep(int depth)
{
    cells[depth] = depth;
    if (depth == 0)
        longjmp(home, 1);
    if (depth < CELLS)
        deep(depth - 1);
    cells[depth] = -1; // never reached
}

NOINLINE static void after_jump(void)
{
    for (int i = 0; i < CELLS; i++)
        cells[i] = i;
}

static int jump(const char *argument)
{
    (void)argument;
    for (volatile int i = 0; i < JUMPS; i = i + 1)
        if (setjmp(home) == 0)
            deep(30);
        else
            after_jump();
    printf("%d jumps\n", JUMPS);
    return 0;
}

NOINLINE static long odd(long n);

__attribute__((noinline, noclone, optimize("O2"))) static long even(long n)
{
    cells[n % CELLS] = n;
    return n == 0 ? 1 : odd(n - 1);
}

__attribute__((noinline, noclone, optimize("O2"))) static long odd(long n)
{
    cells[n % CELLS] = -n;
    return n == 0 ? 0 : even(n - 1);
}

static int tail_calls(const char *argument)
{
    (void)argument;
    printf("%ld\n", even(200000));
    return 0;
}

static volatile sig_atomic_t caught;

NOINLINE static void on_signal(int number)
{
    (void)number;
    cells[caught % CELLS] = caught;
    caught = caught + 1;
}

static int signals(const char *argument)
{
    (void)argument;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < SIGNALS; i++) {
        raise(SIGUSR1);
        work(1);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%s\n", caught >= SIGNALS ? "all signals" : "signals lost");
    return 0;
}

static int broken_pipe(const char *argument)
{
    int ends[2];
    (void)argument;
    signal(SIGPIPE, SIG_IGN);
    if (pipe(ends) != 0)
        return 1;
    close(ends[0]);
    ssize_t written = write(ends[1], "x", 1);
    printf("%zd %s\n", written, written < 0 ? strerror(errno) : "");
    return 3;
}

static int copy(const char *argument)
{
    char buffer[3000];
    size_t total = 0;
    (void)argument;
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, stdin)) > 0; total += got) {
        for (size_t i = 0; i < got; i++)
            buffer[i] = (char)(buffer[i] ^ 1);
        if (fwrite(buffer, 1, got, stdout) != got)
            return 1;
    }
    fprintf(stderr, "%zu bytes\n", total);
    return 0;
}

static int environment(const char *argument)
{
    extern char **environ;
    (void)argument;
    for (char **at = environ; *at; at++)
        puts(*at);
    for (int fd = 0; fd < 64; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            printf("descriptor %d\n", fd);
    return 0;
}

static int forever(const char *argument)
{
    (void)argument;
    printf("working\n");
    fflush(stdout);
    while (work(1) != 1)
        ;
    return 0;
}

static const struct {
    const char *name;
    int (*run)(const char *argument);
} ways[] = {
    {"exit", end_well},   {"signal", end_by_signal},    {"crash", crash},  {"abort", give_up},
    {"close", close_all}, {"threads", threads_in_turn}, {"longjmp", jump}, {"tail", tail_calls},
    {"signals", signals}, {"pipe", broken_pipe},        {"copy", copy},    {"environment", environment},
    {"forever", forever}};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(argv[1], ways[i].name) == 0)
            return ways[i].run(argc > 2 ? argv[2] : NULL);
    return 99;
}
