// SPDX-License-Identifier: MIT
// The steps from what groups of bursts have counted to ranges, of the whole trace and of a tally.
#ifndef DEJA_PROFILE_SPATIAL_RANGE_H
#define DEJA_PROFILE_SPATIAL_RANGE_H

#include <deja/spatial.h>

#include "profile/spatial_check.h"

// A ratio of sums over groups; group 0 has no error.
typedef struct dj_spatial_quotient {
    double above[DJ_SPATIAL_GROUPS_MOST], below[DJ_SPATIAL_GROUPS_MOST];
} dj_spatial_quotient;

// The ratio plus `side` (−1 or 1) times its error. An access adds at most `most` to the sum above. False:
// there are too few groups.
bool dj_spatial_end(const dj_spatial *spatial, const dj_spatial_quotient *quotient, double side, double most,
                    double *end);

// Adds an access to the bounds of the bins `from` to `end` − 1.
void dj_spatial_add_part(const dj_spatial_part *part, unsigned from, unsigned end, dj_spatial_bounds *to);

// Of the reuses of the trace in bins from `bin` on, or, if `cache` is not SIZE_MAX, of the misses there; `in`
// has one for each group.
void dj_spatial_pair_bounds(const dj_spatial_pair *pair, unsigned bin, size_t cache, dj_spatial_bounds *in);

// The range of the score of reuses; `in` has one for each group.
dj_spatial_range dj_spatial_bounds_score(const dj_spatial *spatial, const dj_spatial_bounds *in,
                                         dj_spatial_count estimate);

#endif
