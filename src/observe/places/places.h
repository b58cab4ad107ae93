// SPDX-License-Identifier: MIT
// The data structures of observer `places`.
#ifndef DEJA_OBSERVE_PLACES_PLACES_H
#define DEJA_OBSERVE_PLACES_PLACES_H

#include "base/map.h"
#include "base/triple.h"
#include "observe/counted.h"
#include "observe/places/carriers.h"
#include <deja/attribution.h>
#include <deja/batch.h>
#include <deja/observer.h>
#include <deja/observer_options.h>
#include <deja/place.h>
#include <deja/profile.h>

// The bins that all tallies share: eight per octave, with an edge at each cut.
typedef struct dj_binning_table {
    uint64_t *edges;
    size_t count;
    uint16_t *first; // for each eighth of an octave: the bin of its lowest value
    uint64_t *inner; // the next edge within it; UINT64_MAX: none
    bool crowded;    // some contain more than one edge
} dj_binning_table;

int dj_binning_create(dj_binning_table *table, dj_context *context, const uint64_t *cuts, size_t cut_count);
void dj_binning_destroy(dj_binning_table *table);

enum {
    DJ_EIGHTHS = 8,
    DJ_EIGHTH_COUNT = 64 * DJ_EIGHTHS,
    DJ_EIGHTH_LAST = 40 * DJ_EIGHTHS, // the last bin has no end
    DJ_BINS_SINGLE = 2 * DJ_EIGHTHS,  // number of bins with a single value
};

// Values below 8 have their own eighth; above, the three bits after the leading one select it.
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

// Most reuses are short: each short distance of a place has its own counts, one for reads and one for
// writes, and each of the two lists is one cache line. The last entry of a list counts all other accesses.
enum { DJ_PLACE_SHORT = 15 };
typedef struct dj_place_short {
    uint32_t accesses[2][DJ_PLACE_SHORT + 1];
} dj_place_short;

// The misses of a place, by class.
typedef struct dj_place_misses dj_place_misses;

// Other counts of a place (longer reuses and cold misses), or of a pair of places (long reuses). Every
// access is counted once; sums over all reuses of a place are computed at the end.
typedef struct dj_place_count {
    dj_tally tally;
    dj_place_misses *misses;       // of a place; NULL: it has none, or classes are not known
    uint64_t example;              // address of the access with the longest distance, inverted; 0: none
    uint32_t from, to;             // of a pair
    uint32_t carrier;              // of a pair: a code (carriers.h)
    uint32_t last_from, last_pair; // of a place: the pair counted last, as index + 1
    uint32_t last_carrier;
} dj_place_count;

// Among accesses at the same distance, the lowest address is the example, so the order of accesses does not
// matter.
static inline void dj_place_note(dj_tally *tally, uint64_t *example, uint64_t distance, uint64_t with)
{
    if (distance < tally->max || (distance == tally->max && with <= *example))
        return;
    tally->max = distance;
    *example = with;
}

// The last arrival of a block at a place, and where it came from; a repeated arrival changes nothing.
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
    DJ_MET_LEFT,    // of a part: it left; its arrival may not have been seen yet
    DJ_MET_COUNTED, // counted in `distinct`
};

typedef struct dj_place_sketch {
    dj_sketch *sketch; // NULL: none yet
    uint64_t last;     // the key added last
} dj_place_sketch;

typedef struct dj_place_sketches {
    dj_place_sketch *list;
    size_t capacity;
} dj_place_sketches;

typedef struct dj_places {
    const dj_place_table *table;
    dj_place_table *own;            // of a loaded state; NULL: the table belongs to someone else
    dj_place_identities identities; // likewise
    int (*identify)(void *user, dj_context *context, dj_place_identities *out);
    void *user; // of identify
    dj_binning_table bins;
    uint64_t *cuts;
    size_t cut_count;
    uint64_t pair_from;
    bool is_part;       // first accesses come after all the others
    uint64_t short_end; // distances below it are short
    bool classifies;    // misses: those of all blocks, in order
    dj_place_short *shorts;
    dj_place_arrival *arrivals;
    dj_place_count *rows;
    size_t row_capacity; // of all three arrays
    uint64_t unspilled;  // accesses since the short counts were last added to the rows
    dj_triples pair_ids; // from, to, carrier → index
    dj_place_count *pairs;
    size_t pair_count, pair_capacity;
    dj_place_group objects, threads;
    dj_place_sketches sites, cct;
    dj_counted counted, present; // views of lanes with a filter
    dj_part_keys keys;           // of partitioned lanes
    dj_carriers carriers;
    uint16_t longer[DJ_BATCH_CAPACITY], moved[DJ_BATCH_CAPACITY]; // accesses of the current batch
} dj_places;

// Adds a place to the state's own table.
int dj_places_own(dj_places *places, dj_context *context, const dj_place *place);
// Identifies what its numbers represent, through the creator of the table.
int dj_places_identify(const dj_places *places, dj_context *context, dj_place_identities *out);
int dj_places_save(const void *state, dj_context *context, dj_packer *to);
int dj_places_load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state);

// Allocates the places below a number.
int dj_places_reserve(dj_places *places, dj_context *context, size_t count);
// The row of a pair of places, valid until the next call; `to` must be allocated.
int dj_places_pair(dj_places *places, dj_context *context, uint32_t from, uint32_t to, uint32_t carrier,
                   dj_place_count **out);
// The sketch of a site or context.
int dj_places_sketch(dj_place_sketches *sketches, dj_context *context, uint32_t id, dj_place_sketch **out);

// Adds short counts to a row.
int dj_places_add_short(dj_tally *tally, dj_context *context, const dj_place_short *shorts);
// Adds the short counts to the rows and resets them.
int dj_places_spill(dj_places *places, dj_context *context);

// Counts a miss by its class (missed.c).
typedef struct dj_miss {
    uint64_t key, distance;
    bool writes;
} dj_miss;
int dj_places_miss(dj_context *context, dj_place_count *place, const dj_miss *miss);
void dj_places_forget_misses(dj_places *places);
// A copy of the counts; NULL: none.
int dj_places_copy_misses(const dj_place_misses *misses, dj_context *context, dj_miss_counts **out);

int dj_places_merge(void *state, dj_context *context, const void *other, uint64_t position);

// Copies the counts into a new attribution of the profile.
int dj_places_finish(void *state, dj_context *context, dj_profile *profile);

#endif
