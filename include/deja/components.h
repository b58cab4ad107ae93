// SPDX-License-Identifier: MIT
/// \file
/// Components of spatial locality: by behaviour (ranges of the reuse distance)
/// and by program (functions, loops, lines, contexts, data). Pure functions of a
/// profile that has a spatial part.
#ifndef DEJA_COMPONENTS_H
#define DEJA_COMPONENTS_H

#include <deja/advice.h>
#include <deja/breakdown.h>
#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/// When a component is a serious problem: it is large, its distances are long,
/// and its score is low.
typedef struct dj_spatial_limits {
    double size;          ///< share of the reuses from which on it is large; default 0.05
    uint64_t near_blocks; ///< good temporal locality: mean distance below; default 256. A ranking takes
                          ///< the bin that it lies in and all above
    double good;          ///< good spatial locality: score above; default 0.97
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
    double mean_distance; ///< in blocks of b
    bool good_temporal, good_spatial;
    bool serious;
} dj_component;

/// The components of one pair, from short to long distances. Peaks hold all
/// reuses; caches those from the smallest cache on. Free *out.
DJ_API int dj_components(dj_context *context, const dj_spatial *spatial, size_t pair,
                         enum dj_component_kind kind, const dj_spatial_limits *limits, dj_component **out,
                         size_t *count);

/// What rows of a ranking stand for.
enum dj_rank_by {
    DJ_RANK_LINE,                 ///< a line and the object that it meets
    DJ_RANK_LINE_CALLING_CONTEXT, ///< the same in each calling context
    /// The innermost loop around an access, be it one of a caller, and an object:
    /// all lines of the loop together. What no loop is around is told by function.
    DJ_RANK_LOOP,
    DJ_RANK_COUNT,
};

typedef struct dj_rank_row {
    char *name;        ///< "solve.c:14 in sweep", "loop solve.c:9-20 in sweep"
    char *object_name; ///< "grid[*].x"
    char *path;        ///< "main > solve > sweep" of a line in context; else ""
    uint32_t place;    ///< the one with the most poor reuses
    /// Rows of the attribution, or DJ_NOWHERE: those of that place, but of a loop its own function, file
    /// and first line. The context of a line in context.
    uint32_t function, loop, file, line, object, cct_node;
    uint64_t accesses;    ///< cold ones included
    dj_spatial_count all; ///< all reuses at b; their score is that of the row
    dj_spatial_count far; ///< reuses that count for the ranking: from near_blocks on, or misses of `cache`
    /// far.reuses − 2 · far.effective: reuses without a partner. Rows add up to the
    /// whole; below 0 where a line has the reuses that others prepare.
    int64_t poor;
    double share; ///< of the sum of all that are above 0; 0 when it is not
    dj_usage usage;
    uint64_t saved; ///< misses that would become hits in the cache (the first one) were the score 1
    const dj_spatial_rule *advice; ///< of the worst rows, the rule that applies; NULL: none does
    char *text;                    ///< evidence and advice in sentences; "" for the others
} dj_rank_row;

typedef struct dj_ranking_options {
    size_t pair; ///< index
    enum dj_rank_by by;
    /// Index of the cache that says which reuses are long and which effective;
    /// SIZE_MAX: distances from limits.near_blocks on, effective by the bins.
    size_t cache;
    dj_spatial_limits limits;
    size_t advise; ///< so many of the worst rows get advice; 0: 10
    /// Rules of advice in the order in which they are asked, which must outlive the ranking; NULL: those of
    /// the library (docs/spatial.md has the evidence that each needs).
    const dj_spatial_rule *const *rules;
    size_t rule_count;
} dj_ranking_options;

typedef struct dj_ranking {
    dj_rank_row *rows; ///< by `poor`, the most first
    size_t count;
    dj_spatial_count all, far; ///< of the whole
    int64_t poor;
    uint64_t poor_above; ///< sum of all that are above 0
} dj_ranking;

/// Needs a profile with an attribution whose tallies have a spatial part (DJ_ERR_USAGE).
DJ_API int dj_ranking_create(dj_context *context, const dj_profile *profile,
                             const dj_ranking_options *options, dj_ranking **out);
DJ_API void dj_ranking_destroy(dj_ranking *ranking); ///< NULL is fine

/// Which of the counts of a tally are long, and effective: `far` of a ranking.
DJ_API dj_spatial_count dj_spatial_far(const dj_spatial_counts *counts, const dj_ranking_options *options);
/// All reuses of a tally, effective by the bins.
DJ_API dj_spatial_count dj_spatial_all(const dj_spatial_counts *counts);

#ifdef __cplusplus
}
#endif
#endif
