// SPDX-License-Identifier: MIT
// What bursts know of the accesses in them, by place: few and sparse counts, since there are many places.
#ifndef DEJA_OBSERVE_SPATIAL_SEEN_PLACES_H
#define DEJA_OBSERVE_SPATIAL_SEEN_PLACES_H

#include <deja/attribution.h>

#include "base/dictionary.h"

// An access of one pair. `here` and `there` are its distances, or the lowest possible ones.
typedef struct dj_seen_access {
    uint64_t here, there;
    bool known, known_there;
} dj_seen_access;

// Accesses of one place with the same key.
typedef struct dj_sighting {
    uint64_t what;        // place and key
    uint32_t now, before; // as in dj_seen_groups
} dj_sighting;

typedef struct dj_seen_places {
    // Of the current burst.
    dj_dictionary ids; // of `what`
    dj_sighting *sightings;
    size_t sighting_count, sighting_capacity;
    // Of all others, by place; NULL: none.
    dj_spatial_parts **parts;
    size_t part_capacity;
} dj_seen_places;

// The structure must not move until it is freed.
int dj_seen_places_create(dj_seen_places *places, dj_context *context);
void dj_seen_places_free(dj_seen_places *places);

// `cuts` are the cache sizes at b, in blocks; those at 2b follow.
int dj_seen_places_count(dj_seen_places *places, dj_context *context, uint32_t place, unsigned pair,
                         const dj_seen_access *access, const uint64_t *cuts, size_t cache_count);
// What was counted last now comes before, and what came before is dropped.
void dj_seen_places_advance(dj_seen_places *places);
// Adds what the burst counted to a group, and begins the next burst.
int dj_seen_places_end_burst(dj_seen_places *places, dj_context *context, unsigned group);

// Copies the parts into the tallies of the places.
int dj_seen_places_fill(const dj_seen_places *places, dj_context *context, dj_attribution *attribution);

#endif
