// SPDX-License-Identifier: MIT
// Invariants that readers of spatial counts rely on.
#ifndef DEJA_PROFILE_SPATIAL_CHECK_H
#define DEJA_PROFILE_SPATIAL_CHECK_H

#include <deja/spatial.h>

// Limits for loaded profiles; block sizes double, so there can be no more.
enum { DJ_SPATIAL_PAIRS_MOST = 63, DJ_SPATIAL_CACHES_MOST = 64 };
// Parts of a tally.
enum { DJ_SPATIAL_PARTS_MOST = 1 << 20 };
// Groups of bursts, including the first burst.
enum { DJ_SPATIAL_GROUPS_MOST = 17 };

// Twice as many still fit a signed integer.
#define DJ_SPATIAL_ACCESSES_MOST (UINT64_C(1) << 61)

// What is wrong with the spatial part of a tally of that many accesses; NULL: nothing.
const char *dj_spatial_tally_wrong(const dj_spatial_tally *tally, uint64_t accesses);

// Accesses of all places in parts by bins, and in those by caches.
typedef struct dj_spatial_part_sums {
    uint64_t accesses[2][DJ_SPATIAL_PAIRS_MOST][DJ_SPATIAL_GROUPS_MOST];
} dj_spatial_part_sums;

// Adds the parts of a place. False: they are not those of places of the profile.
bool dj_spatial_parts_fit(const dj_spatial *spatial, const dj_spatial_parts *parts,
                          dj_spatial_part_sums *sums);

#endif
