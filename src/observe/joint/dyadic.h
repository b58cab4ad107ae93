// SPDX-License-Identifier: MIT
// Distinct data in all windows of 2^k accesses that start at multiples of 2^k, for all k at once. An access
// is the first to its datum in its window exactly if k is at most the highest bit in which its position and
// that of the previous access differ. So two adjacent windows have the sum of their counts, less the accesses
// whose highest differing bit separates the two. A trace of T accesses has fewer than 2 T windows.
#ifndef DEJA_OBSERVE_JOINT_DYADIC_H
#define DEJA_OBSERVE_JOINT_DYADIC_H

#include <deja/joint.h>

enum { DJ_DYADIC_LEVELS = 48 };

typedef struct dj_dyadic {
    struct {
        uint64_t left;     // distinct data in the last window, if it is the left one of two
        uint64_t repeated; // accesses in the current window whose previous one was in its left neighbour
    } level[DJ_DYADIC_LEVELS];
} dj_dyadic;

// Windows that were counted, by the binary logarithm of their length.
typedef struct dj_dyadic_counts {
    struct dj_dyadic_count {
        uint64_t windows;
        double mean, squares; // of the distinct data: their mean, and the sum of squared deviations
    } level[DJ_DYADIC_LEVELS];
} dj_dyadic_counts;

// The next access, at `position`; `age` is the number of accesses since the previous one to the datum, or 0.
// Windows that it completes are counted in `to`.
void dj_dyadic_add(dj_dyadic *dyadic, uint64_t position, uint64_t age, dj_dyadic_counts *to);

// Adds the windows of 2 to 2^highest accesses.
void dj_dyadic_merge(dj_dyadic_counts *to, const dj_dyadic_counts *from, unsigned highest);

// Appends those that were counted.
void dj_dyadic_windows(const dj_dyadic_counts *counts, uint64_t kind, dj_joint_window *out, size_t *number);

#endif
