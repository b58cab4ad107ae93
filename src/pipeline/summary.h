// SPDX-License-Identifier: MIT
// A part of a trace that was analyzed by itself: a pipeline that has run with
// `summarize`, and what the profile is to say of where it came from. Kept in a
// file, and joined with its neighbours on another day; docs/formats.md has the
// file.
#ifndef DEJA_PIPELINE_SUMMARY_H
#define DEJA_PIPELINE_SUMMARY_H

#include <deja/pipeline.h>

// Which part of how many, or several that were joined: 2-3 of 5.
typedef struct dj_part {
    uint64_t first, last; // from 1 on
    uint64_t of;          // 0: the parts are not numbered, and joined as they are given
} dj_part;

#define DJ_PARTS_MOST UINT32_MAX

enum { DJ_PART_TEXT = 64 };
// "part 2 of 5", "parts 2-3 of 5".
void dj_part_describe(dj_part part, char text[DJ_PART_TEXT]);

typedef struct dj_summary {
    dj_pipeline *pipeline;
    char *name;               // of the file that it is from or was joined with last, for messages
    dj_provenance provenance; // but for what ends early: a part is whole
    dj_part part;
    uint8_t *names; // with places: what they stand for, as src/measure keeps it
    size_t name_bytes;
    bool no_bytes;                 // sizes in the trace are not in bytes
    bool numbers_devices;          // as dj_source_info has it
    dj_observer_choice *observers; // when it was loaded: what the pipeline's config points to
} dj_summary;

// Of a pipeline that has run, and was not given up, which it takes over in any case.
int dj_summary_create(dj_context *context, dj_pipeline *pipeline, dj_part part, dj_summary **out);
void dj_summary_destroy(dj_summary *summary);

// Refuses observers whose state cannot be kept in a file.
int dj_summary_check(dj_context *context, const dj_observer_choice *observers, size_t count);

// The pipeline cannot run on after it.
int dj_summary_save(dj_context *context, dj_summary *summary, FILE *to);
// What is not such a file, or damaged, is DJ_ERR_INPUT.
int dj_summary_load(dj_context *context, FILE *from, const char *name, dj_summary **out);

// Joins what follows at once. Parts that do not fit together are DJ_ERR_INPUT,
// with which they are, why, and what to do. Destroy `later` afterwards, and
// after an error both.
int dj_summary_join(dj_context *context, dj_summary *summary, dj_summary *later);

// That nothing is missing.
int dj_summary_check_whole(dj_context *context, const dj_summary *summary);
// The profile, as the analysis of all parts in one would make it; `command` goes into its provenance.
int dj_summary_finish(dj_context *context, dj_summary *summary, const char *command, dj_profile **out);

#endif
