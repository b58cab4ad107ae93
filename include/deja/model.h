// SPDX-License-Identifier: MIT
/// \file
/// Models: pure functions of a profile.
#ifndef DEJA_MODEL_H
#define DEJA_MODEL_H

#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dj_mrc_point {
    uint64_t size; ///< blocks (bytes for a byte curve)
    uint64_t misses;
    double ratio;
} dj_mrc_point;

/// Misses in a fully associative LRU cache at each of `sizes` (increasing). An access hits if its distance
/// is below the size; first accesses always miss.
DJ_API int dj_mrc_lru(dj_context *context, const dj_lane_profile *lane, const uint64_t *sizes, size_t count,
                      dj_mrc_point *out);
/// Whether these misses are exact for a lane with exact distances: always, unless it was loaded from bins,
/// and the size may be inside of one. They are upper bounds then.
DJ_API bool dj_mrc_is_exact_at(const dj_lane_profile *lane, uint64_t size);

/// The complete curve: a point for size 0 and one for each size at which the number of misses falls; it is
/// flat in between. The caller frees *out.
DJ_API int dj_mrc_steps(dj_context *context, const dj_lane_profile *lane, dj_mrc_point **out, size_t *count);

/// Sizes worth showing: 1, then up to `per_doubling` different sizes for each doubling, up to the smallest
/// size at which only cold misses remain. The caller frees *out.
DJ_API int dj_mrc_sizes(dj_context *context, const dj_lane_profile *lane, unsigned per_doubling,
                        uint64_t **out, size_t *count);

/// The band of an estimated curve: the exact miss ratio of a fully associative LRU cache is not below `low`
/// and not above `high`. That is certain for approximate distances. For a sample it is probable: in trials,
/// at least 95 of 100 bands contained the exact curve at all sizes.
typedef struct dj_band {
    double low, high;
} dj_band;

/// What the bands of a lane are based on.
typedef struct dj_band_origin {
    bool known;     ///< false: there are none, since the lane is exact or its error unknown
    bool certified; ///< the exact miss ratio is certainly inside, not only probably
    double rate;    ///< share of the keys that were analyzed
    uint64_t keys;  ///< number of keys that were analyzed
} dj_band_origin;

DJ_API dj_band_origin dj_lane_band_origin(const dj_profile *profile, const dj_lane_profile *lane);
/// The band at each of `sizes` (increasing). `lane` is one of the profile's, or of a part of one.
/// DJ_ERR_USAGE if the bands are not known.
DJ_API int dj_mrc_band(dj_context *context, const dj_profile *profile, const dj_lane_profile *lane,
                       const uint64_t *sizes, size_t count, dj_band *out);
/// The largest difference between `high` and `low`: of these bands, and over all sizes.
DJ_API double dj_band_widest(const dj_band *bands, size_t count);
DJ_API int dj_mrc_band_widest(dj_context *context, const dj_profile *profile, const dj_lane_profile *lane,
                              double *out);

/// A point on the miss-ratio curve of a cache that holds elements of different sizes. Sizes are in bytes.
typedef struct dj_byte_point {
    uint64_t size_bytes;
    uint64_t misses;
    double ratio;
    uint64_t miss_bytes;
    double byte_ratio;
} dj_byte_point;

/// Needs byte_distance and byte_weight (DJ_ERR_USAGE). `sizes` increase.
DJ_API int dj_mrc_bytes(dj_context *context, const dj_lane_profile *lane, const uint64_t *sizes_bytes,
                        size_t count, dj_byte_point *out);

/// The bands of these points, by requests and by bytes. DJ_ERR_USAGE if they are not known: the distances do
/// not come from a sample, or approximate distances have no bound in bytes.
DJ_API int dj_mrc_byte_bands(dj_context *context, const dj_lane_profile *lane, const uint64_t *sizes_bytes,
                             size_t count, dj_band *requests, dj_band *bytes);
/// Whether dj_mrc_byte_bands has bands for the lane.
DJ_API bool dj_lane_has_byte_bands(const dj_lane_profile *lane);

/// Like dj_mrc_sizes, in bytes.
DJ_API int dj_mrc_byte_sizes(dj_context *context, const dj_lane_profile *lane, unsigned per_doubling,
                             uint64_t **out, size_t *count);

/// The probability that an access at reuse distance `distance` hits in a cache of `sets` × `ways` blocks
/// with LRU sets (A. J. Smith, 1978): that fewer than `ways` of the `distance` blocks in between fall into
/// its set, all sets being equally likely. 1 or 0 if sets is 1. Relative error below 1e-11 for distances
/// below 2^40; cost O(sqrt(distance / sets)), and at most O(ways).
DJ_API double dj_smith_hit(uint64_t distance, uint64_t sets, uint64_t ways);

typedef struct dj_estimate {
    double misses; ///< expected number, including cold misses
    double ratio;
} dj_estimate;

/// Smith's formula over an entire profile. Equal to dj_mrc_lru if sets is 1.
DJ_API int dj_mrc_smith(dj_context *context, const dj_lane_profile *lane, uint64_t sets, uint64_t ways,
                        dj_estimate *out);

/// Where the curve drops (Ding and Zhong 2001, section 3.2).
enum { DJ_LONG_DISTANCE = 64, DJ_EFFECTIVE_MAX = 16 };

typedef struct dj_effective_size {
    uint64_t lo, hi;    ///< a range of distances (2^k … 2^(k+1) − 1) with many long reuses
    double share;       ///< of the long reuses
    uint64_t size;      ///< smallest cache size at which the entire range hits
    double ratio;       ///< miss ratio at that size
    double drop_before; ///< how much the miss ratio falls from the previous size (or 64) to `lo`
} dj_effective_size;

/// The ranges with the most long reuses, until they cover 90% of them or the next would add less than 7.5%.
typedef struct dj_effective {
    uint64_t long_reuses; ///< at distance 64 or more
    double long_share;    ///< of all accesses
    double covered;       ///< share of the long reuses in the ranges below
    unsigned range_count; ///< ranges between 64 and the longest distance
    size_t count;
    dj_effective_size sizes[DJ_EFFECTIVE_MAX]; ///< by increasing size
} dj_effective;

DJ_API int dj_effective_sizes(dj_context *context, const dj_lane_profile *lane, dj_effective *out);

/// Temporal locality.
typedef struct dj_locality {
    bool any;            ///< false: nothing was reused
    double distance;     ///< mean reuse distance
    double median, mean; ///< of the reuse distances, relative to the number of distinct blocks
} dj_locality;

/// What traces are compared by; lower is better, and a trace without reuses is worst.
enum dj_locality_rule {
    DJ_LOCALITY_MEAN,   ///< mean reuse distance, as "Reuse Distance Calculation" (2024) does
    DJ_LOCALITY_MEDIAN, ///< median relative to the distinct blocks, then the mean likewise
};

DJ_API dj_locality dj_temporal_locality(const dj_lane_profile *lane);
/// Negative if `a` has better locality.
DJ_API int dj_locality_compare(enum dj_locality_rule rule, const dj_locality *a, const dj_locality *b);

#ifdef __cplusplus
}
#endif
#endif
