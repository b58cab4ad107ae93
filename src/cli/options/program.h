// SPDX-License-Identifier: MIT
// Options of the verbs that run a program, and the run itself, with its signals.
#ifndef DEJA_CLI_OPTIONS_PROGRAM_H
#define DEJA_CLI_OPTIONS_PROGRAM_H

#include <deja/session.h>

#include "cli/command.h"
#include "cli/options/attribute.h"
#include "cli/options/caches.h"
#include "cli/options/export.h"
#include "cli/options/output.h"
#include "cli/options/trace.h"

typedef struct dj_program_options {
    int tool; // enum dj_tool
    bool follow;
    bool paused;
} dj_program_options;

// The option that was given, for verbs whose arguments need not be a program; NULL: none.
const char *dj_program_given(const dj_program_options *options);

int dj_program_list(dj_context *context, dj_program_options *options, dj_groups *groups);
// The same for verbs that record the program.
int dj_program_list_recording(dj_context *context, dj_program_options *options, dj_groups *groups);

// The first option given that an annotated program, which analyzes itself, does not support; NULL: none.
const char *dj_program_find_unsupported(const dj_program_options *options,
                                        const dj_attribute_options *attribute, const dj_trace_options *trace,
                                        const dj_cache_options *caches);

// The options as those of a session. The first Ctrl-C goes to the program, SIGUSR1 stops and resumes
// counting, and notes are printed at once. Only one session can exist at a time.
dj_session_options dj_program_session(const dj_program_options *options, const dj_arguments *arguments);

// After a session failed: if the program could not be run or reported nothing, prints the message and
// returns `status`; otherwise returns `err`.
int dj_program_fail(dj_context *context, int err, int status);

typedef struct dj_program {
    dj_session_options session;
    const dj_request *request;
    const dj_output_options *output;
    // Prints the profile of the main process (NULL: none) and the other processes. Not called for JSON.
    int (*print)(dj_context *context, const void *user, const dj_print_request *found, dj_output *output);
    // After the report, with the profile of the main process (NULL: none): an error, or the exit status if
    // the program's is 0. May be NULL.
    int (*judge)(dj_context *context, void *limits, const dj_profile *profile);
    void *limits;
    const void *user;
} dj_program;

// Runs the program to its end, prints the report, and returns the program's exit status or an error.
int dj_program_run(dj_context *context, const dj_program *program);

#endif
