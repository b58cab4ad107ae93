// SPDX-License-Identifier: MIT
// The forms in which results are printed: those of the renderers, and, of
// profiles that know code and data, those of other tools.
#ifndef DEJA_CLI_OPTIONS_FORMS_H
#define DEJA_CLI_OPTIONS_FORMS_H

#include <deja/render.h>
#include <deja/report.h>

#include "cli/command.h"
#include "cli/options/caches.h"
#include "cli/options/output.h"

typedef struct dj_form_options {
    int form;           // index into the renderers, then callgrind and folded; 0: text
    const char *weight; // of folded stacks, or NULL
    uint64_t top;       // rows of a table in text; 0: as many as is usual
} dj_form_options;

enum {
    DJ_FORMS_TOP = 1,  // tables have a number of rows
    DJ_FORMS_CODE = 2, // there may be code and data: callgrind and folded, with --weight
};

// `which` of the above. `csv` says in words what a table of this verb has.
int dj_forms_list(dj_context *context, dj_form_options *options, unsigned which, const char *csv,
                  dj_groups *groups);
// Refuses options that exclude each other, before any work is done.
int dj_forms_check(dj_context *context, const dj_form_options *options, const dj_output_options *output);

bool dj_forms_is_of_code(const dj_form_options *options); // callgrind or folded
// The renderer that was chosen; text for the forms of other tools.
const dj_renderer *dj_forms_renderer(const dj_form_options *options);

// Writes a document to an output that is open and stays so. `from` may be NULL.
int dj_forms_render(dj_context *context, const dj_form_options *options, const dj_document *document,
                    const dj_provenance *from, const dj_output *output);

// What is printed of a profile, and how.
typedef struct dj_printing {
    const dj_profile *profile;
    const enum dj_by *by; // breakdowns of text and CSV
    size_t by_count;
    const dj_cache_options *caches;
    enum dj_binning binning;
    uint64_t bin_width;
    const dj_process_row *others; // processes beside it
    size_t other_count;
} dj_printing;

// Prints to an output that is open and stays so.
int dj_forms_print(dj_context *context, const dj_form_options *options, const dj_printing *what,
                   dj_output *output);
// Opens the output, prints and closes it.
int dj_forms_output(dj_context *context, const dj_form_options *options, const dj_printing *what,
                    const dj_output_options *to);

#endif
