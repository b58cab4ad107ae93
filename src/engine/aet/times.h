// SPDX-License-Identifier: MIT
// How often each time distance occurred, and the reuse distances that follow from it if all windows of a
// length have the same number of distinct keys, the average.
//
// Idea:  In a window of w accesses, the access at position i is the first to its key if its time distance is
//        more than i. So the average number of distinct keys is Σ_{i<w} P(i), where P(i) is the share of
//        accesses whose time distance is more than i; first accesses have an infinite one. A reuse with time
//        distance t has t − 1 accesses in between, and its distance is taken to be that average. This is the
//        model AET. It counts windows that extend beyond the ends of the trace. The model "footprint" does
//        not; with the first and last access of each key, it is the exact average over the windows of a trace
//        of T accesses:
//            (w · T − Σ max(0, w − x)) / (T − w + 1), over all time distances and edges x.
//        Without the edges, and with T below the line, this is AET.
// Paper: Hu and others, "Kinetic modeling of data eviction in cache", USENIX ATC 2016; Xiang and others,
//        "HOTL: a higher order theory of locality", ASPLOS 2013.
// Bound: none. Time distances are counted in bins of less than 1 % of their value, with their mean.
#ifndef DEJA_ENGINE_AET_TIMES_H
#define DEJA_ENGINE_AET_TIMES_H

#include <deja/histogram.h>

enum {
    DJ_TIMES_BITS = 7,                                         // of fine_bins.h: 128 bins for each doubling
    DJ_TIMES_BINS = (64 - DJ_TIMES_BITS + 1) << DJ_TIMES_BITS, // for any 64-bit time
};

// Values in bins, with the mean of each bin. The sums are exact up to 2^53.
typedef struct dj_times_bins {
    uint64_t count[DJ_TIMES_BINS];
    double sum[DJ_TIMES_BINS];
} dj_times_bins;

void dj_times_add(dj_times_bins *bins, uint64_t value, uint64_t count);

typedef struct dj_times {
    uint64_t accesses;   // known, not estimated
    uint64_t cold;       // first accesses, estimated
    dj_times_bins reuse; // time distances, estimated
    // Edges of the trace: accesses up to the first access of each key, and from its last one on, both
    // inclusive. Only for the model footprint.
    dj_times_bins edge;
} dj_times;

enum dj_times_model { DJ_TIMES_FOOTPRINT, DJ_TIMES_AET };

// Adds the distances of all accesses but the first ones, whose number is added to *cold. Together they are
// as many as `accesses`. Adjusts the estimates to what is known.
int dj_times_distances(dj_times *times, dj_context *context, enum dj_times_model model, dj_histogram *into,
                       uint64_t *cold);

#endif
