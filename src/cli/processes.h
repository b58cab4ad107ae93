// SPDX-License-Identifier: MIT
// What is printed of the processes of a session.
#ifndef DEJA_CLI_PROCESSES_H
#define DEJA_CLI_PROCESSES_H

#include <deja/session.h>

#include <stdio.h>

// A line for each process but the main one.
void dj_processes_print(const dj_session *session, FILE *out);

// A note, on standard error.
void dj_processes_note(const dj_session_note *note);

// Says on standard error when the main program has no debug information; a
// report that goes elsewhere says so where nobody may look.
void dj_processes_advise(const dj_session *session);

#endif
