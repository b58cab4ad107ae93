// SPDX-License-Identifier: MIT
// Prints the processes of a session.
#ifndef DEJA_CLI_OPTIONS_PROCESSES_H
#define DEJA_CLI_OPTIONS_PROCESSES_H

#include <deja/session.h>

#include <stdio.h>

// All processes but the main one, as rows of its report. Freed with dj_processes_free.
int dj_processes_list(dj_context *context, const dj_session *session, dj_process_row **out, size_t *count);
void dj_processes_free(dj_process_row *rows, size_t count);

// Prints a note to standard error.
void dj_processes_note(const dj_session_note *note);
// All that were not printed at once.
void dj_processes_notes(const dj_session *session);

#endif
