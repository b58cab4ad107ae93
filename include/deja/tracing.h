// SPDX-License-Identifier: MIT
/// \file
/// Section `tracing` of a lane: which part of a run was traced, in bursts, and the error of what is estimated
/// from it.
#ifndef DEJA_TRACING_H
#define DEJA_TRACING_H

#include <deja/attribution.h>
#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bounds of the miss ratio, at cache sizes from `size` up to the next row.
typedef struct dj_tracing_band {
    uint64_t size; ///< in blocks
    double low, high;
} dj_tracing_band;

typedef struct dj_tracing {
    uint64_t bursts;        ///< stretches of the run that were traced
    uint64_t accesses;      ///< in them
    uint64_t unknown;       ///< those to a block that its burst had not accessed before
    double share;           ///< of the run that was traced
    double error;           ///< standard error of the number of all accesses, relative
    dj_tracing_band *bands; ///< by increasing size; the first is 0
    size_t band_count;
    double weight;      ///< accesses that one stands for, after the first burst; 0: not known
    double longest;     ///< the part of the run, after the first burst, that its longest interval takes
    uint64_t *groups;   ///< length of each group of bursts (dj_spread), without that of the first burst
    size_t group_count; ///< 0, or DJ_SPREAD_GROUPS − 1
    /// Of a run with a budget (session.h): what it could cost, and what it has cost, as factors of the cost
    /// without bursts; the rate that was chosen. 0: none, or not known.
    double budget, cost, rate;
    double unsampled; ///< part of the run in which no burst could begin, since its speed was measured there
} dj_tracing;

/// NULL: the run was traced completely.
DJ_API const dj_tracing *dj_lane_tracing(const dj_lane_profile *lane);

/// The range that probably contains a count, if it could be known exactly.
typedef struct dj_row_range {
    double low, high;
} dj_row_range;

/// Of the misses of a tally at a cut, or, from the number of cuts on, of its accesses: three standard errors,
/// from how much the bursts, or the slices of a sample of the blocks (sample.h), differ, and what these do
/// not know. False: it is exact, or not known.
DJ_API bool dj_tally_range(const dj_profile *profile, const dj_tally *tally, size_t cut, dj_row_range *out);

/// Whether the counts of places are estimates: from bursts, or from a sample of the blocks.
DJ_API bool dj_rows_are_estimates(const dj_profile *profile);

/// Of the reuses of a tally at a pair of block sizes: those in bins from `bin` on, or, if `cache` is not
/// SIZE_MAX, its misses there. False: they are exact, or not known.
DJ_API bool dj_tally_spatial_range(const dj_profile *profile, const dj_tally *tally, size_t pair,
                                   unsigned bin, size_t cache, dj_spatial_tally_range *out);

/// Whether a range is too wide to be useful: wider than the estimate, and than a tenth of the whole that the
/// count is a part of.
DJ_API bool dj_range_is_weak(const dj_row_range *range, double estimate, double whole);

#ifdef __cplusplus
}
#endif
#endif
