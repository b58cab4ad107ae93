// SPDX-License-Identifier: MIT
// From an open trace to a profile, with progress and provenance: what every
// verb that measures does between its options and its report.
#ifndef DEJA_CLI_MEASURE_H
#define DEJA_CLI_MEASURE_H

#include <deja/pipeline.h>

#include "cli/attribute.h"
#include "cli/reading.h"

typedef struct dj_measurement {
    dj_source *source;
    const dj_plan *plan;
    const dj_reading *reading;
    const dj_observer_choice *observers;
    size_t observer_count;
    const uint64_t *blocks; // block sizes; NULL: the plan's alone
    size_t block_count;
    const char *const *inputs; // names, for the provenance
    size_t input_count;
    const char *command_line;
    dj_attribute *attribute; // around `source`; NULL: none
    bool aside;              // one of several at a time: no progress line
    // All has been read, and only names are still to be found; may be NULL.
    void (*after_reading)(void *user);
    void *user;
} dj_measurement;

// Takes the plan's engine, or, when the user named none and it cannot do what
// the observers need, the first that can. Bad input and Ctrl-C return their
// error, and with it a partial profile in *out if anything was read; otherwise
// *out is NULL after an error. A trace without accesses is bad input.
int dj_measure(dj_context *context, const dj_measurement *measurement, dj_profile **out);

#endif
