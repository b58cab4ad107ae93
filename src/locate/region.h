// SPDX-License-Identifier: MIT
// The part of a run that counts. A source around a located one, which lets
// through the accesses of that part alone; places know nothing of it, so that
// contexts and objects are right from the start.
#ifndef DEJA_LOCATE_REGION_H
#define DEJA_LOCATE_REGION_H

#include "locate/locate.h"

typedef struct dj_region_options {
    // From the first access on that this function makes, or what it calls, or that
    // comes after a region of that name has begun; NULL: from the start.
    const char *start_at;
    // Only accesses of this function and of what it calls, or while a region of that
    // name has begun; NULL: all.
    const char *within;
    uint64_t skip;       // of the accesses left, drop so many
    uint64_t stop_after; // and end after so many; 0: never
} dj_region_options;

typedef struct dj_region dj_region;

// Without a locator (NULL), which functions and regions by name need, any source will do.
// The region, the locator and the symbols that its functions come from must
// outlive the source; `inner` is a located source and is closed after it.
int dj_region_create(dj_context *context, const dj_region_options *options, const dj_locator *locator,
                     const dj_symbols *symbols, dj_region **out);
void dj_region_destroy(dj_region *region);
int dj_region_source(dj_context *context, dj_region *region, dj_source *inner, dj_source **out);
// Whether start_at or within was ever met.
bool dj_region_met(const dj_region *region);

#endif
