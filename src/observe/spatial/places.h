// SPDX-License-Identifier: MIT
// What observer `spatial-places` counts with.
#ifndef DEJA_OBSERVE_SPATIAL_PLACES_H
#define DEJA_OBSERVE_SPATIAL_PLACES_H

#include "observe/narrow.h"
#include <deja/batch.h>
#include <deja/observer.h>
#include <deja/spatial.h>

// Bins that are too low for effective reuse are just counted.
enum { DJ_SPATIAL_NEAR = DJ_SPATIAL_STEP };

// One pair of lanes at one place.
typedef struct dj_spatial_cell {
    uint64_t near[DJ_SPATIAL_NEAR +
                  1];      // by bin; the first: those that are not in an earlier lane; the last: all others
    dj_spatial_counts far; // bins from DJ_SPATIAL_NEAR on; caches NULL as long as nothing is that far
} dj_spatial_cell;

typedef struct dj_spatial_places {
    size_t cache_count, pair_count;
    uint64_t *cache_bytes;
    uint64_t *cuts;         // [lane][cache], in blocks
    uint64_t *far_from;     // [pair], the least distance that is more than counted
    dj_spatial_cell *cells; // [place][pair]
    size_t cell_count;
    // Accesses of the batch: those whose distance was not 0 yet, and those of them that are far.
    dj_narrow narrow;
    uint16_t at[DJ_BATCH_CAPACITY], far[DJ_BATCH_CAPACITY];
} dj_spatial_places;

int dj_spatial_places_merge(void *state, dj_context *context, const void *other, uint64_t position);
int dj_spatial_places_save(const void *state, dj_context *context, dj_packer *to);
int dj_spatial_places_load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state);

#endif
