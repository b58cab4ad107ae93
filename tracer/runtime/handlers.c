// SPDX-License-Identifier: MIT
// The functions that install signal handlers. The kernel gets the handler of this library (signals.c); a
// program that asks gets its own.
#include <signal.h>
#include <unistd.h>

#include "signals.h"
#include "wrap.h"

typedef void (*simple)(int);

extern simple bsd_signal(int number, simple action);

DJ_RT_WRAP(sigaction);

// A handler may also install another one: signals are blocked while the lock is held.
static int lock;

enum { PATIENCE = 1000 };

static uint64_t begin(void)
{
    uint64_t mask = dj_rt_mask_change(SIG_BLOCK, UINT64_MAX);
    // Not forever: this may be a fork of a process in which another thread held it.
    for (int i = 0; i < PATIENCE && __atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE); i++)
        syscall(SYS_sched_yield);
    return mask;
}

static void end(uint64_t mask)
{
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    dj_rt_mask_change(SIG_SETMASK, mask);
}

static bool is_function(simple handler)
{
    return handler != SIG_DFL && handler != SIG_IGN && handler != SIG_ERR && handler != SIG_HOLD;
}

DJ_RT_EXPORT int DJ_RT_NAME(sigaction)(int number, const struct sigaction *action, struct sigaction *before)
{
    __typeof__(&sigaction) real = DJ_RT_REAL(sigaction);
    if (number < 1 || number >= NSIG)
        return real(number, action, before);
    struct sigaction ours, was;
    uint64_t mask = begin();
    dj_rt_handler *own = dj_rt_handlers[number];
    if (action) {
        ours = *action;
        if (is_function(action->sa_handler)) {
            ours.sa_sigaction = dj_rt_signal_arrive;
            __atomic_store_n(&dj_rt_handlers[number], action->sa_sigaction, __ATOMIC_RELAXED);
        }
    }
    int status = real(number, action ? &ours : NULL, &was);
    if (status != 0)
        __atomic_store_n(&dj_rt_handlers[number], own, __ATOMIC_RELAXED);
    end(mask);
    if (status == 0 && before) {
        *before = was;
        if (was.sa_sigaction == dj_rt_signal_arrive)
            before->sa_sigaction = own;
    }
    return status;
}

static simple install(simple (*real)(int, simple), int number, simple action)
{
    if (number < 1 || number >= NSIG)
        return real(number, action);
    dj_rt_handler *own = dj_rt_handlers[number];
    if (is_function(action))
        __atomic_store_n(&dj_rt_handlers[number], (dj_rt_handler *)(void *)action, __ATOMIC_RELAXED);
    simple before = real(number, is_function(action) ? (simple)(void *)dj_rt_signal_arrive : action);
    if (before == SIG_ERR)
        __atomic_store_n(&dj_rt_handlers[number], own, __ATOMIC_RELAXED);
    return before == (simple)(void *)dj_rt_signal_arrive ? (simple)(void *)own : before;
}

#define INSTALLER(name)                                                                                      \
    DJ_RT_WRAP(name);                                                                                        \
    DJ_RT_EXPORT simple DJ_RT_NAME(name)(int number, simple action)                                          \
    {                                                                                                        \
        uint64_t mask = begin();                                                                             \
        simple before = install(DJ_RT_REAL(name), number, action);                                           \
        end(mask);                                                                                           \
        return before;                                                                                       \
    }
INSTALLER(signal)
INSTALLER(bsd_signal)
INSTALLER(ssignal)
INSTALLER(sysv_signal)
INSTALLER(__sysv_signal)

// Reads and changes the signal mask: so no signals are blocked for it.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
DJ_RT_WRAP(sigset);
DJ_RT_EXPORT simple DJ_RT_NAME(sigset)(int number, simple action)
{
    return install(DJ_RT_REAL(sigset), number, action);
}
