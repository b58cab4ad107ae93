// SPDX-License-Identifier: MIT
// Joins two adjacent parts of a trace, for one lane.
//
// A first access in the later part is a reuse if the earlier part contains its key. Its distance is the
// number of keys that the earlier part used more recently and that the later one has not touched yet,
// plus the number of distinct keys that the later part touched before. Each resolved key is removed
// from the earlier order, so the first term counts live keys. Cost: O((keys of both) log keys); exact
// and associative.
#ifndef DEJA_PIPELINE_PARTS_JOIN_LANE_H
#define DEJA_PIPELINE_PARTS_JOIN_LANE_H

#include "pipeline/lanes/keyer.h"
#include "pipeline/parts/pending.h"

typedef struct dj_lane_join {
    uint32_t number;
    const dj_keyer *keyer;
    unsigned weight_log2; // of a block in the sample
    bool rounds;          // with fixed memory, distances in a sample
} dj_lane_join;

// Resolves the pending accesses of `later` in lane `lane` and makes `order` the last-access order of
// both parts together. Takes ownership of `later_order`, whose times are already those of the joined
// trace. In a sampled lane, resolved distances are scaled like those that an engine answers.
int dj_join_lane(dj_context *context, dj_order *order, dj_pending *later, const dj_lane_join *lane,
                 dj_order *later_order);

#endif
