// SPDX-License-Identifier: MIT
#include "live/guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

static _Thread_local dj_guard *volatile entered;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned open_guards;
static struct sigaction before;

static bool make_zeros(dj_guard *g, const void *fault)
{
    if (!g || (uintptr_t)fault - (uintptr_t)g->memory >= g->bytes)
        return false;
    int saved = errno;
    void *zeros = mmap(g->memory, g->bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    errno = saved;
    g->lost = 1;
    return zeros != MAP_FAILED;
}

static void on_fault(int number, siginfo_t *info, void *machine)
{
    (void)machine;
    bool sent = info->si_code <= 0; // by a process
    if (!sent && make_zeros(entered, info->si_addr))
        return;
    sigaction(number, &before, NULL);
    if (sent)
        raise(number);
    // Otherwise the access is repeated, and faults again.
}

bool dj_guard_open(dj_guard *g, void *memory, size_t bytes)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    pthread_mutex_lock(&lock);
    bool good = open_guards > 0 || sigaction(SIGBUS, &action, &before) == 0;
    open_guards += good;
    pthread_mutex_unlock(&lock);
    *g = good ? (dj_guard){.memory = memory, .bytes = bytes} : (dj_guard){0};
    return good;
}

void dj_guard_close(dj_guard *g)
{
    struct sigaction now;
    if (!g->memory)
        return;
    pthread_mutex_lock(&lock);
    // Somebody else may have taken the signal since.
    if (--open_guards == 0 && sigaction(SIGBUS, NULL, &now) == 0 && now.sa_sigaction == on_fault)
        sigaction(SIGBUS, &before, NULL);
    pthread_mutex_unlock(&lock);
    *g = (dj_guard){0};
}

void dj_guard_enter(dj_guard *g)
{
    entered = g;
    atomic_signal_fence(memory_order_seq_cst);
}

void dj_guard_leave(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    entered = NULL;
}
