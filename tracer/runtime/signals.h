// SPDX-License-Identifier: MIT
// Shared by the functions that install handlers (handlers.c) and the arrival of signals (signals.c).
#ifndef DEJA_RUNTIME_SIGNALS_H
#define DEJA_RUNTIME_SIGNALS_H

#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>

typedef void dj_rt_handler(int, siginfo_t *, void *);

// The program's handlers of signals for which dj_rt_signal_arrive is installed.
extern dj_rt_handler *dj_rt_handlers[NSIG];
dj_rt_handler dj_rt_signal_arrive;
void dj_rt_signals_thread_end(void); // gives back the writers of handlers that were left

enum { DJ_RT_KERNEL_SET_BYTES = 8 };

// Returns the previous mask. Inline, since a pending signal arrives when the system call returns, and it must
// be visible which code it interrupts.
static inline __attribute__((always_inline)) uint64_t dj_rt_mask_change(int how, uint64_t mask)
{
    uint64_t before = 0;
    long status;
    register long set_bytes __asm__("r10") = DJ_RT_KERNEL_SET_BYTES;
    __asm__ volatile("syscall"
                     : "=a"(status)
                     : "0"((long)SYS_rt_sigprocmask), "D"(how), "S"(&mask), "d"(&before), "r"(set_bytes)
                     : "rcx", "r11", "memory");
    return before;
}

#endif
