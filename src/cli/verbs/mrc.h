// SPDX-License-Identifier: MIT
// The steps of `deja mrc`: get a profile from a trace or a file, then apply the models.
#ifndef DEJA_CLI_VERBS_MRC_H
#define DEJA_CLI_VERBS_MRC_H

#include "cli/options/caches.h"
#include "cli/options/export.h"
#include "cli/options/fail_if.h"
#include "cli/options/filters.h"
#include "cli/options/output.h"
#include "cli/options/sizes.h"
#include "cli/options/trace.h"
#include "cli/options/windows.h"
#include "report/mrc.h"

typedef struct dj_mrc_options {
    dj_trace_options trace;
    dj_output_options output;
    dj_cache_options caches;
    dj_filter_options filters;
    const char *sizes;
    const char *threshold;
    dj_fail_if fail_if;
    uint64_t ways; // 0: none
    int simulate;  // 0: none; otherwise 1 + enum dj_policy
    bool hash_sets;
    const char *follow; // seconds between reports, as typed; "": the default; NULL: no
    dj_windows_choice windows;
    dj_export_options export;
} dj_mrc_options;

// Loads a saved profile or measures the trace, with the requested simulations, and
// parses the sizes. Like dj_measure, it may return both an error and a partial profile.
int dj_mrc_profile(dj_context *context, const dj_mrc_options *options, const dj_arguments *arguments,
                   dj_sizes *sizes, dj_profile **out);

// Whether there are several arguments, all of them saved profiles: their curves go into one chart.
int dj_mrc_is_of_profiles(dj_context *context, const dj_mrc_options *options, const dj_arguments *arguments,
                          bool *out);
int dj_mrc_print_profiles(dj_context *context, const dj_mrc_options *options, const dj_arguments *arguments);

// Follows a trace that grows, and prints reports until it ends or the user interrupts.
int dj_mrc_follow(dj_context *context, dj_mrc_options *options, const dj_arguments *arguments);

// Applies the models. `caches` must outlive the report. Free its arrays with
// dj_mrc_report_free.
int dj_mrc_apply(dj_context *context, const dj_mrc_options *options, const dj_profile *profile,
                 const dj_sizes *sizes, const dj_caches *caches, dj_mrc_report *out);
void dj_mrc_report_free(dj_mrc_report *report);

#endif
