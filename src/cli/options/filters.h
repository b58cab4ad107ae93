// SPDX-License-Identifier: MIT
// The options that say which accesses count, of all filters of the registry,
// and --each.
#ifndef DEJA_CLI_OPTIONS_FILTERS_H
#define DEJA_CLI_OPTIONS_FILTERS_H

#include <deja/measure.h>

#include "cli/command.h"

typedef struct dj_filter_options {
    dj_filter_choice *filters; // all of the registry
    int each;                  // enum dj_partition
} dj_filter_options;

enum dj_filters_for {
    DJ_FILTERS_FOR_TRACES,
    DJ_FILTERS_FOR_BLOCKS,   // of several sizes: without --each
    DJ_FILTERS_FOR_PROGRAMS, // that run: what ends before they do would make them wait
};

// Adds the group "Which accesses".
int dj_filters_list(dj_context *context, dj_filter_options *options, dj_groups *groups,
                    enum dj_filters_for what);

// The first of these options that was given, as "--only"; NULL: none.
const char *dj_filters_given(const dj_filter_options *options);
// Likewise, of those that are not for programs.
const char *dj_filters_for_files(const dj_filter_options *options);

// What the source is to tell for them.
void dj_filters_ask(const dj_filter_options *options, dj_source_options *source);
void dj_filters_apply(const dj_filter_options *options, dj_request *request);

#endif
