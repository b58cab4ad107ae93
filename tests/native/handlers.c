// SPDX-License-Identifier: MIT
// What a program may expect of signal handlers. Exit status 0: every expectation holds.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int calls, depth, deepest, value, on_stack;
static char other_stack[1 << 16];
static sigjmp_buf back;

#define EXPECT(truth)                                                                                        \
    do {                                                                                                     \
        if (!(truth)) {                                                                                      \
            printf("line %d: " #truth "\n", __LINE__);                                                       \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static void count(int number)
{
    (void)number;
    errno = EDOM;
    calls++;
}

static void raise_again(int number)
{
    depth++;
    deepest = depth > deepest ? depth : deepest;
    if (calls++ < 3)
        raise(number);
    depth--;
}

static void informed(int number, siginfo_t *info, void *context)
{
    char here;
    EXPECT(info->si_signo == number && context != NULL);
    value = info->si_value.sival_int;
    on_stack = &here >= other_stack && &here < other_stack + sizeof other_stack;
    calls++;
}

static void jump(int number)
{
    siglongjmp(back, number);
}

static void install(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    EXPECT(sigaction(number, &action, NULL) == 0);
}

static void sigaction_returns_the_programs_old_handlers(void)
{
    struct sigaction old;
    EXPECT(signal(SIGUSR1, count) == SIG_DFL);
    EXPECT(signal(SIGUSR1, raise_again) == count);
    EXPECT(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == raise_again && old.sa_flags & SA_RESTART);
    EXPECT(signal(SIGUSR1, SIG_IGN) == raise_again);
    EXPECT(signal(SIGUSR1, count) == SIG_IGN);
    EXPECT(sigset(SIGUSR1, SIG_HOLD) == count);
    EXPECT(sigset(SIGUSR1, count) == SIG_HOLD);
    EXPECT(sysv_signal(SIGUSR1, raise_again) == count);
    EXPECT(signal(SIGUSR1, SIG_DFL) == raise_again);
    EXPECT(signal(SIGKILL, count) == SIG_ERR && errno == EINVAL);
    EXPECT(sigaction(0, NULL, &old) == -1 && errno == EINVAL);
    EXPECT(sigaction(1000, NULL, &old) == -1);
}

static void sigaction_flags_are_respected(void)
{
    struct sigaction old;
    calls = 0;
    install(SIGUSR1, count, SA_RESETHAND);
    raise(SIGUSR1);
    EXPECT(calls == 1 && errno == EDOM);
    EXPECT(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
    calls = 0;
    install(SIGUSR1, raise_again, 0);
    raise(SIGUSR1); // each is delivered after the previous handler has returned
    EXPECT(calls == 4 && deepest == 1);
    calls = 0;
    install(SIGUSR1, raise_again, SA_NODEFER);
    raise(SIGUSR1);
    EXPECT(calls == 4 && deepest == 4);
}

static void handlers_receive_siginfo_and_run_on_their_stack(void)
{
    stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    struct sigaction action = {.sa_sigaction = informed, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    EXPECT(sigaltstack(&stack, NULL) == 0 && sigaction(SIGRTMIN, &action, NULL) == 0);
    calls = 0;
    EXPECT(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 77}) == 0);
    EXPECT(calls == 1 && value == 77 && on_stack);
}

static void siglongjmp_may_leave_a_handler(void)
{
    volatile int *nowhere = NULL;
    install(SIGSEGV, jump, 0);
    for (volatile int i = 0; i < 100; i++) {
        if (sigsetjmp(back, 1) == 0) {
            *nowhere = 1;
            EXPECT(!"reached");
        }
    }
    install(SIGSEGV, SIG_DFL, 0);
}

int main(void)
{
    sigaction_returns_the_programs_old_handlers();
    sigaction_flags_are_respected();
    handlers_receive_siginfo_and_run_on_their_stack();
    siglongjmp_may_leave_a_handler();
    puts("all passed");
    return 0;
}
