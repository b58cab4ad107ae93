// SPDX-License-Identifier: MIT
// Options that select accesses: those of all registered filters, and --each.
#ifndef DEJA_CLI_OPTIONS_FILTERS_H
#define DEJA_CLI_OPTIONS_FILTERS_H

#include <deja/measure.h>

#include "cli/command.h"

typedef struct dj_filter_options {
    dj_filter_choice *filters; // one for each registered filter
    int each;                  // enum dj_partition
} dj_filter_options;

enum dj_filters_for {
    DJ_FILTERS_FOR_TRACES,
    DJ_FILTERS_FOR_BLOCKS, // several block sizes: no --each, and none that samples blocks
    // Running programs: no filter that ends early, since the program would block, and not the options of the
    // one that samples blocks, which are among those of bursts.
    DJ_FILTERS_FOR_PROGRAMS,
};

// Adds the group "Selection of accesses".
int dj_filters_list(dj_context *context, dj_filter_options *options, dj_groups *groups,
                    enum dj_filters_for what);

// The first of these options that was given, such as "--only"; NULL: none.
const char *dj_filters_given(const dj_filter_options *options);
// The same, for the options that do not apply to programs.
const char *dj_filters_for_files(const dj_filter_options *options);

// Whether one of them limits the memory of the analysis.
bool dj_filters_in_fixed_memory(const dj_filter_options *options);
// An option that leaves out accesses or divides them, so that no cache can be simulated; NULL: none.
const char *dj_filters_divide(const dj_filter_options *options);

// Uses the filter that samples blocks, as if its options --sample and --sample-seed had been given.
void dj_filters_sample_blocks(dj_filter_options *options, const char *rate, uint64_t seed);

// Makes the source deliver what the selected filters need.
void dj_filters_require(const dj_filter_options *options, dj_source_options *source);
void dj_filters_apply(const dj_filter_options *options, dj_request *request);

#endif
