// SPDX-License-Identifier: MIT
// What bursts found: how often each distance occurred, and how much the bursts differ.
//
// In a burst, the distance of a reuse is exact. The block of another access was last used before the burst,
// if ever: the distance is at least the number of blocks that the burst has used so far. In caches of up to
// that size the access misses; in larger ones that is unknown.
#ifndef DEJA_OBSERVE_BURSTS_SUMS_H
#define DEJA_OBSERVE_BURSTS_SUMS_H

#include <deja/error.h>

#include "base/fine_bins.h"
#include "base/pack.h"
#include "observe/bursts/schedule.h"

enum {
    DJ_BURST_BITS = 4, // 16 sizes for each doubling have errors of their own
    DJ_BURST_SIZES = ((DJ_BURST_MOST_LOG2 - DJ_BURST_BITS + 1) << DJ_BURST_BITS) + 1,
};

// The cache sizes with errors of their own: 0, 1, … 32, 34, … 2^DJ_BURST_MOST_LOG2.
static inline uint64_t dj_burst_size(unsigned at)
{
    return dj_fine_bin_low(at, DJ_BURST_BITS);
}

// One burst: the accesses that count, by the size that dj_burst_size gives.
typedef struct dj_burst_counts {
    uint64_t weight;
    uint64_t accesses;
    uint64_t cold;                    // their blocks were never used before
    uint32_t reuses[DJ_BURST_SIZES];  // by distance
    uint32_t unknown[DJ_BURST_SIZES]; // others, by the least distance that is possible
} dj_burst_counts;

// The misses in a cache are between `low` and `high`, depending on the unknown distances.
enum { DJ_BURST_LOW, DJ_BURST_HIGH, DJ_BURST_ENDS };

typedef struct dj_burst_sums {
    uint64_t bursts;   // that have accesses
    uint64_t accesses; // in them that count
    uint64_t weighted; // the accesses that these stand for
    uint64_t cold;     // likewise; so are all that follow
    double squares;    // of the weighted accesses of each burst
    // By size: squares of the differences between the weighted misses of consecutive bursts, and these times
    // the differences between their weighted accesses; and squares of the latter.
    double misses[DJ_BURST_ENDS][DJ_BURST_SIZES], mixed[DJ_BURST_ENDS][DJ_BURST_SIZES], lengths;
    // The last burst.
    uint64_t last_weighted, last_misses[DJ_BURST_ENDS][DJ_BURST_SIZES];
    uint64_t *reuses, *unknown; // how often each distance occurred, weighted
    uint64_t distances;         // of each; a power of two
} dj_burst_sums;

// Of bursts with this warm-up.
int dj_burst_sums_create(dj_context *context, unsigned warm_log2, dj_burst_sums *sums);
void dj_burst_sums_free(dj_burst_sums *sums);
// Counts accesses with these distances; `known`: how many blocks the burst had used before; *known is
// updated. `whole`: the burst began with the trace.
void dj_burst_count(dj_burst_sums *sums, dj_burst_counts *counts, const uint64_t *distance, uint32_t count,
                    bool whole, uint64_t *known);
// Adds the differences between a complete burst and the last one.
void dj_burst_sums_add(dj_burst_sums *sums, const dj_burst_counts *counts);
// Adds the bursts of a later part of the trace.
void dj_burst_sums_merge(dj_burst_sums *sums, const dj_burst_sums *later);
// In a summary. Bursts can be merged afterwards, but none can be added.
void dj_burst_sums_save(const dj_burst_sums *sums, dj_packer *to);
// Replaces empty sums.
int dj_burst_sums_load(dj_burst_sums *sums, dj_context *context, dj_unpacker *from);

// The number of equally long bursts that would be as precise.
double dj_burst_sums_effective(const dj_burst_sums *sums);
// The standard error of the ratio of weighted misses to weighted accesses.
double dj_burst_sums_error(const dj_burst_sums *sums, unsigned end, unsigned size, uint64_t misses);

#endif
