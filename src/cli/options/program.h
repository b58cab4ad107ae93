// SPDX-License-Identifier: MIT
// Running a program, for the verbs that do: their options, and who gets Ctrl-C.
#ifndef DEJA_CLI_OPTIONS_PROGRAM_H
#define DEJA_CLI_OPTIONS_PROGRAM_H

#include <deja/session.h>

#include "cli/command.h"
#include "cli/options/attribute.h"
#include "cli/options/caches.h"
#include "cli/options/forms.h"
#include "cli/options/output.h"
#include "cli/options/reading.h"

typedef struct dj_program_options {
    int tool; // enum dj_tool
    bool follow;
    bool paused;
} dj_program_options;

int dj_program_list(dj_context *context, dj_program_options *options, dj_groups *groups);

// An option among these that means nothing to a program that analyzes itself; NULL: none.
const char *dj_program_find_unfit(const dj_program_options *options, const dj_attribute_options *attribute,
                                  const dj_reading *reading, const dj_cache_options *caches);

// What the options say of the session. The first Ctrl-C is the program's, SIGUSR1 starts and stops
// counting, and notes are printed as they come. For one session at a time.
dj_session_options dj_program_session(const dj_program_options *options, const dj_arguments *arguments);

// After an error of a session: a program that could not be run, or told nothing, has a status of its own,
// which is returned once the message is printed.
int dj_program_fail(dj_context *context, int err, int status);

typedef struct dj_program {
    dj_session_options session;
    const dj_request *request;
    const dj_output_options *output;
    // Prints the profile of the main process, NULL when there is none, and the other processes; not as JSON.
    int (*print)(dj_context *context, const void *user, const dj_printing *found, dj_output *output);
    const void *user;
} dj_program;

// Runs the program to its end, prints, and returns its exit status, or an error.
int dj_program_run(dj_context *context, const dj_program *program);

#endif
