// SPDX-License-Identifier: MIT
// What observer `places` counts with.
#ifndef DEJA_OBSERVE_PLACES_PLACES_H
#define DEJA_OBSERVE_PLACES_PLACES_H

#include "base/map.h"
#include "base/triple.h"
#include "observe/narrow.h"
#include <deja/attribution.h>
#include <deja/batch.h>
#include <deja/observer.h>
#include <deja/observer_options.h>
#include <deja/place.h>
#include <deja/profile.h>

// The bins that all tallies share: eight to an octave, and a border at each cut.
typedef struct dj_binning_table {
    uint64_t *edges;
    size_t count;
    uint16_t *first; // for each eighth of an octave: the bin that its lowest value is in
    uint64_t *inner; // the next edge within it; UINT64_MAX: none
    bool crowded;    // some have more than one
} dj_binning_table;

int dj_binning_create(dj_binning_table *table, dj_context *context, const uint64_t *cuts, size_t cut_count);
void dj_binning_destroy(dj_binning_table *table);

enum {
    DJ_EIGHTHS = 8,
    DJ_EIGHTH_COUNT = 64 * DJ_EIGHTHS,
    DJ_EIGHTH_LAST = 40 * DJ_EIGHTHS, // its bin has no end
    DJ_BINS_SINGLE = 2 * DJ_EIGHTHS,  // so many bins hold one value each
};

// Values below 8 are alone; above, the three bits after the first one tell which eighth.
static inline unsigned dj_eighth_of(uint64_t value)
{
    if (value < DJ_EIGHTHS)
        return (unsigned)value;
    unsigned octave = 63 - (unsigned)__builtin_clzll(value);
    return (octave - 2) * DJ_EIGHTHS + (unsigned)(value >> (octave - 3) & (DJ_EIGHTHS - 1));
}

static inline unsigned dj_bin_of(const dj_binning_table *table, uint64_t value)
{
    unsigned eighth = dj_eighth_of(value);
    unsigned bin = table->first[eighth] + (unsigned)(value >= table->inner[eighth]);
    while (table->crowded && bin + 1 < table->count && value >= table->edges[bin + 1])
        bin++;
    return bin;
}

// Most reuses are short: each such distance of a place has its own counts, one
// for reads and one for writes, and each of the two lists is a line of the cache.
// The last entry of a list counts all other accesses.
enum { DJ_PLACE_SHORT = 15 };
typedef struct dj_place_short {
    uint32_t accesses[2][DJ_PLACE_SHORT + 1];
} dj_place_short;

// What else is counted for a place (longer reuses and cold accesses), or for a
// pair of places (long reuses). Every access is counted once; sums over all
// reuses of a place are made at the end.
typedef struct dj_place_count {
    dj_tally tally;
    uint64_t example;              // address of the access with the longest distance, bits turned; 0: none
    uint32_t from, to;             // of a pair
    uint32_t last_from, last_pair; // of a place: the pair that was counted last, its index + 1
} dj_place_count;

// Of accesses at the same distance the one at the lowest address is the example,
// so that it does not matter which was seen first.
static inline void dj_place_note(dj_tally *tally, uint64_t *example, uint64_t distance, uint64_t with)
{
    if (distance < tally->max || (distance == tally->max && with <= *example))
        return;
    tally->max = distance;
    *example = with;
}

// The last block that came to a place, and from which one: when it does again,
// nothing is new.
typedef struct dj_place_arrival {
    uint64_t key;
    uint32_t from; // DJ_NOWHERE: there was none
} dj_place_arrival;

typedef struct dj_place_group { // objects, or threads
    uint64_t *distinct;
    size_t capacity;
    dj_triples met; // id and block: one of the values below
} dj_place_group;

enum {
    DJ_MET_LEFT,    // of a piece: it went; it may not have been seen to come yet
    DJ_MET_COUNTED, // it is in `distinct`
};

typedef struct dj_place_sketch {
    dj_sketch *sketch; // NULL: none yet
    uint64_t last;     // the key that was added last
} dj_place_sketch;

typedef struct dj_place_sketches {
    dj_place_sketch *list;
    size_t capacity;
} dj_place_sketches;

typedef struct dj_places {
    const dj_place_table *table;
    dj_place_table *own;            // of a state that was loaded; NULL: the table is another's
    dj_place_identities identities; // likewise
    int (*identify)(void *user, dj_context *context, dj_place_identities *out);
    void *user; // of identify
    dj_binning_table bins;
    uint64_t *cuts;
    size_t cut_count;
    uint64_t pair_from;
    bool is_part;       // what was accessed for the first time comes after all the others
    uint64_t short_end; // distances below it are short
    dj_place_short *shorts;
    dj_place_arrival *arrivals;
    dj_place_count *rows;
    size_t row_capacity; // of all three
    uint64_t unspilled;  // accesses since the short counts were last added to the rows
    dj_map pair_ids;     // from << 32 | to → index + 1
    dj_footprint footprint;
    dj_place_count *pairs;
    size_t pair_count, pair_capacity;
    dj_place_group objects, threads;
    dj_place_sketches sites, cct;
    dj_narrow counted, present;                                   // room for views of lanes with a filter
    dj_part_keys keys;                                            // of partitioned lanes
    uint16_t longer[DJ_BATCH_CAPACITY], moved[DJ_BATCH_CAPACITY]; // accesses of the batch at hand
} dj_places;

// Adds a place to the own table.
int dj_places_own(dj_places *places, dj_context *context, const dj_place *place);
// What its numbers stand for, as whoever made the table says.
int dj_places_identify(const dj_places *places, dj_context *context, dj_place_identities *out);
int dj_places_save(const void *state, dj_context *context, dj_packer *to);
int dj_places_load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state);

// Room for the places from 0 on.
int dj_places_make_room(dj_places *places, dj_context *context, size_t count);
// The row of a pair of places, valid until the next call; there is room for `to`.
int dj_places_pair(dj_places *places, dj_context *context, uint32_t from, uint32_t to, dj_place_count **out);
// The sketch of a site or context.
int dj_places_sketch(dj_place_sketches *sketches, dj_context *context, uint32_t id, dj_place_sketch **out);

// Adds short counts to a row.
int dj_places_add_short(dj_tally *tally, dj_context *context, const dj_place_short *shorts);
// Adds the short counts to the rows and begins again at 0.
int dj_places_spill(dj_places *places, dj_context *context);

int dj_places_merge(void *state, dj_context *context, const void *other, uint64_t position);

// Copies what was counted into a new attribution of the profile.
int dj_places_finish(void *state, dj_context *context, dj_profile *profile);

#endif
