// SPDX-License-Identifier: MIT
// The data structures of observer `spatial-places`.
#ifndef DEJA_OBSERVE_SPATIAL_PLACES_H
#define DEJA_OBSERVE_SPATIAL_PLACES_H

#include "observe/counted.h"
#include <deja/batch.h>
#include <deja/observer.h>
#include <deja/spatial.h>

// Bins too low for effective reuse are only counted.
enum { DJ_SPATIAL_NEAR = DJ_SPATIAL_STEP };

// One pair of lanes at one place.
typedef struct dj_spatial_cell {
    uint64_t near[DJ_SPATIAL_NEAR + 1]; // by bin; the first: distance 0 in this lane but not in an earlier
                                        // one; the last: all others
    dj_spatial_counts far; // bins from DJ_SPATIAL_NEAR on; caches NULL until a distance is that far
} dj_spatial_cell;

typedef struct dj_spatial_places {
    size_t cache_count, pair_count;
    uint64_t *cache_bytes;
    uint64_t *cuts;         // [lane][cache], in blocks
    uint64_t *far_from;     // [pair], the smallest distance that is more than counted
    dj_spatial_cell *cells; // [place][pair]
    size_t cell_count;
    // Accesses of the batch whose distance was not yet 0, and the far ones among them.
    dj_counted counted;
    uint16_t at[DJ_BATCH_CAPACITY], far[DJ_BATCH_CAPACITY];
} dj_spatial_places;

int dj_spatial_places_merge(void *state, dj_context *context, const void *other, uint64_t position);
int dj_spatial_places_save(const void *state, dj_context *context, dj_packer *to);
int dj_spatial_places_load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state);

#endif
