// SPDX-License-Identifier: MIT
// The sections of a page: each is a value with a table of its fields, as in a profile (deja/section.h). It is
// written in columns, deflated and in base64, into an element of its own. The index of the page has the
// layout of each, from its table, so that the page needs no other description of it.
#ifndef DEJA_VIEW_SECTIONS_H
#define DEJA_VIEW_SECTIONS_H

#include <deja/section.h>

#include <stdio.h>

#include "base/json/writer.h"
#include "base/text_stream.h"

enum { DJ_VIEW_FORMAT = 1, DJ_VIEW_VERSION = 1 }; // of the index, and of the sections that only pages have

struct dj_view_matches;

typedef struct dj_view_sections {
    dj_context *context;
    FILE *out;
    struct dj_view_matches *matches; // of a comparison; NULL: there is one profile
    unsigned profile;                // number of the one that sections belong to: 0, or 1 for the second one
    unsigned count;                  // sections so far
    const dj_field **layouts;        // of each; equal ones are in the index once
    size_t capacity;
    dj_text_stream index;
    dj_json_writer json; // of the index
} dj_view_sections;

// Sections are written to `out` as they are added. The structure must stay where it is until it has ended.
int dj_view_begin(dj_view_sections *sections, dj_context *context, FILE *out);
// `lane`: 0 for a section of the profile, otherwise 1 + the number of the lane.
int dj_view_add(dj_view_sections *sections, const char *name, unsigned version, unsigned lane,
                const dj_field *fields, const void *value);
// Writes the index, unless `err`, and frees what it took. Returns `err`, or its own.
int dj_view_end(dj_view_sections *sections, int err);

// The fields of a table as a list: what a reader of their columns must know.
void dj_view_layout(dj_json_writer *json, const char *key, const dj_field *fields);

#endif
