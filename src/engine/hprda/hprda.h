// SPDX-License-Identifier: MIT
// Engine hprda, seen from its own files. See hprda.c for the idea.
//
// Where an access stands is told by the distinct keys of all pieces before its
// own, plus those before it in its piece: two accesses to a key in different
// pieces are as far apart as formula (1) says when their places are subtracted.
#ifndef DEJA_ENGINE_HPRDA_HPRDA_H
#define DEJA_ENGINE_HPRDA_HPRDA_H

#include "base/map.h"
#include "engine/hprda/shared.h"

#include <stdatomic.h>

// Keys are divided into so many shards, each merged by one thread at a time.
enum { DJ_HPRDA_SHARD_BITS = 6, DJ_HPRDA_SHARDS = 1 << DJ_HPRDA_SHARD_BITS };

// The accesses of one piece to one key.
typedef struct dj_hprda_info {
    uint64_t key;
    uint64_t *distance;   // of the first one
    uint32_t first, last; // places of the first and of the last one, from the begin of the group
} dj_hprda_info;

// Pieces in a row, analyzed by one thread one after the other.
typedef struct dj_hprda_group {
    uint64_t base;                       // distinct keys of all pieces before
    uint32_t count;                      // of the pieces of this group, added up
    uint32_t start[DJ_HPRDA_SHARDS + 1]; // of each shard in the infos of this group
} dj_hprda_group;

// What a thread needs for one piece.
typedef struct dj_hprda_scratch {
    uint32_t *table; // hash → number of the key in the piece, + 1
    uint64_t mask;
    uint64_t *key;            // by number, as the next two
    uint32_t *first, *last;   // index of the first and of the last access
    uint64_t *bits;           // the local array: 1 where an entry is the latest access to its key
    uint32_t *sums;           // how many of them in each 64 words
    dj_hprda_info *infos;     // of the group, not yet by shard
    dj_context *context;      // for errors
    uint64_t st, group_infos; // sizes of the above
} dj_hprda_scratch;

// Accesses without repeats, and where their distances go.
typedef struct dj_hprda_trace {
    const uint64_t *key;
    uint64_t *const *distance;
    size_t count;
} dj_hprda_trace;

// Analyzes the pieces of a group, each alone: distances of all but the first accesses to the keys
// of a piece are answered, `infos` tells of those, by shard. Compiled for several sets of instructions.
typedef void dj_hprda_analyze(dj_hprda_scratch *scratch, const dj_hprda_trace *trace, dj_hprda_group *group,
                              dj_hprda_info *infos);
void dj_hprda_analyze_portable(dj_hprda_scratch *scratch, const dj_hprda_trace *trace, dj_hprda_group *group,
                               dj_hprda_info *infos);
#if defined(__x86_64__)
void dj_hprda_analyze_avx2(dj_hprda_scratch *scratch, const dj_hprda_trace *trace, dj_hprda_group *group,
                           dj_hprda_info *infos);
#endif
dj_hprda_analyze *dj_hprda_best_analyze(void);

int dj_hprda_scratch_create(dj_hprda_scratch *scratch, dj_context *context, uint64_t st,
                            uint64_t group_infos);
void dj_hprda_scratch_free(dj_hprda_scratch *scratch);
uint64_t dj_hprda_scratch_bytes(const dj_hprda_scratch *scratch);

static inline unsigned dj_hprda_shard_of(uint64_t key)
{
    return (unsigned)(dj_map_hash(key) >> (64 - DJ_HPRDA_SHARD_BITS));
}

typedef struct dj_hprda {
    dj_hprda_parts parts; // first, as dj_hprda_parts_push asks
    dj_hprda_options options;
    dj_hprda_analyze *analyze;
    unsigned threads;
    dj_hprda_scratch *scratch; // of each thread
    // The fragment.
    uint64_t previous;              // the key of the last one
    uint64_t places;                // keys of its pieces so far, added up
    dj_map shards[DJ_HPRDA_SHARDS]; // key → place of its last access, from 1
    dj_footprint footprints[DJ_HPRDA_SHARDS];
    dj_hprda_carry carry;
    // Groups of it that are analyzed together.
    uint64_t *key, **distance;
    size_t count, room;
    dj_hprda_info *infos;
    dj_hprda_group *groups;
    size_t group_accesses, group_count;
    atomic_bool failed;
    uint64_t peak_bytes;
} dj_hprda;

// How many threads there are when so many are asked for; 0: as many as processors.
unsigned dj_hprda_threads(uint64_t asked);
// Takes the accesses of a part without those that repeat the one before, and analyzes groups that are full.
int dj_hprda_add(dj_hprda *hprda, dj_context *context, const dj_hprda_part *part);
// Answers all that is open, but for those that are cold as far as the fragment tells.
int dj_hprda_complete(dj_hprda *hprda, dj_context *context);
uint64_t dj_hprda_keys(const dj_hprda *hprda); // of the fragment
// Those in the order of their last accesses; freed with free().
int dj_hprda_last_order(const dj_hprda *hprda, dj_context *context, uint64_t **out);
uint64_t dj_hprda_bytes(const dj_hprda *hprda);

#endif
