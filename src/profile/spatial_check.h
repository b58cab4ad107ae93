// SPDX-License-Identifier: MIT
// What the counts of spatial locality must hold, so that their readers need not ask.
#ifndef DEJA_PROFILE_SPATIAL_CHECK_H
#define DEJA_PROFILE_SPATIAL_CHECK_H

#include <deja/spatial.h>

// Of a profile that is loaded; blocks double, and so there are no more.
enum { DJ_SPATIAL_PAIRS_MOST = 63, DJ_SPATIAL_CACHES_MOST = 64 };

// Twice as many can be added and subtracted with a sign.
#define DJ_SPATIAL_ACCESSES_MOST (UINT64_C(1) << 61)

// What is wrong with the spatial part of a tally of so many accesses; NULL: nothing.
const char *dj_spatial_tally_wrong(const dj_spatial_tally *tally, uint64_t accesses);

#endif
