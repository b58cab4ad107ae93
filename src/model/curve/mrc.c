// SPDX-License-Identifier: MIT
// Miss-ratio curves of fully associative LRU caches (Mattson et al., 1970): an access hits in a cache of c
// blocks if its reuse distance is below c, so one histogram serves all sizes. Cost: one pass over the
// histogram.
#include <deja/model.h>

#include <stdlib.h>

static uint64_t total(const dj_histogram *histogram)
{
    return dj_histogram_sum(histogram, 0, UINT64_MAX);
}

static double ratio_of(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

static int check_increasing(dj_context *context, const uint64_t *sizes, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (sizes[i] < sizes[i - 1])
            return dj_fail(context, DJ_ERR_USAGE, "cache sizes must increase, but %llu follows %llu",
                           (unsigned long long)sizes[i], (unsigned long long)sizes[i - 1]);
    return DJ_OK;
}

// Counts the values below a limit, for increasing limits.
typedef struct below {
    const dj_histogram *histogram;
    uint64_t value, sum;
} below;

static uint64_t count_below(below *walk, uint64_t limit)
{
    walk->sum += dj_histogram_sum(walk->histogram, walk->value, limit);
    walk->value = limit;
    return walk->sum;
}

int dj_mrc_lru(dj_context *context, const dj_lane_profile *lane, const uint64_t *sizes, size_t count,
               dj_mrc_point *out)
{
    int err = check_increasing(context, sizes, count);
    if (err != DJ_OK)
        return err;
    uint64_t accesses = lane->cold + total(lane->distance);
    below walk = {.histogram = lane->distance};
    for (size_t i = 0; i < count; i++) {
        uint64_t misses = accesses - count_below(&walk, sizes[i]);
        out[i] = (dj_mrc_point){.size = sizes[i], .misses = misses, .ratio = ratio_of(misses, accesses)};
    }
    return DJ_OK;
}

bool dj_mrc_is_exact_at(const dj_lane_profile *lane, uint64_t size)
{
    uint64_t longest = size; // of the first bin that contains misses
    if (!lane->binned || size <= lane->moments.min || dj_histogram_next(lane->distance, &longest) == 0)
        return true;
    return lane->in_log2_bins && dj_log2_bin(size - 1) < dj_log2_bin(longest);
}

int dj_mrc_steps(dj_context *context, const dj_lane_profile *lane, dj_mrc_point **out, size_t *count)
{
    size_t steps = 1;
    uint64_t accesses = lane->cold;
    for (uint64_t value = 0, n; (n = dj_histogram_next(lane->distance, &value)) != 0; value++, steps++)
        accesses += n;
    dj_mrc_point *points = calloc(steps, sizeof *points);
    if (!points)
        return dj_fail_memory(context, "a miss-ratio curve", steps * sizeof *points);
    uint64_t misses = accesses;
    points[0] = (dj_mrc_point){.misses = misses, .ratio = ratio_of(misses, accesses)};
    size_t at = 1;
    for (uint64_t value = 0, n; (n = dj_histogram_next(lane->distance, &value)) != 0; value++, at++) {
        misses -= n;
        points[at] = (dj_mrc_point){.size = value + 1, .misses = misses, .ratio = ratio_of(misses, accesses)};
    }
    *out = points;
    *count = steps;
    return DJ_OK;
}

int dj_mrc_bytes(dj_context *context, const dj_lane_profile *lane, const uint64_t *sizes_bytes, size_t count,
                 dj_byte_point *out)
{
    if (!dj_lane_byte_distance(lane) || !dj_lane_byte_weight(lane))
        return dj_fail(context, DJ_ERR_USAGE,
                       "the profile has no byte distances: they need a trace whose requests have sizes");
    int err = check_increasing(context, sizes_bytes, count);
    if (err != DJ_OK)
        return err;
    uint64_t accesses = lane->cold + total(dj_lane_byte_distance(lane));
    uint64_t bytes = dj_lane_cold_bytes(lane) + total(dj_lane_byte_weight(lane));
    below requests = {.histogram = dj_lane_byte_distance(lane)},
          weights = {.histogram = dj_lane_byte_weight(lane)};
    for (size_t i = 0; i < count; i++) {
        // The distance includes the element itself: it hits if all of these bytes fit.
        uint64_t limit = sizes_bytes[i] == UINT64_MAX ? UINT64_MAX : sizes_bytes[i] + 1;
        uint64_t misses = accesses - count_below(&requests, limit);
        uint64_t miss_bytes = bytes - count_below(&weights, limit);
        out[i] = (dj_byte_point){.size_bytes = sizes_bytes[i],
                                 .misses = misses,
                                 .ratio = ratio_of(misses, accesses),
                                 .miss_bytes = miss_bytes,
                                 .byte_ratio = ratio_of(miss_bytes, bytes)};
    }
    return DJ_OK;
}
