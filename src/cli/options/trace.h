// SPDX-License-Identifier: MIT
// Options of the verbs that analyze traces: format, blocks and engine. A plan is
// what they mean for a particular trace.
#ifndef DEJA_CLI_OPTIONS_READING_H
#define DEJA_CLI_OPTIONS_READING_H

#include <deja/measure.h>

#include "cli/command.h"
#include "engine/choice.h"

typedef struct dj_trace_options {
    dj_source_options source;
    const char *block; // as typed, or NULL
    bool split, no_split;
    const char *engine;   // as typed, or NULL
    void **engine_values; // options of each registered engine
} dj_trace_options;

// Adds the groups "Trace", "Blocks" and "Engine".
int dj_trace_list(dj_context *context, dj_trace_options *trace, dj_groups *groups);
// Adds only "Blocks" and "Engine", for verbs whose accesses do not come from a trace.
int dj_trace_list_analysis(dj_context *context, dj_trace_options *trace, dj_groups *groups);
// Adds only "Engine", for verbs with their own option for block sizes.
int dj_trace_list_engines(dj_context *context, dj_trace_options *trace, dj_groups *groups);
// Adds only "Trace", for verbs that copy accesses unchanged.
int dj_trace_list_source(dj_context *context, dj_trace_options *trace, dj_groups *groups);

// What the options mean for a particular trace.
typedef struct dj_plan {
    uint64_t block_bytes; // in address units; 1 for keys
    uint64_t size_block;  // for dj_size_to_blocks: block_bytes, or 0 when keys have no size
    dj_engine_preference engine;
} dj_plan;

// Opens all arguments as one trace and makes the plan. DJ_ERR_USAGE without
// arguments, or if an option belongs to an engine that was not selected.
int dj_trace_open(dj_context *context, const dj_trace_options *trace, const dj_arguments *files,
                  dj_source **out, dj_plan *plan);
// The two steps of the above, for verbs that open several traces or none.
int dj_trace_open_source(dj_context *context, const dj_trace_options *trace, const char *const *paths,
                         size_t count, dj_source **out);
int dj_trace_plan(dj_context *context, const dj_trace_options *trace, const dj_source_info *info,
                  dj_plan *plan);

// Copies splitting, engine and inputs into a request. The caller sets the block sizes.
// The option for reading files that was given, for verbs whose arguments may be a program; NULL: none.
const char *dj_trace_given(const dj_trace_options *trace);
void dj_trace_request(const dj_trace_options *trace, const dj_arguments *arguments, dj_request *request);

// A user who forgets '--' names a program, which no format matches. Returns `err`, or fails with that advice.
int dj_trace_suggest_program(dj_context *context, const dj_trace_options *options, const char *path,
                             const char *verb, int err);

#endif
