// SPDX-License-Identifier: MIT
// The program to run, and what is needed to run it: found and checked beforehand, so that a refusal explains
// itself.
#ifndef DEJA_LIVE_PROGRAM_H
#define DEJA_LIVE_PROGRAM_H

#include <deja/error.h>

// Exit statuses as used by env(1), timeout(1) and others.
enum { DJ_STATUS_FAILED = 125, DJ_STATUS_NOT_EXECUTABLE = 126, DJ_STATUS_NOT_FOUND = 127 };

// The file that execvp would find for `name`; the caller frees it. On failure *status is one of the above.
int dj_program_find(dj_context *context, const char *name, char **path, int *status);
// Fails unless the tracer can run it: 64-bit x86 and not set-user-ID, or a script.
int dj_program_check(dj_context *context, const char *path, int *status);

// Fails if Valgrind could not start: TMPDIR is set and is not a writable folder, or too few files may be
// open.
int dj_program_check_valgrind(dj_context *context);

// The valgrind executable that starts the tracer, and the folder with the tracer; the caller frees them.
int dj_program_find_valgrind(dj_context *context, char **path);
int dj_program_find_tracer(dj_context *context, char **folder);

#endif
