// SPDX-License-Identifier: MIT
// The forms in which the verbs that have a profile print it.
#ifndef DEJA_CLI_FORMS_H
#define DEJA_CLI_FORMS_H

#include <deja/report.h>

#include "cli/caches.h"
#include "cli/command.h"
#include "cli/output.h"

enum dj_form { DJ_FORM_TEXT, DJ_FORM_CSV, DJ_FORM_CALLGRIND, DJ_FORM_FOLDED };

typedef struct dj_form_options {
    int form;           // enum dj_form
    const char *weight; // of folded stacks, or NULL
    uint64_t top;       // rows of a table in text; 0: as many as is usual
} dj_form_options;

int dj_forms_list(dj_context *context, dj_form_options *options, dj_groups *groups);
// Refuses options that exclude each other, before any work is done.
int dj_forms_check(dj_context *context, const dj_form_options *options, const dj_output_options *output);

// What is printed, and how.
typedef struct dj_printing {
    const dj_profile *profile;
    const enum dj_by *by; // breakdowns of text and CSV
    size_t by_count;
    const dj_cache_options *caches;
    enum dj_binning binning;
    uint64_t bin_width;
} dj_printing;

// Prints to an output that is open and stays so.
int dj_forms_print(dj_context *context, const dj_form_options *options, const dj_printing *what,
                   dj_output *output);
// Opens the output, prints and closes it.
int dj_forms_output(dj_context *context, const dj_form_options *options, const dj_printing *what,
                    const dj_output_options *to);

#endif
