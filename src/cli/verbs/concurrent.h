// SPDX-License-Identifier: MIT
// Programs whose threads `deja concurrent` measures: they are recorded first.
#ifndef DEJA_CLI_VERBS_CONCURRENT_H
#define DEJA_CLI_VERBS_CONCURRENT_H

#include <deja/measure.h>
#include <deja/session.h>

#include "cli/options/program.h"

typedef struct dj_recorded_options {
    dj_program_options program;
    const char *path; // keeps the recording; NULL: a temporary file
    bool native_speeds;
} dj_recorded_options;

// A program that was recorded.
typedef struct dj_recorded {
    dj_session *session;
    dj_process process;      // the main one
    dj_thread_work *threads; // of it, in the order of their numbers
    size_t thread_count;
    double *speeds; // of each, relative; NULL: unknown
    int status;     // of the program
    bool stopped;   // it was still running
} dj_recorded;

int dj_recorded_list(dj_context *context, dj_recorded_options *options, dj_groups *groups);
// The option that applies only to programs, if one was given; otherwise NULL.
const char *dj_recorded_given(const dj_recorded_options *options);

// Runs and records the program, and prints how much. On failure, sets the status of the verb.
// `not_for_annotations` as in dj_session_options.
int dj_recorded_make(dj_context *context, const dj_recorded_options *options, const dj_arguments *arguments,
                     const char *not_for_annotations, dj_recorded *recorded, int *status);
void dj_recorded_free(dj_recorded *recorded);

// If there is not one speed for each thread, the program has run nevertheless: drops the speeds and says so.
bool dj_recorded_drop_speeds(const dj_recorded *recorded, dj_sharing_request *request);
// Adds the reason to the order that the profile names.
int dj_recorded_mark_speeds(dj_context *context, const char *given, dj_profile *profile);

// Marks the profile of a program that did not run to its end.
int dj_recorded_mark(dj_context *context, const dj_recorded *recorded, dj_provenance *provenance);

#endif
