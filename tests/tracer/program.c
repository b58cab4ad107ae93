// SPDX-License-Identifier: MIT
// The program that tests the tracer: `program WHAT [N]`. Each WHAT repeats known
// accesses N times, so that two runs differ by known counts.
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef double vector __attribute__((vector_size(32)));

static volatile long cell;
static long area[4096];
static vector vectors[64];
static char *page;

__attribute__((noinline)) static long reads(long n)
{
    long sum;
    __asm__ volatile("xor %0, %0\n0: add (%2), %0\n dec %1\n jnz 0b"
                     : "=&r"(sum), "+r"(n)
                     : "r"(&cell)
                     : "memory", "cc");
    return sum;
}

__attribute__((noinline)) static void writes(long n)
{
    __asm__ volatile("0: mov %0, (%1)\n dec %0\n jnz 0b" : "+r"(n) : "r"(&cell) : "memory", "cc");
}

__attribute__((noinline)) static void modifies(long n)
{
    __asm__ volatile("0: incq (%1)\n dec %0\n jnz 0b" : "+r"(n) : "r"(&cell) : "memory", "cc");
}

__attribute__((noinline, target("avx2"))) static void wide(long n)
{
    __asm__ volatile("0: vmovapd (%1), %%ymm0\n vmovapd %%ymm0, 32(%1)\n dec %0\n jnz 0b"
                     : "+r"(n)
                     : "r"(vectors)
                     : "memory", "cc", "xmm0");
}

__attribute__((noinline)) static void leaf(void)
{
    __asm__ volatile("");
}

static void calls(long n)
{
    void (*volatile pointer)(void) = leaf;
    for (long i = 0; i < n; i++) {
        leaf();
        pointer();
    }
}

static void allocations(long n)
{
    for (long i = 0; i < n; i++) {
        void *volatile block = malloc(100);
        block = realloc(block, 200);
        free(block);
        block = calloc(10, 10);
        free(block);
    }
}

// Overlapping copies repeat a pattern; a backward one does not.
static int strings(long n)
{
    char text[2000];
    for (long round = 0; round < n; round++) {
        char *to = text, *from = text;
        size_t count = sizeof text;
        __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"('x') : "memory");
        memcpy(text, "abc", 3);
        to = text + 3;
        count = 1000;
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
        for (int i = 0; i < 1003; i++)
            if (text[i] != "abc"[i % 3])
                return 1;
        to = text + 1103, from = text + 1003, count = 500; // downwards, from the ends
        __asm__ volatile("std\n rep movsb\n cld" : "+D"(to), "+S"(from), "+c"(count) : : "memory", "cc");
        if (count || to != text + 603 || text[1103] != 'x' || text[1102] != "abc"[1002 % 3])
            return 1;
    }
    return 0;
}

static void *thread(void *argument)
{
    reads(10);
    return argument;
}

static int threads(long n, int at_once)
{
    pthread_t ids[64];
    for (long i = 0; i < n; i += at_once) {
        for (int k = 0; k < at_once; k++)
            if (pthread_create(&ids[k], NULL, thread, NULL) != 0)
                return 1;
        for (int k = 0; k < at_once; k++)
            pthread_join(ids[k], NULL);
    }
    return 0;
}

static int forks(long n)
{
    for (long i = 0; i < n; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            reads(1000);
            _exit(3);
        }
        if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3)
            return 1;
    }
    return 0;
}

static void open_page(int signal, siginfo_t *details, void *context)
{
    (void)signal, (void)context;
    if (details->si_addr == page + 8)
        mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

// A handler makes the faulting page accessible; the access must then be repeated.
static int resumes(void)
{
    struct sigaction action = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO};
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGSEGV, &action, NULL);
    long before = 1, after = 0;
    __asm__ volatile("inc %0\n movq %0, 8(%2)\n inc %0\n mov %0, %1"
                     : "+r"(before), "=&r"(after)
                     : "r"(page)
                     : "memory");
    return after == 3 && *(long *)(page + 8) == 2 ? 0 : 1;
}

static int closes_all(long n)
{
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    reads(n);
    if (open("/dev/null", O_RDONLY) != 0) // the lowest is free
        return 1;
    return 0;
}

static int ends(const char *what, long n, char *own_name)
{
    if (strcmp(what, "exit") == 0)
        return (int)n;
    if (strcmp(what, "exec") == 0 && n > 0) {
        char less[24];
        execl("/nonexistent", "x", (char *)NULL); // fails, and the program continues
        snprintf(less, sizeof less, "%ld", n - 1);
        execl("/proc/self/exe", own_name, "exec", less, (char *)NULL);
    }
    if (strcmp(what, "kill") == 0) {
        reads(n);
        if (fork() == 0) // from another process: Valgrind intercepts a signal that a process sends itself
            _exit(kill(getppid(), SIGKILL));
        pause();
    }
    if (strcmp(what, "crash") == 0) {
        reads(n);
        *(volatile int *)8 = 1;
    }
    if (strcmp(what, "abort") == 0)
        abort();
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 0;
    if (strcmp(what, "reads") == 0)
        return (int)(reads(n) & 1);
    if (strcmp(what, "writes") == 0)
        return writes(n), 0;
    if (strcmp(what, "modifies") == 0)
        return modifies(n), 0;
    if (strcmp(what, "wide") == 0)
        return wide(n), 0;
    if (strcmp(what, "calls") == 0)
        return calls(n), 0;
    if (strcmp(what, "allocations") == 0)
        return allocations(n), 0;
    if (strcmp(what, "strings") == 0)
        return strings(n);
    if (strcmp(what, "threads") == 0)
        return threads(n, 50);
    if (strcmp(what, "threads-in-turn") == 0)
        return threads(n, 1);
    if (strcmp(what, "forks") == 0)
        return forks(n);
    if (strcmp(what, "resumes") == 0)
        return resumes();
    if (strcmp(what, "closes") == 0)
        return closes_all(n);
    area[0] = n;
    return ends(what, n, argv[0]);
}
