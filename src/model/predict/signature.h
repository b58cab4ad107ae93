// SPDX-License-Identifier: MIT
// A reuse signature: how many reuses have which distance, and how many accesses have none. Shares of it are
// exact however they cut through its rows.
#ifndef DEJA_MODEL_PREDICT_SIGNATURE_H
#define DEJA_MODEL_PREDICT_SIGNATURE_H

#include <deja/profile.h>

// Reuses spread evenly over the distances lo … hi, both inclusive.
typedef struct dj_signature_row {
    double lo, hi, count;
} dj_signature_row;

typedef struct dj_signature {
    dj_signature_row *rows; // by distance; do not overlap
    size_t count;
    double *below; // reuses before each row; below[count]: all
    double *sum;   // their distances, added up
    double reuses, cold;
} dj_signature;

// How the rows of a lane that was loaded from bins are understood.
enum dj_within_bin {
    DJ_AT_LONGEST, // all reuses of a bin at its longest distance, as everywhere else
    DJ_SPREAD_OUT, // spread from the beginning of the bin to its longest distance
};

int dj_signature_of_lane(dj_context *context, const dj_lane_profile *lane, enum dj_within_bin within,
                         dj_signature *out);
int dj_signature_of_tally(dj_context *context, const dj_tally *tally, const dj_attribution *a,
                          dj_signature *out);
// All reuses of a profile, from its places: their bins are finer than those that histograms are saved with,
// and each place has its own shortest, longest and mean distance.
int dj_signature_of_places(dj_context *context, const dj_attribution *a, dj_signature *out);
// Room for `count` rows, which the caller fills in before it calls dj_signature_finish.
int dj_signature_create(dj_context *context, size_t count, dj_signature *out);
void dj_signature_finish(dj_signature *signature);
void dj_signature_sort(dj_signature *signature); // by distance, then finishes it
void dj_signature_free(dj_signature *signature); // a zeroed structure is allowed

// The mean distance of the reuses from position `from` to position `to`, counted from the shortest.
double dj_signature_mean(const dj_signature *signature, double from, double to);
// The number of reuses with a distance below this.
double dj_signature_below(const dj_signature *signature, double distance);
// Misses divided by accesses, in a fully associative LRU cache of that many blocks.
double dj_signature_ratio(const dj_signature *signature, double blocks);

// Shares of all accesses by DJ_BINS_LOG2; the last one is the cold accesses.
enum { DJ_SIGNATURE_BINS = 66 };
void dj_signature_bins(const dj_signature *signature, double *out);
// Half the sum of the differences of these shares: 0 if they agree, 1 if they have nothing in common.
double dj_signature_difference(const dj_signature *a, const dj_signature *b);
// The same, or with bins that begin half a bin later, if that is less: many reuses at one distance near the
// border of two bins do not make signatures that are almost the same disagree.
double dj_signature_disagreement(const dj_signature *a, const dj_signature *b);

#endif
