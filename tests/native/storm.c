// SPDX-License-Identifier: MIT
// storm HOW: a timer interrupts a loop over an array some thousand times a second; the
// handler writes a second array. HOW is "return" (the handler returns), "jump" (it leaves
// by siglongjmp) or "stack" (it returns, but runs on an alternate stack).
// Prints the address and the number of written elements of both arrays.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#ifndef ELEMENTS
#define ELEMENTS 40000
#endif
enum { TICKS = 40000 };

static long data[ELEMENTS];
static long ticks[TICKS];
static volatile long tick_count;
static volatile long at;
static sigjmp_buf back;
static volatile sig_atomic_t can_jump;
static const char *how;

static __attribute__((noinline)) void note(long place)
{
    ticks[tick_count] = place;
    tick_count = tick_count + 1;
}

static void tick(int number)
{
    (void)number;
    if (tick_count < TICKS)
        note(at);
    if (can_jump && strcmp(how, "jump") == 0)
        siglongjmp(back, 1);
}

static __attribute__((noinline)) void put(long place)
{
    data[place] = place + 1;
}

static void loop(void)
{
    // An element may be written twice if the handler jumps here.
    sigsetjmp(back, 1);
    can_jump = 1;
    while (at < ELEMENTS) {
        put(at);
        at = at + 1;
    }
    can_jump = 0;
}

int main(int count, char **arguments)
{
    how = count > 1 ? arguments[1] : "return";
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART}, before;
    if (strcmp(how, "stack") == 0) {
        stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
        sigaltstack(&stack, NULL);
        action.sa_flags |= SA_ONSTACK;
    }
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGALRM, NULL, &before);
    struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    loop();
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_IGN);
    long sum = 0;
    for (long i = 0; i < ELEMENTS; i++)
        sum += data[i] == i + 1;
    printf("%lx %d %lx %ld\n", (unsigned long)data, ELEMENTS, (unsigned long)ticks, (long)tick_count);
    return sum != ELEMENTS || before.sa_handler != tick || tick_count < 1;
}
