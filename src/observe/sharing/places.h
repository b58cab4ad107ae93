// SPDX-License-Identifier: MIT
// What observer `sharing` counts by place: what the others change, misses of caches by kind, which write
// made which access miss, and the shared blocks of each object.
#ifndef DEJA_OBSERVE_SHARING_PLACES_H
#define DEJA_OBSERVE_SHARING_PLACES_H

#include <deja/observer.h>
#include <deja/sharing.h>

#include "base/triple.h"
#include "observe/sharing/directory.h"

// What the others changed of one access.
typedef struct dj_sharing_change {
    bool broken, shortened, stretched, found;
} dj_sharing_change;

static inline void dj_sharing_count(dj_sharing_counts *to, dj_sharing_change change)
{
    to->broken += change.broken;
    to->shortened += change.shortened;
    to->stretched += change.stretched;
    to->found += change.found;
}

typedef struct dj_sharing_row { // of a place
    dj_sharing_counts counts;
    uint64_t sharers;
} dj_sharing_row;

typedef struct dj_sharing_cut_lane {
    uint64_t blocks;
    uint32_t lane;
} dj_sharing_cut_lane;

typedef struct dj_sharing_places {
    const dj_place_table *table; // NULL: nothing is counted by place
    dj_sharing_cut_lane *cuts;
    size_t cut_count;
    dj_sharing_row *rows;
    size_t row_capacity;
    dj_sharing_misses *misses; // [place][cut]
    size_t miss_capacity;
    dj_map pair_ids; // from << 32 | to → index + 1
    dj_footprint footprint;
    dj_invalidation_row *pairs;
    size_t pair_count, pair_capacity;
    dj_triples mixed; // object and block, of blocks with parts of several objects
} dj_sharing_places;

int dj_sharing_places_create(dj_sharing_places *places, dj_context *context,
                             const dj_sharing_options *options);
void dj_sharing_places_free(dj_sharing_places *places); // a zeroed structure is allowed

// Makes space for the places of a batch, and checks that it has what counting needs.
int dj_sharing_places_reserve(dj_sharing_places *places, dj_context *context, const dj_view *view);
// Counts an access that the directory knows already.
int dj_sharing_places_count(dj_sharing_places *places, dj_context *context, const dj_view *view, uint32_t i,
                            dj_sharing_change change, dj_block_user *user);
// Counts a miss that the directory has classified.
int dj_sharing_places_classify(dj_sharing_places *places, dj_context *context, const dj_block_user *user,
                               const dj_block_loss *loss);
// Moves the counts to the section.
int dj_sharing_places_finish(dj_sharing_places *places, dj_context *context, const dj_directory *directory,
                             dj_sharing *to);

#endif
