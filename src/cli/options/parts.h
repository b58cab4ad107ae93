// SPDX-License-Identifier: MIT
// Options --summary and --part: analyze one part of a trace, for 'deja join'.
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
// Rejects options that cannot be combined, before any work is done. `export` names
// an option for printing that was given; NULL: none.
int dj_parts_check(dj_context *context, const dj_part_options *options, const dj_attribute_options *attribute,
                   const dj_output_options *output, const char *export, dj_part *out);
// Writes a complete summary, or nothing.
int dj_parts_write(dj_context *context, dj_summary *summary, const dj_output_options *to);
// Rejects a terminal as the output of a summary.
int dj_parts_check_output(dj_context *context, const dj_output_options *output);

#endif
