// SPDX-License-Identifier: MIT
// Shared by the verbs that write traces: their options, and copying a source to a
// file, with a progress line and a closing summary.
#ifndef DEJA_CLI_WRITING_H
#define DEJA_CLI_WRITING_H

#include <deja/source.h>

#include "cli/options/output.h"

typedef struct dj_trace_output {
    dj_output_options output; // --json applies to the closing summary
    const char *format;       // --as; NULL: from the ending of the path
    bool lossy;
    bool partial;
    const char *level; // as typed, or NULL
} dj_trace_output;

// Adds the group "Output".
int dj_trace_output_list(dj_context *context, dj_trace_output *options, dj_groups *groups);

// Copies all of `source` to the file. The closing line goes to standard error; with
// --json it is an object on standard output (standard error if the trace itself goes
// to standard output). After an error there is no file, unless --partial was given
// and the cause was bad input or Ctrl-C. The error is returned in any case.
int dj_trace_output_write(dj_context *context, const dj_trace_output *options, dj_source *source,
                          const char *command_line);

#endif
