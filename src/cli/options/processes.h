// SPDX-License-Identifier: MIT
// What is printed of the processes of a session.
#ifndef DEJA_CLI_OPTIONS_PROCESSES_H
#define DEJA_CLI_OPTIONS_PROCESSES_H

#include <deja/session.h>

#include <stdio.h>

// Those but the one that stands for the session, as rows of its report; freed with dj_processes_free.
int dj_processes_list(dj_context *context, const dj_session *session, dj_process_row **out, size_t *count);
void dj_processes_free(dj_process_row *rows, size_t count);

// A note, on standard error.
void dj_processes_note(const dj_session_note *note);

// Says on standard error when the main program has no debug information; a
// report that goes elsewhere says so where nobody may look.
void dj_processes_advise(const dj_session *session);

#endif
