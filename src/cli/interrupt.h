// SPDX-License-Identifier: MIT
// Ctrl-C: the first asks for a partial result, the second ends at once. Where a
// program of the user runs beside, the first is the program's alone.
#ifndef DEJA_CLI_INTERRUPT_H
#define DEJA_CLI_INTERRUPT_H

#include <deja/error.h>

#include <stdatomic.h>
#include <sys/types.h>

// From now on SIGINT and SIGTERM stop `context`. A closed pipe becomes an
// error of write, not a silent end.
void dj_interrupt_install(dj_context *context);

// The file to remove when a second Ctrl-C ends the program; NULL: none.
void dj_interrupt_unlink(const char *path);

// A program that the user started runs beside: the first SIGINT, SIGTERM,
// SIGHUP and SIGQUIT are for the program. Those from a terminal reach it
// anyway; those that another process sent to us are handed on. 0: it has ended.
void dj_interrupt_share(pid_t program);
// SIGUSR1 flips *flag from now on.
void dj_interrupt_toggle(atomic_bool *flag);
// In a new process, before exec: signals are as they were when we were started.
void dj_interrupt_restore(void);

#endif
