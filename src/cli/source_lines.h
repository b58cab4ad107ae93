// SPDX-License-Identifier: MIT
// Single lines of the source files that a report names. Reads each file once.
#ifndef DEJA_CLI_SOURCE_LINES_H
#define DEJA_CLI_SOURCE_LINES_H

#include <deja/report.h>

#include <time.h>

#include "cli/source_text.h"

typedef struct dj_source_lines {
    dj_context *context;
    dj_source_scope scope;
    time_t created; // when the profile was created; newer files are ignored; 0: unknown
    int err;        // the first file that could not be read for lack of memory or descriptors
    // Private to source_lines.c.
    struct dj_source_entry *files;
    size_t count;
} dj_source_lines;

// For dj_spatial_view.source, with the lines as its state.
const char *dj_source_lines_get(void *lines, const char *file, uint32_t line);
// A note on standard error if lines were left out because their files are in no folder that may be read.
void dj_source_lines_note(const dj_source_lines *lines);
void dj_source_lines_close(dj_source_lines *lines);

#endif
