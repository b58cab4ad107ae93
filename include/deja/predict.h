// SPDX-License-Identifier: MIT
/// \file
/// Locality at other inputs: from profiles of one program at several inputs to its reuse distances at any
/// size (C. Ding and Y. Zhong, "Reuse distance analysis", 2001, section 3.2; "Predicting whole-program
/// locality through reuse distance analysis", PLDI 2003). And the hills of one profile.
#ifndef DEJA_PREDICT_H
#define DEJA_PREDICT_H

#include <deja/breakdown.h>
#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a distance or a count grows with the size of the input.
enum dj_growth {
    DJ_GROWTH_CONSTANT,
    DJ_GROWTH_CUBE_ROOT,
    DJ_GROWTH_SQUARE_ROOT,
    DJ_GROWTH_TWO_THIRDS,
    DJ_GROWTH_LINEAR,
    DJ_GROWTH_N_LOG_N,
    DJ_GROWTH_POWER, ///< any power up to 1.2, without a constant
    DJ_GROWTH_FOUR_THIRDS,
    DJ_GROWTH_THREE_HALVES,
    DJ_GROWTH_FIVE_THIRDS,
    DJ_GROWTH_SQUARE,
    DJ_GROWTH_CUBE,
    DJ_GROWTH_SETTLES,      ///< approaches a constant as the inverse of the square root
    DJ_GROWTH_SETTLES_FAST, ///< approaches a constant as the inverse
};
enum { DJ_GROWTHS = DJ_GROWTH_SETTLES_FAST + 1 };

/// "constant", "cube root", "linear", …
DJ_API const char *dj_growth_name(enum dj_growth growth);

enum {
    DJ_PREDICT_LEAST = 4,   ///< fewest profiles
    DJ_PREDICT_INPUTS = 32, ///< most profiles
    DJ_PREDICT_BINS = 65,   ///< those of DJ_BINS_LOG2
};

typedef struct dj_predict_request {
    const dj_profile *const *profiles;
    const char *const *names; ///< of the profiles, for messages
    size_t count;
    const double *inputs;  ///< the size of each input, in any unit; NULL: the number of distinct data
    double to;             ///< the size to predict for, in the same unit
    const uint64_t *sizes; ///< caches, in blocks, increasing
    size_t size_count;
} dj_predict_request;

/// The miss ratio of a fully associative LRU cache, and the range that probably contains it.
typedef struct dj_predict_point {
    uint64_t size;
    double ratio, low, high;
} dj_predict_point;

/// All reuses whose distance grows in one way.
typedef struct dj_predict_group {
    double share;             ///< of all reuses at the size that is predicted
    double first, last;       ///< their shortest and longest distance at the largest input
    double to_first, to_last; ///< and at the size that is predicted
    enum dj_growth growth;    ///< up to DJ_GROWTH_N_LOG_N
    bool evadable;            ///< the distance grows by at least 5% when the data doubles
} dj_predict_group;

/// A data object, a line, or a pair of places, matched by name in the profiles.
typedef struct dj_predict_row {
    char *name;
    double accesses;       ///< predicted
    double evadable;       ///< reuses that are evadable, predicted
    enum dj_growth growth; ///< of most of its evadable reuses; constant if there are none
    double *misses;        ///< predicted, at each of the sizes
    double error;          ///< the part of its accesses that is probably elsewhere, or not there, at most
    size_t inputs;         ///< number of profiles that have it
} dj_predict_row;

typedef struct dj_predict_rows {
    dj_predict_row *list; ///< by evadable reuses
    size_t count;
    double covered; ///< share of the accesses at the largest input that the rows have
} dj_predict_rows;

enum dj_predict_by { DJ_PREDICT_OBJECTS, DJ_PREDICT_LINES, DJ_PREDICT_PAIRS };
enum { DJ_PREDICT_BYS = DJ_PREDICT_PAIRS + 1 };

typedef struct dj_growth_prediction {
    double to;   ///< the size that was predicted for
    double data; ///< distinct data at that size
    double accesses, cold;
    double count_error;  ///< how far `accesses` is probably off at most, relative to it
    double largest;      ///< size of the largest input
    double largest_data; ///< and its distinct data
    double beyond;       ///< data / largest_data
    /// Shares of all accesses, by bins of the distance: 0, 1, 2–3, 4–7, … With `cold / accesses` they add up
    /// to 1.
    double bins[DJ_PREDICT_BINS];
    dj_predict_point *points; ///< at each of the sizes
    size_t point_count;
    /// Half the sum of the differences of the shares above: how far the prediction is probably off at most.
    double error;
    double held_out; ///< the same, measured: the largest input predicted from the others
    double sampled;  ///< the part of `error` that the samples of the profiles add; 0: all are exact
    bool weak;       ///< the error is above 15%
    double evadable; ///< share of the reuses
    dj_predict_group groups[DJ_GROWTHS]; ///< by growth
    size_t group_count;
    dj_predict_rows rows[DJ_PREDICT_BYS]; ///< empty without attribution
} dj_growth_prediction;

/// DJ_ERR_USAGE, with the reason, if the profiles are not of one program and one kind of measurement, are too
/// few or too similar in size, or if nothing in them is a function of the size.
DJ_API int dj_predict(dj_context *context, const dj_predict_request *request, dj_growth_prediction **out);
DJ_API void dj_growth_prediction_destroy(dj_growth_prediction *prediction); ///< NULL is allowed

/// A part of the program, and its share of the reuses of a hill.
typedef struct dj_hill_part {
    char *name;
    double share;
} dj_hill_part;

enum { DJ_HILL_PARTS = 3, DJ_HILLS_MAX = 32 };

/// Neighbouring bins that each hold at least a fiftieth of the reuses.
typedef struct dj_hill {
    unsigned first_bin, last_bin; ///< of DJ_BINS_LOG2
    uint64_t lo, hi;              ///< the distances of these bins
    uint64_t reuses;
    double middle; ///< its median distance
    dj_hill_part objects[DJ_HILL_PARTS],
        lines[DJ_HILL_PARTS]; ///< the largest first; none without attribution
    size_t object_count, line_count;
} dj_hill;

/// How many bins are needed for a share of the reuses, the fullest first.
typedef struct dj_concentration {
    double share;
    unsigned bins;
} dj_concentration;

enum { DJ_CONCENTRATIONS = 3 };

typedef struct dj_hills {
    uint64_t reuses, long_reuses; ///< long: at least DJ_LONG_DISTANCE
    unsigned bins, long_bins;     ///< from the first that is not empty, or the first long one, to the last
    dj_concentration all[DJ_CONCENTRATIONS], longs[DJ_CONCENTRATIONS]; ///< 90%, 95% and 99%
    dj_hill list[DJ_HILLS_MAX];
    size_t count;
} dj_hills;

/// Where the distances of the first lane lie, and which code and data is there.
DJ_API int dj_hills_find(dj_context *context, const dj_profile *profile, dj_hills **out);
DJ_API void dj_hills_destroy(dj_hills *hills); ///< NULL is allowed

#ifdef __cplusplus
}
#endif
#endif
