// SPDX-License-Identifier: MIT
// A part of a trace that was analyzed by itself: a pipeline that has run with
// `summarize`, and what the profile is to say of where it came from. Kept in a
// file, and joined with its neighbours on another day; docs/formats.md has the
// file.
#ifndef DEJA_PIPELINE_PARTS_SUMMARY_H
#define DEJA_PIPELINE_PARTS_SUMMARY_H

#include <deja/pipeline.h>
#include <deja/summary.h>

enum { DJ_PART_TEXT = 64 };
// "part 2 of 5", "parts 2-3 of 5".
void dj_part_describe(dj_part part, char text[DJ_PART_TEXT]);

struct dj_summary {
    dj_pipeline *pipeline;
    char *name;               // of the file that it is from or was joined with last, for messages
    dj_provenance provenance; // but for what ends early: a part is whole
    dj_part part;
    uint8_t *names; // with places: what they stand for, as src/measure keeps it
    size_t name_bytes;
    bool no_bytes;                 // sizes in the trace are not in bytes
    bool numbers_devices;          // as dj_source_info has it
    dj_observer_choice *observers; // when it was loaded: what the pipeline's config points to
    void *kept;                    // what the observers refer to; NULL: nothing
    void (*release)(void *kept);
};

// Of a pipeline that has run, and was not given up, which it takes over in any case.
int dj_summary_create(dj_context *context, dj_pipeline *pipeline, dj_part part, dj_summary **out);

// Refuses observers whose state cannot be kept in a file.
int dj_summary_check(dj_context *context, const dj_observer_choice *observers, size_t count);

// That nothing is missing.
int dj_summary_check_whole(dj_context *context, const dj_summary *summary);
// The profile but for names, as the analysis of all parts in one would make it; `command` goes into its
// provenance.
int dj_summary_finish(dj_context *context, dj_summary *summary, const char *command, dj_profile **out);

#endif
