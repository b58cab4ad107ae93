// SPDX-License-Identifier: MIT
/// \file
/// An exact histogram of 64-bit values: how often each value occurred. Memory grows with the range of small
/// values (4 bytes per value, in pages allocated on first touch) and with the number of distinct large ones.
#ifndef DEJA_HISTOGRAM_H
#define DEJA_HISTOGRAM_H

#include <deja/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dj_histogram dj_histogram;

DJ_API int dj_histogram_create(dj_context *context, dj_histogram **out);
DJ_API void dj_histogram_destroy(dj_histogram *histogram);
DJ_API int dj_histogram_add(dj_histogram *histogram, dj_context *context, uint64_t value, uint64_t count);
/// Counts each of `values` once, except DJ_COLD (UINT64_MAX), whose number is stored in *cold.
DJ_API int dj_histogram_add_all(dj_histogram *histogram, dj_context *context, const uint64_t *values,
                                size_t count, uint64_t *cold);
/// A hint: most values below `values` will occur. Pages are still allocated on first touch.
DJ_API int dj_histogram_reserve(dj_histogram *histogram, dj_context *context, uint64_t values);
/// Limits the array to the values below `values`, a power of two. The others take 20 to 90 bytes each.
DJ_API void dj_histogram_limit(dj_histogram *histogram, uint64_t values);
/// Adds counts[i], which may be 0, for value first + i. Fast for many adjacent values.
DJ_API int dj_histogram_add_counts(dj_histogram *histogram, dj_context *context, uint64_t first,
                                   const uint64_t *counts, uint64_t count);
DJ_API int dj_histogram_merge(dj_histogram *histogram, dj_context *context, const dj_histogram *other);

/// Walks the values with a count above 0 in increasing order:
/// `for (uint64_t v = 0, n; (n = dj_histogram_next(h, &v)) != 0; v++)`.
/// Sets *value to the first such value that is >= *value and returns its
/// count; returns 0 at the end. The value UINT64_MAX is never stored.
DJ_API uint64_t dj_histogram_next(const dj_histogram *histogram, uint64_t *value);

/// The total count of the values v with from <= v < below.
DJ_API uint64_t dj_histogram_sum(const dj_histogram *histogram, uint64_t from, uint64_t below);

typedef struct dj_moments {
    uint64_t count;
    uint64_t min, max;   ///< 0 when count is 0
    double mean, median; ///< median: the mean of the two middle values when count is even
    double std;          ///< population standard deviation
} dj_moments;

DJ_API dj_moments dj_histogram_moments(const dj_histogram *histogram);

/// The value that occurred most often; the smallest of those if there are several. Count 0: none occurred.
typedef struct dj_mode {
    uint64_t value, count;
} dj_mode;

DJ_API dj_mode dj_histogram_mode(const dj_histogram *histogram);

/// Binning for output.
enum dj_binning {
    DJ_BINS_LOG2,   ///< 0, 1, 2–3, 4–7, …
    DJ_BINS_LINEAR, ///< 0 … W−1, W … 2W−1, …
    DJ_BINS_EXACT,  ///< one bin per value that occurred
};

typedef struct dj_bin {
    uint64_t lo, hi; ///< both inclusive
    uint64_t count;
} dj_bin;

/// Returns the bins from the lowest to the highest that is not empty. Empty log2 bins in between are listed;
/// empty linear and exact ones are not. Free *out with free().
DJ_API int dj_histogram_bins(const dj_histogram *histogram, dj_context *context, enum dj_binning binning,
                             uint64_t width, dj_bin **out, size_t *count);

/// 0 → 0, 1 → 1, 2–3 → 2, 4–7 → 3, …
static inline unsigned dj_log2_bin(uint64_t value)
{
    return value == 0 ? 0u : 64u - (unsigned)__builtin_clzll(value);
}

#ifdef __cplusplus
}
#endif
#endif
