// SPDX-License-Identifier: MIT
// Internals shared by counting, walking, moments and bins.
#ifndef DEJA_BASE_HISTOGRAM_HISTOGRAM_H
#define DEJA_BASE_HISTOGRAM_HISTOGRAM_H

#include <deja/histogram.h>

#include <stdatomic.h>

#include "base/huge.h"
#include "base/map.h"

struct dj_histogram {
    uint32_t *flat; // counts of the values below flat_size, in `memory`; 0: never occurred
    uint64_t flat_size;
    uint64_t most_flat; // it does not grow beyond this
    dj_huge memory;
    dj_map spilled;       // counts that exceed the counters
    dj_map sparse;        // counts of the other values
    uint64_t near_count;  // how many of those are below 2 * flat_size
    uint64_t sparse_uses; // uses of `sparse` for values below CHEAP_FLAT since the array last grew
    dj_footprint footprint;
    uint64_t *sorted; // the values in `sparse`, in increasing order, for walking
    uint64_t sorted_count;
    atomic_ullong walked; // where the last search in `sorted` ended
    dj_moments moments;
    bool measured; // `moments` is up to date
    // If measured: the total counts of the values below 0, DJ_HISTOGRAM_RUN, 2 * DJ_HISTOGRAM_RUN, … up to
    // the end of the array; NULL if there was no memory for it.
    uint64_t *below;
    // Likewise, of the sorted values before each, and of all.
    uint64_t *sparse_below;
};

enum { DJ_HISTOGRAM_RUN = 1024 }; // values whose sum of squares fits in 64 bits; a power of two

// Walks the entire histogram and fills `below`; dj_histogram_moments caches the result.
dj_moments dj_histogram_measure(const dj_histogram *histogram, uint64_t *below);
// Fills `sparse_below`.
void dj_histogram_sum_sparse(dj_histogram *histogram);

#endif
