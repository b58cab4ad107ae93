// SPDX-License-Identifier: MIT
/// \file
/// What changed between two runs of a program, or between two traces: accesses, misses and curves, in total
/// and by the code and data responsible.
#ifndef DEJA_DIFF_H
#define DEJA_DIFF_H

#include <deja/breakdown.h>
#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DJ_BEFORE, DJ_AFTER, DJ_SIDES };

/// A count in both runs. The numbers are those of the profiles; dj_diff_change applies the work.
typedef struct dj_diff_count {
    uint64_t runs[DJ_SIDES];
    /// How far each may be from the exact count, divided by the work, if the run is an estimate.
    double errors[DJ_SIDES];
} dj_diff_count;

/// A cache that is compared: one that both profiles have.
typedef struct dj_diff_cache {
    char *name;
    uint64_t blocks;
    size_t cuts[DJ_SIDES]; ///< index into the cuts of each attribution
} dj_diff_cache;

/// A point on both curves.
typedef struct dj_diff_point {
    uint64_t size; ///< in blocks
    dj_diff_count misses;
    double ratios[DJ_SIDES];
} dj_diff_point;

/// One data object, function, loop, line, context or thread, in one run or in both.
typedef struct dj_diff_row {
    char *name;        ///< after; if it is only in the first run, before
    char *was;         ///< its name before, if that differs; NULL: the same, or not in both
    bool in[DJ_SIDES]; ///< which of the runs have it
    char *function;    ///< around a loop or line; NULL: none
    dj_diff_count accesses;
    dj_diff_count *misses; ///< at each cache
} dj_diff_row;

typedef struct dj_diff_rows {
    enum dj_by by;
    dj_diff_row *list; ///< by the change that counts most (dj_diff.ranked), the largest first
    size_t count;
    /// The row of each part in the breakdown of each run (dj_breakdown_create): parts of one name share a
    /// row. DJ_NOWHERE: no row, since it does not differ and only rows that differ were requested.
    uint32_t *row_of[DJ_SIDES];
    size_t part_counts[DJ_SIDES];
} dj_diff_rows;

typedef struct dj_diff_request {
    const dj_profile *profiles[DJ_SIDES];
    const char *names[DJ_SIDES]; ///< for messages
    enum dj_by by[DJ_BY_COUNT];  ///< breakdowns
    size_t by_count;
    double work[DJ_SIDES]; ///< elements of work in each run, by which counts are divided; 0: as counted
    const uint64_t *sizes; ///< of the curves, increasing; NULL: powers of two
    size_t size_count;
    bool all_rows; ///< also rows that do not differ
} dj_diff_request;

/// Which count changed most, relative to its size: the index of a cache, or one of these.
enum { DJ_DIFF_NOTHING = -3, DJ_DIFF_ACCESSES = -2, DJ_DIFF_CURVE = -1 };

typedef struct dj_diff {
    double work[DJ_SIDES]; ///< 1 and 1: counts as they are
    dj_diff_count accesses, distinct, cold;
    dj_diff_cache *caches;
    dj_diff_count *misses; ///< at each cache
    size_t cache_count;
    dj_diff_point *points;
    size_t point_count;
    dj_diff_rows rows[DJ_BY_COUNT]; ///< as requested
    size_t row_lists;
    int ranked;         ///< the cache by which rows are sorted, or one of the constants above
    size_t worst;       ///< the point of the curves that changed most, if `ranked` is DJ_DIFF_CURVE
    char *not_compared; ///< which caches only one run has; NULL: none
    bool estimated;     ///< a run is an estimate
    /// The part of the accesses of the program itself, without libraries, in functions that both runs have:
    /// the smaller one of the two; 1 for traces.
    double shared;
} dj_diff;

/// DJ_ERR_USAGE, with the reason, if the profiles cannot be compared: they differ in block size, filter,
/// kind of data or exactness, or are of different programs.
DJ_API int dj_diff_profiles(dj_context *context, const dj_diff_request *request, dj_diff **out);
DJ_API void dj_diff_destroy(dj_diff *diff); ///< NULL is allowed

/// The difference, after minus before, each divided by its work.
DJ_API double dj_diff_change(const dj_diff *diff, const dj_diff_count *count);
/// The count of one run, divided by its work.
DJ_API double dj_diff_value(const dj_diff *diff, const dj_diff_count *count, int run);
/// How far the difference may be from the exact one.
DJ_API double dj_diff_error(const dj_diff_count *count);
/// Whether the runs differ: by more than the error, if there is one.
DJ_API bool dj_diff_differs(const dj_diff *diff, const dj_diff_count *count);
/// The curves at one size, in blocks.
DJ_API int dj_diff_at(dj_context *context, const dj_diff_request *request, const dj_diff *diff, uint64_t size,
                      dj_diff_point *out);
/// The count of a row, or of the totals (`row` NULL), by which rows are sorted.
DJ_API const dj_diff_count *dj_diff_ranked(const dj_diff *diff, const dj_diff_row *row);

#ifdef __cplusplus
}
#endif
#endif
