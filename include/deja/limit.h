// SPDX-License-Identifier: MIT
/// \file
/// Limits for scripts, such as 'L2.misses > +2%': on what a run counts, and on what changed since another
/// run.
#ifndef DEJA_LIMIT_H
#define DEJA_LIMIT_H

#include <deja/diff.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dj_limit_measure {
    DJ_LIMIT_ACCESSES,
    DJ_LIMIT_DISTINCT,
    DJ_LIMIT_COLD,
    DJ_LIMIT_MISSES, ///< in a cache, or at any point of the curve
    DJ_LIMIT_RATIO,  ///< misses for each access
};

enum dj_limit_kind {
    DJ_LIMIT_VALUE,   ///< of the run after the change
    DJ_LIMIT_CHANGE,  ///< after minus before
    DJ_LIMIT_PERCENT, ///< the change, in percent of before
};

typedef struct dj_limit {
    char *text; ///< as typed
    bool of_parts;
    enum dj_by by; ///< which parts
    char *part;    ///< their names, a pattern as in a shell; NULL: all
    enum dj_limit_measure measure;
    char *cache;     ///< a name, or a size with or without a unit, as typed; NULL: any point of the curve
    uint64_t blocks; ///< its size, set by dj_limits_resolve
    bool below;      ///< crossed by smaller values, not by larger ones
    bool inclusive;  ///< crossed by an equal value, too
    enum dj_limit_kind kind;
    double value;
} dj_limit;

typedef struct dj_limits {
    dj_limit *list;
    size_t count;
} dj_limits;

/// Parses [PART[=NAME]:]MEASURE OPERATOR LIMIT and adds it to the list; docs/diff.md has the grammar.
DJ_API int dj_limits_parse(dj_context *context, const char *text, dj_limits *limits);
DJ_API void dj_limits_free(dj_limits *limits);

/// A cache by its name.
typedef struct dj_named_cache {
    const char *name;
    uint64_t blocks;
    bool
        of_parts; ///< misses in it are known by part: limits on parts mean this one, if several have the name
} dj_named_cache;

/// Finds the caches that the limits name; sizes with a unit are divided by the size of a block (0: keys).
/// DJ_ERR_USAGE for a name that is not in the list, and for a limit on parts if others are of_parts.
DJ_API int dj_limits_resolve(dj_context *context, dj_limits *limits, const dj_named_cache *caches,
                             size_t count, uint64_t block_bytes);

/// A count for which a limit is crossed, or may be.
typedef struct dj_crossing {
    const dj_limit *limit;
    char *measure; ///< "L2.misses", "4096.ratio"
    char *part;    ///< the object, function, ...; NULL: the total
    double before; ///< NAN without a run before
    double after;
    double change;    ///< as the limit has it: the value, the difference, or percent (INFINITY: from nothing)
    double low, high; ///< the range of the change if a run is an estimate
    bool crossed;     ///< false: an estimate that may be beyond a limit on a change, or not
    bool certain;     ///< the whole range is beyond the limit
} dj_crossing;

typedef struct dj_crossings {
    dj_crossing *list; ///< in the order of the limits, the farthest from a limit first
    size_t count;
    bool crossed; ///< at least one limit is
} dj_crossings;

/// DJ_ERR_USAGE if a limit is on a change, for which there must be a run before.
DJ_API int dj_limits_need_one_run(dj_context *context, const dj_limits *limits);

/// Compares two runs with limits that were resolved; without a run before, `profiles[DJ_BEFORE]` is NULL and
/// limits on changes are refused. Limits on values are crossed if the value of an estimate may be beyond
/// them, limits on changes if it certainly is. Changes in percent below 0.1% of the total do not count for
/// parts. Refuses names of parts that none of the runs has. The limits must outlive the result.
DJ_API int dj_limits_check(dj_context *context, const dj_limits *limits, const dj_diff_request *request,
                           dj_crossings **out);
DJ_API void dj_crossings_destroy(dj_crossings *crossings); ///< NULL is allowed

#ifdef __cplusplus
}
#endif
#endif
