// SPDX-License-Identifier: MIT
// Ctrl-C: the first requests a partial result, the second ends Deja at once. While a
// traced program runs, the first goes to the program only.
#ifndef DEJA_CLI_INTERRUPT_H
#define DEJA_CLI_INTERRUPT_H

#include <deja/error.h>

#include <stdatomic.h>
#include <sys/types.h>

// From now on SIGINT and SIGTERM stop `context`, and writing to a closed pipe is an
// error instead of a silent end.
void dj_interrupt_install(dj_context *context);

// From now on they stop another context instead, after this one was stopped.
void dj_interrupt_pass(dj_context *context);

// The file to remove if a second Ctrl-C ends Deja; NULL: none.
void dj_interrupt_unlink(const char *path);

// A traced program runs: the first SIGINT, SIGTERM, SIGHUP or SIGQUIT goes to it.
// Signals from the terminal reach it anyway; those that another process sent to Deja
// are forwarded. 0: the program has ended.
void dj_interrupt_share(pid_t program);
// From now on SIGUSR1 inverts *flag.
void dj_interrupt_toggle(atomic_bool *flag);
// In a new process, before exec: restores the signal handlers that Deja was started with.
void dj_interrupt_restore(void);

#endif
