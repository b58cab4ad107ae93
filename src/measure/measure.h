// SPDX-License-Identifier: MIT
// From an open source to a profile with its provenance: what is done between
// options and report, by the verbs that measure and by the recorder within a program.
#ifndef DEJA_MEASURE_H
#define DEJA_MEASURE_H

#include <deja/pipeline.h>

#include "measure/attribute.h"
#include "pipeline/summary.h"

// What to run: the options, with defaults from the trace.
typedef struct dj_plan {
    uint64_t block_bytes; // of a block, in address units; 1 for keys
    uint64_t size_block;  // for dj_size_to_blocks: block_bytes, or 0 when keys have no size
    bool split;
    const char *unit; // "block", "key" or "element"
    const dj_engine_ops *engine;
    const void *engine_options;
    bool engine_named; // by the user: it is this one or none
    uint64_t threads;  // that the user wants; 0: as many as are good
    void *const
        *engine_options_of; // of each engine of the registry, should another be needed; NULL: defaults
} dj_plan;

typedef struct dj_measurement {
    dj_source *source;
    const dj_plan *plan;
    const dj_observer_choice *observers; // they finish after the attribution's own
    size_t observer_count;
    const uint64_t *blocks; // block sizes; NULL: the plan's alone
    size_t block_count;
    const dj_filter_choice *filters; // of which those that let all through are left out
    size_t filter_count;
    enum dj_partition partition; // with observer partitions
    const char *const *inputs;   // names, for the provenance
    size_t input_count;
    const char *command_line;
    dj_attribute *attribute; // around `source`; NULL: none
    bool ahead;              // the source is worth a thread of its own
    // As in dj_pipeline_config; may be NULL.
    void (*on_progress)(void *user, const dj_progress *progress, uint64_t accesses);
    // All has been read, and only names are still to be found; may be NULL.
    void (*after_reading)(void *user);
    // Asked after each batch: whether to make a profile of what was read so far,
    // and who takes it over. With it `ahead` does not count. May be NULL.
    bool (*is_due)(void *user);
    void (*keep)(void *user, dj_profile *profile);
    void *user; // of all
} dj_measurement;

// Takes the plan's engine, or, when the user named none and it cannot do what
// the observers need, the first that can. Bad input and Ctrl-C return their
// error, and with it a partial profile in *out if anything was read; otherwise
// *out is NULL after an error. A trace without accesses is bad input.
int dj_measure(dj_context *context, const dj_measurement *measurement, dj_profile **out);

// The same for a part of a trace, which may be without accesses. It must be whole:
// after bad input and Ctrl-C there is none. The attribute must outlive the writing of it.
int dj_measure_part(dj_context *context, const dj_measurement *measurement, dj_part part, dj_summary **out);

#endif
