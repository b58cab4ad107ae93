// SPDX-License-Identifier: MIT
// What `deja mrc --follow` prints at regular times: the curves of the last window and of all so far.
#ifndef DEJA_REPORT_FOLLOW_H
#define DEJA_REPORT_FOLLOW_H

#include <deja/report.h>

// A curve; `bands` is NULL unless they are known.
typedef struct dj_follow_curve {
    uint64_t accesses;
    double seconds;
    dj_mrc_point *points;
    dj_band *bands;
} dj_follow_curve;

typedef struct dj_follow_report {
    const dj_profile *profile;
    uint64_t number;          // 1, 2, 3, …
    const uint64_t *sizes;    // in blocks, increasing
    const char *const *names; // of caches of these sizes; NULL in it: none
    size_t count;
    dj_band_origin origin;
    dj_follow_curve window, all;
} dj_follow_report;

// The first report begins with what is measured and how.
int dj_document_follow(dj_context *context, const dj_follow_report *report, dj_document **out);
// One line.
void dj_follow_json(const dj_follow_report *report, FILE *out);

#endif
