// SPDX-License-Identifier: MIT
// Ctrl-C: the first asks for a partial result, the second ends at once.
#ifndef DEJA_CLI_INTERRUPT_H
#define DEJA_CLI_INTERRUPT_H

#include <deja/error.h>

// From now on SIGINT and SIGTERM stop `context`. A closed pipe becomes an
// error of write, not a silent end.
void dj_interrupt_install(dj_context *context);

// The file to remove when a second Ctrl-C ends the program; NULL: none.
void dj_interrupt_unlink(const char *path);

#endif
