// SPDX-License-Identifier: MIT
// Shared by the files of `deja spatial`.
#ifndef DEJA_CLI_VERBS_SPATIAL_H
#define DEJA_CLI_VERBS_SPATIAL_H

#include <deja/observer_options.h>
#include <deja/report.h>

#include "cli/options/attribute.h"
#include "cli/options/bursts.h"
#include "cli/options/caches.h"
#include "cli/options/export.h"
#include "cli/options/filters.h"
#include "cli/options/output.h"
#include "cli/options/parts.h"
#include "cli/options/program.h"
#include "cli/options/trace.h"
#include "cli/saved_profile.h"

typedef struct dj_spatial_verb {
    dj_trace_options trace;
    dj_program_options program;
    dj_attribute_options attribute;
    dj_cache_options caches;
    dj_saved_profile_options saved;
    dj_output_options output;
    dj_part_options parts;
    dj_filter_options filters;
    dj_burst_options bursts;
    const char *blocks, *pair, *residency, *size; // as typed, or NULL
    const char *cache;                            // name, or NULL
    const char *source;                           // folders, or NULL
    uint64_t near_blocks;
    double good;
    bool context;
    dj_export_options export;
    // Derived from these.
    enum dj_by by[DJ_BY_COUNT];
    dj_spatial_view view;
    dj_part part;
} dj_spatial_verb;

enum { DJ_BLOCKS_MOST = 32 };

// What to measure. The request points into it, so it must not be moved.
typedef struct dj_spatial_plan {
    dj_plan plan;
    uint64_t blocks[DJ_BLOCKS_MOST];
    uint64_t element_blocks[DJ_BLOCKS_MOST]; // for an annotated program
    dj_request_caches caches;
    dj_spatial_request spatial;
    dj_burst_request bursts;
    dj_request request;
} dj_spatial_plan;

// An option that needs all accesses, as those of --sample do not show; NULL: none.
const char *dj_spatial_find_unfit(const dj_spatial_verb *o);

// Parses --blocks (NULL: the default for this kind of trace): at least two sizes, each twice the previous
// one.
int dj_spatial_blocks(dj_context *context, const char *text, const dj_source_info *info, uint64_t *blocks,
                      size_t *count);

// Also checks that the profile will contain the pair and the cache that the view names.
int dj_spatial_plan_make(dj_context *context, const dj_spatial_verb *o, const dj_source_info *info,
                         const dj_arguments *arguments, dj_spatial_plan *out);

// Each prints the report. If reading a trace fails, prints a partial report and returns the error.
int dj_spatial_report_saved(dj_context *context, const dj_spatial_verb *o, const char *path);
int dj_spatial_report_trace(dj_context *context, const dj_spatial_verb *o, const dj_arguments *arguments);
// Returns the exit status of the program.
int dj_spatial_report_program(dj_context *context, dj_spatial_verb *o, const dj_arguments *arguments);

#endif
