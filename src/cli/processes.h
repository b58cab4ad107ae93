// SPDX-License-Identifier: MIT
// What is told of the processes of a run, each a worker whose result is what
// the shelf has kept of it, or NULL.
#ifndef DEJA_CLI_PROCESSES_H
#define DEJA_CLI_PROCESSES_H

#include <deja/report.h>

#include <stdio.h>

#include "base/json_writer.h"
#include "cli/shelf.h"

// Where in the JSON of a run the objects of its processes stand.
enum { DJ_PROCESS_DEPTH = 2 };

// The one that stands for the run: what the root process ran last. NULL: none.
const dj_worker *dj_processes_main(const dj_outcome *outcome);

// The profile of a worker, as long as it is in memory; NULL: none.
dj_profile *dj_processes_profile(const dj_worker *worker);

// Puts into the profile which program it is of.
void dj_processes_name(const dj_worker *worker);

// A line for each process but `shown`.
void dj_processes_print(const dj_outcome *outcome, const dj_worker *shown, FILE *out);

// The profile of the main process as JSON, with the members `process` and
// `processes`, the profiles of all others.
int dj_processes_save(dj_context *context, const dj_outcome *outcome, const dj_shelf *shelf, FILE *out);
// One of the list, from its profile in memory.
int dj_processes_save_one(dj_json_writer *json, dj_context *context, const dj_worker *worker,
                          const dj_json_view *view);

// Tells on standard error when the main program has no debug information; a
// report that goes elsewhere says so where nobody may look.
void dj_processes_advise(const dj_outcome *outcome);

// Tells on standard error what is wrong with the analyses. Returns the error of
// one that failed for want of memory or the like; a process that was killed is none.
int dj_processes_complain(dj_context *context, const dj_outcome *outcome);

#endif
