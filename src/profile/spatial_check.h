// SPDX-License-Identifier: MIT
// Invariants that readers of spatial counts rely on.
#ifndef DEJA_PROFILE_SPATIAL_CHECK_H
#define DEJA_PROFILE_SPATIAL_CHECK_H

#include <deja/spatial.h>

// Limits for loaded profiles; block sizes double, so there can be no more.
enum { DJ_SPATIAL_PAIRS_MOST = 63, DJ_SPATIAL_CACHES_MOST = 64 };

// Twice as many still fit a signed integer.
#define DJ_SPATIAL_ACCESSES_MOST (UINT64_C(1) << 61)

// What is wrong with the spatial part of a tally of that many accesses; NULL: nothing.
const char *dj_spatial_tally_wrong(const dj_spatial_tally *tally, uint64_t accesses);

#endif
