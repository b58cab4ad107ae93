// SPDX-License-Identifier: MIT
// How many distinct data the members of a company access together in an interval between two accesses of
// member 0 to one datum, which does not count.
#ifndef DEJA_MODEL_CORUN_OVERLAP_H
#define DEJA_MODEL_CORUN_OVERLAP_H

#include "model/corun/company.h"

// What does not depend on the data of member 0. `missed` is the share of its data that it does not access.
typedef struct dj_overlap {
    double others;          // expected data of classes without member 0
    double own;             // data of classes with member 0
    double left;            // those that the others do not access
    double left_squares;    // the same with squared probabilities
    double others_variance; // for given numbers of data of each member
    double own_variance;    // likewise, times the square of `missed`
    size_t count;           // other members
    struct {
        double spare;          // variance per squared number of data
        double slope_variance; // of its number of data, per squared number of data
        double with, without; // expected data that all members miss, of its classes with member 0 and without
    } other[DJ_CORUN_MOST];
    double size; // data of member 0, less 1
    double most; // sum of the data that the others can access
} dj_overlap;

// `number` and `variance` of the data that each other member accesses, from index 1 on.
void dj_overlap_set(dj_overlap *overlap, const dj_company *company, const double *number,
                    const double *variance);

typedef struct dj_overlap_law {
    double mean, variance;
} dj_overlap_law;

// If member 0 accesses `number` data in between, with a variance.
dj_overlap_law dj_overlap_of(const dj_overlap *overlap, double number, double variance);

#endif
