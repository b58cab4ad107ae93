// SPDX-License-Identifier: MIT
// The steps of `deja mrc`: a profile from a trace or a file, and the models on it.
#ifndef DEJA_CLI_VERBS_MRC_H
#define DEJA_CLI_VERBS_MRC_H

#include "cli/options/caches.h"
#include "cli/options/filters.h"
#include "cli/options/forms.h"
#include "cli/options/output.h"
#include "cli/options/reading.h"
#include "cli/options/sizes.h"
#include "report/mrc.h"

typedef struct dj_mrc_options {
    dj_reading reading;
    dj_output_options output;
    dj_cache_options caches;
    dj_filter_options filters;
    const char *sizes;
    const char *threshold;
    uint64_t ways; // 0: none
    int simulate;  // 0: not; else 1 + enum dj_policy
    bool hash_sets;
    dj_form_options form;
} dj_mrc_options;

// Reads a saved profile or measures the trace, with the simulations asked for,
// and parses the sizes. As dj_measure with errors.
int dj_mrc_profile(dj_context *context, const dj_mrc_options *options, const dj_arguments *arguments,
                   dj_sizes *sizes, dj_profile **out);

// Several arguments, all of them saved profiles: their curves are drawn in one chart.
bool dj_mrc_is_of_profiles(const dj_mrc_options *options, const dj_arguments *arguments);
int dj_mrc_print_profiles(dj_context *context, const dj_mrc_options *options, const dj_arguments *arguments);

// Applies the models. `caches` must outlive the report, whose arrays are freed
// with dj_mrc_report_free.
int dj_mrc_apply(dj_context *context, const dj_mrc_options *options, const dj_profile *profile,
                 const dj_sizes *sizes, const dj_caches *caches, dj_mrc_report *out);
void dj_mrc_report_free(dj_mrc_report *report);

#endif
