// SPDX-License-Identifier: MIT
// What bursts know of the accesses in them, for each pair of block sizes and each group of bursts. The error
// of an estimate comes from it.
#ifndef DEJA_OBSERVE_SPATIAL_SEEN_H
#define DEJA_OBSERVE_SPATIAL_SEEN_H

#include <deja/observer.h>
#include <deja/spatial.h>

#include "observe/spatial/seen_places.h"
#include "profile/spatial_check.h"

// One pair of block sizes, by bin.
typedef struct dj_seen_pair {
    uint64_t known[DJ_SPATIAL_BINS][2];              // [effective]
    uint64_t open[DJ_SPATIAL_BINS][DJ_SPATIAL_BINS]; // [lowest possible bin at b][bin at 2b]
    uint64_t none[DJ_SPATIAL_BINS];                  // by the lowest possible bin at b
} dj_seen_pair;

typedef struct dj_seen_cache {
    dj_spatial_bounds own, all;
} dj_seen_cache;

typedef struct dj_seen {
    uint64_t accesses;
    dj_seen_pair *pairs;
    dj_seen_cache *caches; // [pair][cache]
} dj_seen;

// Counts the accesses of one burst after the other.
typedef struct dj_seen_groups {
    size_t pair_count, cache_count;
    const uint64_t *cuts; // [lane][cache], in blocks
    uint64_t *blocks;     // of each lane: that the burst has accessed
    uint64_t position;    // in the burst
    // The first quarter of a burst, at least, is only a warm-up, so that fewer distances are unknown. How
    // long it will be is not known: these are its accesses since the last power of two, and those before,
    // from the last but one.
    dj_seen now, before;
    dj_seen groups[DJ_SPATIAL_GROUPS_MOST]; // the first stays empty
    size_t group_count;
    dj_seen_places places; // the same by place
} dj_seen_groups;

int dj_seen_create(dj_context *context, size_t pair_count, size_t cache_count, const uint64_t *cuts,
                   dj_seen_groups *out);
void dj_seen_free(dj_seen_groups *groups);
// Access `index` of all lanes; `place` is NULL without places.
int dj_seen_count(dj_seen_groups *groups, dj_context *context, const dj_lane_view *lanes,
                  const uint32_t *place, uint32_t index);
// An access of the first burst, by its place.
int dj_seen_count_first(dj_seen_groups *groups, dj_context *context, const dj_lane_view *lanes,
                        const uint32_t *place, uint32_t index);
int dj_seen_end_first(dj_seen_groups *groups, dj_context *context);
// Ends a burst: adds it to the group that has the fewest accesses.
int dj_seen_end_burst(dj_seen_groups *groups, dj_context *context);

// Stores all groups, and the first burst, `first`, as group 0 (NULL: it is in another group). All groups
// together stand for `accesses` accesses. A burst that has not ended is left out.
int dj_seen_fill(const dj_seen_groups *groups, dj_context *context, const dj_spatial *first, double accesses,
                 dj_spatial *to);

#endif
