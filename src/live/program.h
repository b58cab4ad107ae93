// SPDX-License-Identifier: MIT
// The program that the user wants to run, and what is needed to run it: found
// and checked beforehand, so that a refusal is a sentence and not a riddle.
#ifndef DEJA_LIVE_PROGRAM_H
#define DEJA_LIVE_PROGRAM_H

#include <deja/error.h>

// Exit statuses as env(1), timeout(1) and others have them.
enum { DJ_STATUS_FAILED = 125, DJ_STATUS_NOT_EXECUTABLE = 126, DJ_STATUS_NOT_FOUND = 127 };

// What `name` leads to, as execvp would find it; to be freed. On failure
// *status is one of the above.
int dj_program_find(dj_context *context, const char *name, char **path, int *status);
// Whether the tracer can run it: 64-bit x86 and not set-user-ID, or a script.
int dj_program_check(dj_context *context, const char *path, int *status);

// Whether TMPDIR, where it is set, is a folder to write to.
int dj_program_check_room(dj_context *context);

// The valgrind that starts the tracer, and the folder with the tracer; to be freed.
int dj_program_find_valgrind(dj_context *context, char **path);
int dj_program_find_tracer(dj_context *context, char **folder);

#endif
