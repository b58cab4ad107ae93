// SPDX-License-Identifier: MIT
// The result of analyzing a part of a trace: a pipeline that has run with `summarize`, and its
// provenance. It can be saved in a file and joined with adjacent parts later; docs/formats.md specifies
// the file.
#ifndef DEJA_PIPELINE_PARTS_SUMMARY_H
#define DEJA_PIPELINE_PARTS_SUMMARY_H

#include <deja/pipeline.h>
#include <deja/summary.h>

enum { DJ_PART_TEXT = 64 };
// "part 2 of 5", "parts 2-3 of 5".
void dj_part_describe(dj_part part, char text[DJ_PART_TEXT]);

struct dj_summary {
    dj_pipeline *pipeline;
    char *name;               // of the file that it was loaded from or last joined with, for messages
    dj_provenance provenance; // never partial: a part must be complete
    dj_part part;
    uint8_t *names; // with places: what they mean, in the format of src/measure
    size_t name_bytes;
    bool no_bytes;                 // sizes in the trace are not in bytes
    bool numbers_devices;          // as dj_source_info.numbers_devices
    dj_observer_choice *observers; // if loaded: what the pipeline's config points to
    void *observer_data;           // what the observers refer to; may be NULL
    void (*release)(void *observer_data);
};

// From a pipeline that has run to its end. Takes ownership of it, even after an error.
int dj_summary_create(dj_context *context, dj_pipeline *pipeline, dj_part part, dj_summary **out);

// Refuses observers whose state cannot be saved in a file.
int dj_summary_check(dj_context *context, const dj_observer_choice *observers, size_t count);

// Fails if a part is missing.
int dj_summary_check_complete(dj_context *context, const dj_summary *summary);
// The profile without names, as the analysis of the complete trace would produce it; `command` is
// recorded in the provenance.
int dj_summary_finish(dj_context *context, dj_summary *summary, const char *command, dj_profile **out);

#endif
