// SPDX-License-Identifier: MIT
// Miss-ratio curves, as `deja mrc` prints them.
#ifndef DEJA_REPORT_MRC_H
#define DEJA_REPORT_MRC_H

#include <deja/report.h>

// A set-associative cache of interest, and the results of the models for it.
typedef struct dj_mrc_cache {
    const char *name; // NULL: one of the points
    uint64_t bytes;   // 0: blocks have no size in bytes
    uint64_t size_blocks, sets, ways;
    dj_mrc_point full;     // fully associative, of the same size
    dj_band band;          // of `full`, if the bands are known
    dj_band estimate_band; // likewise
    dj_estimate estimate;  // by Smith's formula
} dj_mrc_cache;

typedef struct dj_mrc_threshold {
    bool set, crossed;
    uint64_t size;
    bool bytes; // the size is in bytes of a byte curve
    double limit, ratio;
    double low, high; // the band; `ratio` if there is none
} dj_mrc_threshold;

typedef struct dj_mrc_report {
    const dj_profile *profile;
    dj_mrc_point *points;
    size_t point_count;
    dj_band_origin origin;
    dj_band *bands; // one for each point; NULL unless known
    dj_byte_point *byte_points;
    size_t byte_count;
    dj_band *request_bands, *byte_bands; // one for each of the byte points; NULL unless known
    uint64_t ways;                       // as requested; 0: none
    dj_mrc_cache *sets;                  // one for each point; NULL without ways
    dj_mrc_cache *caches;
    size_t cache_count;
    dj_mrc_threshold threshold;
    dj_crossings *crossings; // of limits; NULL: there are none
} dj_mrc_report;

int dj_document_mrc(dj_context *context, const dj_mrc_report *report, const dj_profile_view *view,
                    dj_document **out);
int dj_mrc_json(dj_context *context, const dj_mrc_report *report, FILE *out);

#endif
