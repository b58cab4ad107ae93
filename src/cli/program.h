// SPDX-License-Identifier: MIT
// Measuring a program while it runs, as the verbs do that make a profile of it.
#ifndef DEJA_CLI_PROGRAM_H
#define DEJA_CLI_PROGRAM_H

#include <deja/report.h>

#include "cli/attribute.h"
#include "cli/caches.h"
#include "cli/command.h"
#include "cli/live.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "measure/measure.h"

typedef struct dj_program_options {
    int tool; // enum dj_tool
    bool follow;
    bool paused;
} dj_program_options;

int dj_program_list(dj_context *context, dj_program_options *options, dj_groups *groups);

// What the trace of a program will be like, for checks before it runs.
const dj_source_info *dj_program_info(void);

typedef struct dj_program {
    const dj_program_options *options;
    const dj_arguments *arguments;
    const dj_output_options *output;
    const dj_attribute_options *attribute;
    const dj_reading *reading;
    const dj_json_view *json; // how profiles are printed as JSON
    const char *settings;     // lines for the recorder of an annotated program, beside those of the options
    const char *unfit;        // an option that was given and that such a program cannot heed; NULL: none
    // Makes the profile of a process, by a measurement that has all but plan and
    // observers. `places`: of this one also by place, unless the user wants none.
    int (*measure)(dj_context *context, const struct dj_program *program, const dj_measurement *begun,
                   bool places, dj_profile **out);
    // Prints the profile of the main process, but not as JSON.
    int (*print)(dj_context *context, const struct dj_program *program, const dj_profile *profile,
                 dj_output *output);
    bool text; // lines on the other processes follow
    const void *user;
} dj_program;

// Runs the program to its end, prints, and returns its exit status, or an error.
int dj_program_run(dj_context *context, const dj_program *program);

#endif
