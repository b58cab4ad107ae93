// SPDX-License-Identifier: MIT
// The options that all verbs which read traces share, and what they come to
// for a trace at hand.
#ifndef DEJA_CLI_OPTIONS_READING_H
#define DEJA_CLI_OPTIONS_READING_H

#include <deja/measure.h>

#include "cli/command.h"
#include "engine/choice.h"

typedef struct dj_reading {
    dj_source_options source;
    const char *block; // as typed, or NULL
    bool split, no_split;
    const char *engine;   // as typed, or NULL
    void **engine_values; // options of each engine of the registry
} dj_reading;

// Adds the groups "Trace" and "Engine".
int dj_reading_list(dj_context *context, dj_reading *reading, dj_groups *groups);
// Only the groups "Blocks" and "Engine", for verbs whose accesses come from elsewhere.
int dj_reading_list_analysis(dj_context *context, dj_reading *reading, dj_groups *groups);
// Only "Engine", for verbs with block sizes of their own.
int dj_reading_list_engines(dj_context *context, dj_reading *reading, dj_groups *groups);
// Only the group "Trace" without block and split, for verbs that copy accesses as they are.
int dj_reading_list_source(dj_context *context, dj_reading *reading, dj_groups *groups);

// What the options come to for a trace at hand.
typedef struct dj_plan {
    uint64_t block_bytes; // in address units; 1 for keys
    uint64_t size_block;  // for dj_size_to_blocks: block_bytes, or 0 when keys have no size
    dj_engine_wish engine;
} dj_plan;

// Opens all arguments as one trace and settles the plan. Without arguments, or
// with an option of an engine that was not chosen, DJ_ERR_USAGE.
int dj_reading_open(dj_context *context, const dj_reading *reading, const dj_arguments *files,
                    dj_source **out, dj_plan *plan);
// The steps of the above alone, for verbs that open several traces or none.
int dj_reading_open_source(dj_context *context, const dj_reading *reading, const char *const *paths,
                           size_t count, dj_source **out);
int dj_reading_plan(dj_context *context, const dj_reading *reading, const dj_source_info *info,
                    dj_plan *plan);

// Puts into a request what the options say of splitting and engine, and what the arguments
// are. Block sizes are left to the caller.
void dj_reading_request(const dj_reading *reading, const dj_arguments *arguments, dj_request *request);

#endif
