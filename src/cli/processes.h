// SPDX-License-Identifier: MIT
// What is told of the processes of a run, each a worker whose result is a
// profile, or NULL.
#ifndef DEJA_CLI_PROCESSES_H
#define DEJA_CLI_PROCESSES_H

#include <deja/breakdown.h>

#include <stdio.h>

#include "cli/live.h"

// The one that stands for the run: what the root process ran last. NULL: none.
const dj_worker *dj_processes_main(const dj_outcome *outcome);

// Puts into each profile which program it is of.
void dj_processes_name(const dj_outcome *outcome);

// A line for each process but `shown`.
void dj_processes_print(const dj_outcome *outcome, const dj_worker *shown, FILE *out);

// The profile of the main process as JSON, with the members `process` and
// `processes`, the profiles of all others, each with the lists of these breakdowns (0: of all).
int dj_processes_save(dj_context *context, const dj_outcome *outcome, const enum dj_by *by, size_t by_count,
                      FILE *out);

// Tells on standard error when the main program has no debug information; a
// report that goes elsewhere says so where nobody may look.
void dj_processes_advise(const dj_outcome *outcome);

// Tells on standard error what is wrong with the analyses. Returns the error of
// one that failed for want of memory or the like; a process that was killed is none.
int dj_processes_complain(dj_context *context, const dj_outcome *outcome);

#endif
