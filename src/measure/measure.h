// SPDX-License-Identifier: MIT
// From an open source to a profile with its provenance: what is done once all is
// settled, for requests (request.h) and for the recorder within a program.
#ifndef DEJA_MEASURE_MEASURE_H
#define DEJA_MEASURE_MEASURE_H

#include <deja/pipeline.h>

#include "engine/choice.h"
#include "measure/attribute.h"
#include "pipeline/parts/summary.h"

typedef struct dj_measurement {
    dj_source *source;
    dj_engine_wish engine;
    const uint64_t *blocks; // block sizes in address units; 1 for keys
    size_t block_count;
    bool split;
    const char *unit;                    // "block", "key" or "element"
    const dj_observer_choice *observers; // they finish after the attribution's own
    size_t observer_count;
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

// As dj_measure_source and dj_measure_part have it (deja/measure.h). After the latter the
// attribute must outlive the writing of the summary.
int dj_measurement_run(dj_context *context, const dj_measurement *measurement, dj_profile **out);
int dj_measurement_run_part(dj_context *context, const dj_measurement *measurement, dj_part part,
                            dj_summary **out);

// What it is of, for messages.
const char *dj_measurement_name(const dj_measurement *measurement);

#endif
