// SPDX-License-Identifier: MIT
// What the verbs that write traces share: their options, and the way from a
// source to a file, with progress and a closing line.
#ifndef DEJA_CLI_WRITING_H
#define DEJA_CLI_WRITING_H

#include <deja/source.h>

#include "cli/options/output.h"

typedef struct dj_writing {
    dj_output_options output; // --json is for the summary
    const char *format;       // --as; NULL: by the ending of the file's name
    bool lossy;
    bool partial;
    const char *level; // as typed, or NULL
} dj_writing;

// Adds the group "Output".
int dj_writing_list(dj_context *context, dj_writing *writing, dj_groups *groups);

// Copies all of `source` to the file. The closing line goes to standard error,
// with --json an object to standard output instead (to standard error when the
// trace goes there). After an error the file is not there, unless --partial
// was given and the error is bad input or Ctrl-C; it is returned in any case.
int dj_writing_run(dj_context *context, const dj_writing *writing, dj_source *source,
                   const char *command_line);

#endif
