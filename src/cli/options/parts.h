// SPDX-License-Identifier: MIT
// Analyzing a part of a trace, for 'deja join'.
#ifndef DEJA_CLI_OPTIONS_PARTS_H
#define DEJA_CLI_OPTIONS_PARTS_H

#include <deja/summary.h>

#include "cli/options/attribute.h"
#include "cli/options/output.h"

typedef struct dj_part_options {
    bool summary;
    const char *part; // as typed, or NULL
} dj_part_options;

int dj_parts_list(dj_context *context, dj_part_options *options, dj_groups *groups);
// Refuses options that exclude each other, before any work is done. `form` is an
// option that says how to print, and was given; NULL: none.
int dj_parts_check(dj_context *context, const dj_part_options *options, const dj_attribute_options *attribute,
                   const dj_output_options *output, const char *form, dj_part *out);
// Writes a summary whole, or nothing.
int dj_parts_write(dj_context *context, dj_summary *summary, const dj_output_options *to);
// That a summary does not go to a terminal.
int dj_parts_check_output(dj_context *context, const dj_output_options *output);

#endif
