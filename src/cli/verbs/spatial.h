// SPDX-License-Identifier: MIT
// What the parts of `deja spatial` share.
#ifndef DEJA_CLI_VERBS_SPATIAL_H
#define DEJA_CLI_VERBS_SPATIAL_H

#include <deja/observer_options.h>
#include <deja/report.h>

#include "cli/options/attribute.h"
#include "cli/options/caches.h"
#include "cli/options/filters.h"
#include "cli/options/forms.h"
#include "cli/options/output.h"
#include "cli/options/parts.h"
#include "cli/options/program.h"
#include "cli/options/reading.h"
#include "cli/saved.h"

typedef struct dj_spatial_choice {
    dj_reading reading;
    dj_program_options program;
    dj_attribute_options attribute;
    dj_cache_options caches;
    dj_saved_options saved;
    dj_output_options output;
    dj_part_options parts;
    dj_filter_options filters;
    const char *blocks, *pair, *residency, *size; // as typed, or NULL
    const char *cache;                            // name, or NULL
    uint64_t near_blocks;
    double good;
    bool context;
    dj_form_options form;
    // What these come to.
    enum dj_by by[DJ_BY_COUNT];
    dj_spatial_view view;
    dj_part part;
} dj_spatial_choice;

enum { DJ_BLOCKS_MOST = 32 };

// What to measure. The request points into it: it must stay where it is.
typedef struct dj_spatial_plan {
    dj_plan plan;
    uint64_t blocks[DJ_BLOCKS_MOST];
    uint64_t element_blocks[DJ_BLOCKS_MOST]; // of a program that analyzes itself
    dj_request_caches caches;
    dj_spatial_request spatial;
    dj_request request;
} dj_spatial_plan;

// Reads --blocks (NULL: the default for such a trace): at least two sizes, each twice the one before.
int dj_spatial_blocks(dj_context *context, const char *text, const dj_source_info *info, uint64_t *blocks,
                      size_t *count);

// Also tells whether the trace will have the pair and the cache that the view names.
int dj_spatial_plan_make(dj_context *context, const dj_spatial_choice *o, const dj_source_info *info,
                         const dj_arguments *arguments, dj_spatial_plan *out);

// Each prints the report. Of a trace that was read in part a partial one, before the error is returned.
int dj_spatial_report_saved(dj_context *context, const dj_spatial_choice *o, const char *path);
int dj_spatial_report_trace(dj_context *context, const dj_spatial_choice *o, const dj_arguments *arguments);
// Returns the status of the program.
int dj_spatial_report_program(dj_context *context, dj_spatial_choice *o, const dj_arguments *arguments);

#endif
