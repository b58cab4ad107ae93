// SPDX-License-Identifier: MIT
// The spatial locality of places, estimated from bursts.
#ifndef DEJA_OBSERVE_SPATIAL_BURSTS_PLACES_H
#define DEJA_OBSERVE_SPATIAL_BURSTS_PLACES_H

#include <deja/attribution.h>

typedef struct dj_spatial_estimate {
    double weight;           // of an access in a burst
    uint32_t first_place;    // the first one of later bursts
    const dj_spatial *first; // counted in the first burst; NULL: it is like the others
    const dj_spatial *known; // in the later ones
    const dj_spatial *all;   // the estimate
} dj_spatial_estimate;

// All accesses of a pair.
uint64_t dj_spatial_accesses(const dj_spatial_pair *pair);

// Unknown accesses of each place are distributed as those of all. Places of the first burst stay as they are.
// The accesses of places are estimated already.
int dj_spatial_estimate_places(const dj_spatial_estimate *estimate, dj_context *context,
                               dj_attribution *attribution);

#endif
