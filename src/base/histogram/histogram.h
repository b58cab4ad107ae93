// SPDX-License-Identifier: MIT
// What the parts of the histogram tell each other: counting, walking, moments and bins.
#ifndef DEJA_BASE_HISTOGRAM_HISTOGRAM_H
#define DEJA_BASE_HISTOGRAM_HISTOGRAM_H

#include <deja/histogram.h>

#include "base/huge.h"
#include "base/map.h"

struct dj_histogram {
    uint32_t *flat; // of the values below flat_size, in `memory`; 0: never seen
    uint64_t flat_size;
    dj_huge memory;
    dj_map spilled; // what they count beyond that
    dj_map sparse;  // counts of the others
    uint64_t soon;  // those in it that are below 2 * flat_size
    uint64_t asked; // how often it was used for values below CHEAP_FLAT since the array grew
    dj_footprint footprint;
    uint64_t *sorted; // the values in the map, in order, for walking
    uint64_t sorted_count;
    dj_moments moments;
    bool measured; // moments are those of all that was added
    // Where it is measured, how many were counted of the values below 0, DJ_HISTOGRAM_RUN, 2 * that, … up to
    // the end of the array; NULL when there was no memory for it.
    uint64_t *below;
};

enum { DJ_HISTOGRAM_RUN = 1024 }; // values whose sums of squares fit into 64 bits; a power of two

// Walks the whole histogram and fills `below`; dj_histogram_moments remembers the result.
dj_moments dj_histogram_measure(const dj_histogram *histogram, uint64_t *below);

#endif
