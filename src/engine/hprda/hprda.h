// SPDX-License-Identifier: MIT
// Internals of engine hprda. See hprda.c for the idea.
//
// The position of an access is the number of distinct keys of all earlier local traces, added up, plus those
// before it in its own local trace: the distance of two accesses to a key in different local traces,
// according to formula (1), is the difference of their positions.
#ifndef DEJA_ENGINE_HPRDA_HPRDA_H
#define DEJA_ENGINE_HPRDA_HPRDA_H

#include "base/map.h"
#include "engine/hprda/shared.h"
#include "engine/team.h"

#include <stdatomic.h>

// Number of shards of keys, each merged by one thread at a time.
enum { DJ_HPRDA_SHARD_BITS = 6, DJ_HPRDA_SHARDS = 1 << DJ_HPRDA_SHARD_BITS };

// The accesses of one local trace to one key.
typedef struct dj_hprda_info {
    uint64_t key;
    uint64_t *distance;   // of the first one
    uint32_t first, last; // positions of the first and the last one, from the beginning of the group
} dj_hprda_info;

// Consecutive local traces, analyzed by one thread.
typedef struct dj_hprda_group {
    uint64_t base;                       // distinct keys of all earlier local traces
    uint32_t count;                      // sum over the local traces of this group
    uint32_t start[DJ_HPRDA_SHARDS + 1]; // of each shard in the infos of this group
} dj_hprda_group;

// Buffers of a thread for one local trace.
typedef struct dj_hprda_scratch {
    uint32_t *table; // hash → number of the key in the local trace, + 1
    uint64_t mask;
    uint64_t *key;            // by number, like the next two
    uint32_t *first, *last;   // index of the first and of the last access
    uint64_t *bits;           // the local array: 1 if an entry is the latest access to its key
    uint32_t *sums;           // number of them in each 64 words
    dj_hprda_info *infos;     // of the group, not yet by shard
    dj_context *context;      // for errors
    uint64_t st, group_infos; // sizes of the buffers above
} dj_hprda_scratch;

// Accesses without repeats, and where their distances go.
typedef struct dj_hprda_trace {
    const uint64_t *key;
    uint64_t *const *distance;
    size_t count;
} dj_hprda_trace;

// Analyzes the local traces of a group independently: answers all but the first accesses to the keys of a
// local trace and describes those in `infos`, by shard. Compiled for several instruction sets.
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
    dj_hprda_parts parts; // must be first for dj_hprda_parts_push
    dj_hprda_options options;
    dj_hprda_analyze *analyze;
    unsigned threads;
    dj_team *team;             // NULL: one thread
    dj_hprda_scratch *scratch; // one per thread
    // The fragment.
    uint64_t previous;              // the last key
    uint64_t places;                // keys of its local traces so far, added up
    uint64_t keys;                  // distinct ones, once it is complete
    dj_map shards[DJ_HPRDA_SHARDS]; // key → position of its last access, from 1
    dj_footprint footprints[DJ_HPRDA_SHARDS];
    dj_hprda_history history;
    // Groups that are analyzed together.
    uint64_t *key, **distance;
    size_t count, capacity;
    dj_hprda_info *infos;
    dj_hprda_group *groups;
    size_t group_accesses, group_count;
    atomic_bool failed;
    uint64_t peak_bytes;
} dj_hprda;

// Adds the accesses of a part, without those that repeat the previous one, and analyzes full groups.
int dj_hprda_add(dj_hprda *hprda, dj_context *context, const dj_hprda_part *part);
// Answers everything that is open, except accesses that are first in the fragment.
int dj_hprda_complete(dj_hprda *hprda, dj_context *context);
uint64_t dj_hprda_keys(const dj_hprda *hprda); // of the fragment
// The keys in the order of their last accesses; freed with free().
int dj_hprda_last_order(const dj_hprda *hprda, dj_context *context, uint64_t **out);
uint64_t dj_hprda_bytes(const dj_hprda *hprda);

#endif
