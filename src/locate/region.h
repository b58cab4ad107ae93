// SPDX-License-Identifier: MIT
// The part of a run that is counted. A source around a located one that passes only the accesses of that
// part; the locator sees everything, so contexts and objects are right from the start.
#ifndef DEJA_LOCATE_REGION_H
#define DEJA_LOCATE_REGION_H

#include "locate/locate.h"

typedef struct dj_region_options {
    // Start with the first access by this function or its callees, or after a region of that name has
    // begun; NULL: from the start.
    const char *start_at;
    // Only accesses by this function, inlined or not, and its callees, or while a region of that name is
    // active; NULL: all.
    const char *within;
    uint64_t skip;       // drop this many of the remaining accesses
    uint64_t stop_after; // end after this many; 0: never
} dj_region_options;

typedef struct dj_region dj_region;

// Without a locator (NULL), which functions and regions by name need, any source works. The region, the
// locator and the symbols must outlive the source; `inner` is a located source and is closed after it.
int dj_region_create(dj_context *context, const dj_region_options *options, const dj_locator *locator,
                     dj_symbols *symbols, dj_region **out);
void dj_region_destroy(dj_region *region);
int dj_region_source(dj_context *context, dj_region *region, dj_source *inner, dj_source **out);

// For a stage that needs all accesses, and asks which of them count: for each batch, event and access in
// turn.
int dj_region_extend(dj_region *region, dj_context *context);
void dj_region_follow(dj_region *region, const dj_event *event);
bool dj_region_counts(dj_region *region, uint32_t place);
// No further access counts.
bool dj_region_is_over(const dj_region *region);

// Whether start_at or within ever matched.
bool dj_region_met(const dj_region *region);

#endif
