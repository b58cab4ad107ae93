// SPDX-License-Identifier: MIT
/// \file
/// Components of spatial locality: by behaviour (ranges of the reuse distance) and by program (functions,
/// loops, lines, contexts, data). Pure functions of a profile with a spatial part.
#ifndef DEJA_COMPONENTS_H
#define DEJA_COMPONENTS_H

#include <deja/advice.h>
#include <deja/breakdown.h>
#include <deja/profile.h>
#include <deja/tracing.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A component is a serious problem if it is large, its distances are long, and its score is low.
typedef struct dj_spatial_limits {
    double size;          ///< minimum share of the reuses of a large component; default 0.05
    uint64_t near_blocks; ///< good temporal locality: mean distance below this; default 256. A ranking uses
                          ///< the bin that contains it and all bins above
    double good;          ///< good spatial locality: score above this; default 0.97
} dj_spatial_limits;

#define DJ_SPATIAL_LIMITS ((dj_spatial_limits){0.05, 256, 0.97})

enum dj_component_kind {
    DJ_COMPONENT_PEAK,  ///< a peak of the reuse signature between two troughs
    DJ_COMPONENT_CACHE, ///< distances from one cache size to the next
};

typedef struct dj_component {
    enum dj_component_kind kind;
    size_t pair;     ///< index into the pairs of the profile
    size_t cache;    ///< of a cache component: index into the caches
    uint64_t lo, hi; ///< distances in blocks of b, both inclusive; hi UINT64_MAX: no end
    uint64_t reuses, effective;
    uint64_t intercepted; ///< of a peak
    double size;          ///< share of all reuses at b
    double score;
    double mean_distance;                     ///< in blocks of b
    dj_spatial_range size_range, score_range; ///< of an estimate
    bool good_temporal, good_spatial;
    bool serious;
} dj_component;

/// The components of one pair, from short to long distances. Peaks contain all reuses; caches those from
/// the smallest cache on. The caller frees *out.
DJ_API int dj_components(dj_context *context, const dj_spatial *spatial, size_t pair,
                         enum dj_component_kind kind, const dj_spatial_limits *limits, dj_component **out,
                         size_t *count);

/// What the rows of a ranking represent.
enum dj_rank_by {
    DJ_RANK_LINE,                 ///< a line and the object that it accesses
    DJ_RANK_LINE_CALLING_CONTEXT, ///< the same in each calling context
    /// The innermost loop around an access, possibly in a caller, and an object: all lines of the loop
    /// together. Accesses outside of loops are grouped by function.
    DJ_RANK_LOOP,
    DJ_RANK_COUNT,
};

typedef struct dj_rank_row {
    char *name;        ///< "solve.c:14 in sweep", "loop solve.c:9-20 in sweep"
    char *object_name; ///< "grid[*].x"
    char *path;        ///< "main > solve > sweep" for a line in context; otherwise ""
    uint32_t place;    ///< the place with the most poor reuses
    /// Rows of the attribution, or DJ_NOWHERE: those of that place, but a loop has its own function, file
    /// and first line. cct_node is set for lines in context.
    uint32_t function, loop, file, line, object, cct_node;
    uint64_t accesses;    ///< including cold misses
    dj_spatial_count all; ///< all reuses at b; their score is that of the row
    dj_spatial_count far; ///< reuses that count for the ranking: from near_blocks on, or misses in `cache`
    /// far.reuses − 2 · far.effective: poor reuses. Rows add up to the total. Negative if other lines fetch
    /// the blocks that this row reuses.
    int64_t poor;
    double share; ///< of poor_above; 0 if `poor` is not positive
    /// Of an estimate, if `ranged` of the ranking is set.
    dj_row_range accesses_range;
    dj_spatial_tally_range all_range, far_range;
    bool weak; ///< the range of `poor` is too wide to be useful (dj_range_is_weak)
    dj_usage usage;
    uint64_t saved;                ///< misses in the cache (default: the first) that a score of 1 would avoid
    const dj_spatial_rule *advice; ///< the rule that applies, for the worst rows; NULL: none
    char *text;                    ///< evidence and advice in sentences; "" for the other rows
} dj_rank_row;

typedef struct dj_ranking_options {
    size_t pair; ///< index
    enum dj_rank_by by;
    /// Index of the cache that defines which reuses are long and which are effective. SIZE_MAX: distances
    /// from limits.near_blocks on are long, and the bins define which are effective.
    size_t cache;
    dj_spatial_limits limits;
    size_t advise; ///< number of the worst rows that get advice; 0: 10
    /// Advice rules in the order in which they are tried; they must outlive the ranking. NULL: those of the
    /// library (docs/spatial.md describes the evidence that each needs).
    const dj_spatial_rule *const *rules;
    size_t rule_count;
} dj_ranking_options;

typedef struct dj_ranking {
    dj_rank_row *rows; ///< by `poor`, largest first
    size_t count;
    dj_spatial_count all, far; ///< totals
    int64_t poor;
    uint64_t poor_above; ///< sum of `poor` over the rows in which it is positive
    bool ranged;         ///< rows have ranges
} dj_ranking;

/// Needs a profile with an attribution whose tallies have a spatial part (DJ_ERR_USAGE).
DJ_API int dj_ranking_create(dj_context *context, const dj_profile *profile,
                             const dj_ranking_options *options, dj_ranking **out);
DJ_API void dj_ranking_destroy(dj_ranking *ranking); ///< NULL is allowed

/// The reuses of a tally that are long, and the effective ones among them: `far` of a ranking.
DJ_API dj_spatial_count dj_spatial_far(const dj_spatial_counts *counts, const dj_ranking_options *options);
/// The range of `far`, and of all reuses. False: they are exact, or not known.
DJ_API bool dj_spatial_far_tally_range(const dj_profile *profile, const dj_tally *tally,
                                       const dj_ranking_options *options, dj_spatial_tally_range *out);
DJ_API bool dj_spatial_all_tally_range(const dj_profile *profile, const dj_tally *tally, size_t pair,
                                       dj_spatial_tally_range *out);
/// Whether the range of a number of poor reuses is too wide to be useful; `above` is the sum over all rows in
/// which it is positive.
DJ_API bool dj_spatial_is_weak(const dj_spatial_tally_range *range, double poor, double above);
/// All reuses of a tally; the bins define which are effective.
DJ_API dj_spatial_count dj_spatial_all(const dj_spatial_counts *counts);

#ifdef __cplusplus
}
#endif
#endif
