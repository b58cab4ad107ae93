// SPDX-License-Identifier: MIT
// From an open source to a profile with provenance, after all choices have been made; for requests
// (request.h) and for the recorder within a program.
#ifndef DEJA_MEASURE_MEASURE_H
#define DEJA_MEASURE_MEASURE_H

#include <deja/measure.h>
#include <deja/pipeline.h>

#include "engine/choice.h"
#include "measure/attribute.h"
#include "pipeline/parts/summary.h"

typedef struct dj_measurement {
    dj_source *source;
    dj_engine_preference engine;
    const uint64_t *blocks; // block sizes in address units; 1 for keys
    size_t block_count;
    bool split;
    const char *unit;                    // "block", "key" or "element"
    const dj_observer_choice *observers; // finish after the attribution's observer
    size_t observer_count;
    const dj_filter_choice *filters; // those that pass everything are ignored
    size_t filter_count;
    enum dj_partition partition;       // with observer partitions
    const dj_sharing_request *sharing; // NULL: none
    const char *const *inputs;         // names, for the provenance
    size_t input_count;
    const char *command_line;
    dj_attribute *attribute; // wraps `source`; NULL: none
    dj_source
        *staged; // the accesses of the attribute, which has been read, in another order; NULL: as they come
    bool ahead;  // run the source on a separate thread
    // As in dj_pipeline_config; may be NULL.
    void (*on_progress)(void *user, const dj_progress *progress, uint64_t accesses);
    // Called when everything has been read and only names remain to be resolved; may be NULL.
    void (*after_reading)(void *user);
    // Called after each batch: if it returns true, `keep` gets ownership of a profile of what was read
    // so far. Overrides `ahead`. May be NULL.
    bool (*is_due)(void *user);
    void (*keep)(void *user, dj_profile *profile);
    void *user; // passed to all callbacks
} dj_measurement;

// Like dj_measure_source and dj_measure_part (deja/measure.h). After the latter the attribute must
// exist until the summary has been written.
int dj_measurement_run(dj_context *context, const dj_measurement *measurement, dj_profile **out);
int dj_measurement_run_part(dj_context *context, const dj_measurement *measurement, dj_part part,
                            dj_summary **out);

// The name of the input, for messages.
const char *dj_measurement_name(const dj_measurement *measurement);

#endif
