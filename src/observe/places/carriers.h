// SPDX-License-Identifier: MIT
// Which loops carry long reuses: from the events about loops (DJ_EVENT_LOOP) and the times of previous
// accesses.
//
// Of the loops that are active at a reuse, outermost first, entry and current iteration are in order: E0 <=
// I0
// <= E1 <= I1 … So the first loop whose iteration began after the previous access is the carrier, if it was
// entered before that; otherwise both accesses are in one iteration of the loop around it.
#ifndef DEJA_OBSERVE_PLACES_CARRIERS_H
#define DEJA_OBSERVE_PLACES_CARRIERS_H

#include "base/dictionary.h"
#include <deja/attribution.h>
#include <deja/observer.h>
#include <deja/place.h>

// A carrier as one number, for keys: 0: unknown, 1: no loop, otherwise the site of a loop.
static inline uint32_t dj_carrier_code(enum dj_carried carried, uint32_t site)
{
    return site == DJ_NOWHERE ? carried == DJ_CARRIED_BY_NONE
                              : 2 + 2 * site + (carried == DJ_CARRIED_BY_NONE);
}

static inline enum dj_carried dj_carrier_kind(uint32_t code)
{
    return code == 0 ? DJ_CARRIED_UNKNOWN : code % 2 ? DJ_CARRIED_BY_NONE : DJ_CARRIED_BY_LOOP;
}

static inline uint32_t dj_carrier_site(uint32_t code)
{
    return code < 2 ? DJ_NOWHERE : (code - 2) / 2;
}

typedef struct dj_carrier_level {
    uint32_t site; // of the loop
    uint64_t entered, began;
    uint64_t unsure; // what happened here, or at a lower depth, before it is unknown
} dj_carrier_level;

typedef struct dj_carrier_thread {
    dj_carrier_level *levels;
    size_t capacity;
    uint32_t depth;
    uint64_t known_from; // loops before it are unknown
    uint64_t mark;       // after it, some changes are missing
    bool marked;
} dj_carrier_thread;

typedef struct dj_carriers {
    dj_dictionary ids;
    bool created;
    dj_carrier_thread *threads;
    size_t count, capacity;
    uint64_t current;                   // id of the thread of the accesses
    uint64_t now;                       // time after the last access
    uint32_t codes[DJ_BATCH_CAPACITY];  // of the listed accesses
    uint16_t listed[DJ_BATCH_CAPACITY]; // accesses of a view with long distances
} dj_carriers;

void dj_carriers_free(dj_carriers *carriers); // zero-initialized is allowed
// Follows a view, and finds the codes of the first `count` listed accesses.
int dj_carriers_see(dj_carriers *carriers, dj_context *context, const dj_view *view,
                    const dj_place_table *places, uint32_t count);

#endif
