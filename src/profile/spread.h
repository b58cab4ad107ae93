// SPDX-License-Identifier: MIT
#ifndef DEJA_PROFILE_SPREAD_H
#define DEJA_PROFILE_SPREAD_H

#include <deja/attribution.h>
#include <deja/profile.h>

// What a run was estimated from.
typedef struct dj_spread_kind {
    unsigned weight_log2; // of a block in a sample of the blocks; 0: bursts
    double together;      // blocks that are in it together
} dj_spread_kind;

// The distances where a level of a spread (attribution.h) begins, for each cut: with bursts the cut, with a
// sample of the blocks the sizes that it may be mistaken for.
enum { DJ_SPREAD_EDGES = 2 };
size_t dj_spread_edges(const dj_spread_kind *kind, uint64_t cut, uint64_t edges[DJ_SPREAD_EDGES]);
// Edges of all cuts, plus one.
static inline size_t dj_spread_levels(const dj_spread_kind *kind, size_t cut_count)
{
    return 1 + cut_count * (kind->weight_log2 ? DJ_SPREAD_EDGES : 1);
}

// DJ_ERR_INPUT unless the groups of places fit their tallies, the cuts, and the section that they belong to.
int dj_spreads_check(dj_context *context, const dj_profile *profile, const dj_attribution *attribution);

#endif
