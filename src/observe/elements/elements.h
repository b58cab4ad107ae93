// SPDX-License-Identifier: MIT
// The data structures of observer `elements`.
#ifndef DEJA_OBSERVE_ELEMENTS_ELEMENTS_H
#define DEJA_OBSERVE_ELEMENTS_ELEMENTS_H

#include <deja/elements.h>
#include <deja/observer.h>
#include <deja/place.h>

#include "base/map.h"
#include "observe/counted.h"

typedef struct dj_object_segment {
    uint64_t touches[2]; // reads, writes
    uint64_t far[2];     // long reuses, first accesses
} dj_object_segment;

static inline void dj_object_segment_add(dj_object_segment *to, const dj_object_segment *from)
{
    for (unsigned i = 0; i < 2; i++) {
        to->touches[i] += from->touches[i];
        to->far[i] += from->far[i];
    }
}

// Segment i has the accesses that begin in [i << shift, (i + 1) << shift).
typedef struct dj_object_map {
    dj_object_segment *list;
    uint32_t capacity;
    unsigned shift;
    uint32_t object;
    uint64_t accesses; // when the maps were sorted
} dj_object_map;

enum { DJ_OBJECT_DROPPED = 1 }; // no address

typedef struct dj_object_maps {
    const dj_place_table *table; // NULL in a loaded part
    uint64_t long_from;
    uint32_t *objects;        // by place
    dj_object_map **of_place; // likewise
    size_t place_count, objects_capacity, place_capacity;
    dj_map of_object; // by object: address of the map; DJ_OBJECT_DROPPED
    dj_footprint footprint;
    dj_object_map *list[DJ_ELEMENT_MAPS_COUNTED];
    size_t count;
    uint32_t *dropped; // objects
    size_t dropped_count, dropped_capacity;
    dj_object_map none;  // of places whose accesses are not counted
    dj_object_map fresh; // of places without accesses
    dj_object_segment unused[2];
    dj_counted counted;
} dj_object_maps;

// Adds up neighbours until segments have 1 << shift bytes.
void dj_object_map_fold(dj_object_map *map, unsigned shift);
// Makes room for an access.
int dj_object_map_reach(dj_object_map *map, dj_context *context, uint64_t offset);
uint64_t dj_object_map_accesses(const dj_object_map *map);

// The map of an object, or &none. If there are too many, those with few accesses are dropped for good.
int dj_object_maps_at(dj_object_maps *maps, dj_context *context, uint32_t object, dj_object_map **out);
int dj_object_maps_drop(dj_object_maps *maps, dj_context *context, uint32_t object);
// By accesses, most first.
void dj_object_maps_sort(dj_object_maps *maps);
// Makes room for the places below `count`, and finds out their objects.
int dj_object_maps_reserve(dj_object_maps *maps, dj_context *context, size_t count);

int dj_object_maps_merge(void *state, dj_context *context, const void *other, uint64_t position);
int dj_object_maps_finish(void *state, dj_context *context, dj_profile *profile);
int dj_object_maps_save(const void *state, dj_context *context, dj_packer *to);
int dj_object_maps_load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state);

#endif
