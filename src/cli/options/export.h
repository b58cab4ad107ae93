// SPDX-License-Identifier: MIT
// The option --export, and printing in the format that it selects: the format of
// a renderer or, for profiles with code and data, of another tool.
#ifndef DEJA_CLI_OPTIONS_FORMS_H
#define DEJA_CLI_OPTIONS_FORMS_H

#include <deja/render.h>
#include <deja/report.h>

#include "cli/command.h"
#include "cli/options/caches.h"
#include "cli/options/output.h"
#include "model/short_names.h"

typedef struct dj_export_options {
    int format;         // index into the renderers, then callgrind and folded; 0: text
    const char *weight; // of folded stacks; NULL: the default
    uint64_t top;       // rows of a table in text; 0: the default
    bool advice;        // with its evidence
    bool full_names;    // with template arguments and parameters
    int sort;           // enum dj_sort
    const char *own;    // the folder of the user's own code; NULL: the sources of the executable
} dj_export_options;

enum dj_sort { DJ_SORT_MISSES, DJ_SORT_TIME };

enum {
    DJ_EXPORT_TOP = 1,   // --top
    DJ_EXPORT_TOOLS = 2, // callgrind and folded, with --weight: the profile may contain code and data; --sort
    DJ_EXPORT_NAMES = 4, // --full-names
};

// `which` combines bits of the above. `csv` completes "csv contains …" in the help.
int dj_export_list(dj_context *context, dj_export_options *options, unsigned which, const char *csv,
                   dj_groups *groups);
// Rejects options that cannot be combined, before any work is done.
int dj_export_check(dj_context *context, const dj_export_options *options, const dj_output_options *output);

bool dj_export_is_for_tool(const dj_export_options *options); // callgrind or folded
// The selected renderer; text for the formats of other tools.
const dj_renderer *dj_export_renderer(const dj_export_options *options);

// Names of functions and data for people, short unless --full-names was given; in csv and for other tools
// they are complete. End them when the document has been made.
int dj_export_names(dj_context *context, const dj_export_options *options, const dj_profile *profile,
                    dj_short_names **out);

// The costs by which --sort time estimates time, in *storage; NULL without it.
int dj_export_costs(dj_context *context, const dj_export_options *options, dj_machine_costs *storage,
                    const dj_machine_costs **out);

// Writes a document to `output`, which stays open. `from` may be NULL.
int dj_export_render(dj_context *context, const dj_export_options *options, const dj_document *document,
                     const dj_provenance *from, const dj_output *output);

// What to print of a profile, and how.
typedef struct dj_print_request {
    const dj_profile *profile;
    const enum dj_by *by; // breakdowns of text and CSV
    size_t by_count;
    const dj_cache_options *caches;
    enum dj_binning binning;
    uint64_t bin_width;
    const dj_process_row *others; // the other processes of the session
    size_t other_count;
} dj_print_request;

// Prints to `output`, which stays open.
int dj_export_print(dj_context *context, const dj_export_options *options, const dj_print_request *what,
                    dj_output *output);
// Opens the output, prints and closes it.
int dj_export_output(dj_context *context, const dj_export_options *options, const dj_print_request *what,
                     const dj_output_options *to);

#endif
