// SPDX-License-Identifier: MIT
// Pages: a profile, or two that are compared, as one HTML file for browsers (docs/view.md). What it shows is
// computed here by the models; what it draws is in the template, which is built from viewer/.
#ifndef DEJA_VIEW_VIEW_H
#define DEJA_VIEW_VIEW_H

#include <deja/report.h>
#include <deja/stall.h>

#include <stdio.h>

enum { DJ_VIEW_PROFILES = 2 };

// The text of a source file. `text` NULL: it is left out, for this reason.
typedef struct dj_view_source {
    char *text; // for free()
    size_t lines;
    const char *reason;
    bool newer; // than the profile
} dj_view_source;

typedef struct dj_view_request {
    dj_profile *profiles[DJ_VIEW_PROFILES]; // the second may be NULL. Their texts are made plain
    const char *names[DJ_VIEW_PROFILES];
    const dj_report_mark *caches[DJ_VIEW_PROFILES]; // for profiles that were not measured with any
    size_t cache_counts[DJ_VIEW_PROFILES];
    const dj_machine_costs *costs; // of which times are estimated; NULL: they are not
    // Reads the file with this name in a profile (0 or 1). Fails only if memory runs out. NULL: no sources.
    int (*read)(void *state, dj_context *context, unsigned profile, const char *path, dj_view_source *out);
    void *state;
    const char *template; // of the page
    size_t template_bytes;
} dj_view_request;

// Writes the page. Write errors stay in the stream (ferror).
int dj_view_write(dj_context *context, const dj_view_request *request, FILE *out);

// The template in this program; NULL: it was built without.
const char *dj_view_template(size_t *bytes);

#endif
