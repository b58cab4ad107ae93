// SPDX-License-Identifier: MIT
#include "profile/json_load.h"

#include <inttypes.h>
#include <stdlib.h>

// A list of bins on its way into a histogram.
typedef struct bins {
    dj_histogram *histogram;
    uint64_t least; // the next bin begins here or later
    uint64_t total;
    bool any, wide;
} bins;

static const dj_json_field bin_fields[] = {
    {.name = "lo", .type = DJ_JSON_UINT, .required = true, .offset = offsetof(dj_bin, lo)},
    {.name = "hi", .type = DJ_JSON_UINT, .required = true, .offset = offsetof(dj_bin, hi)},
    {.name = "count", .type = DJ_JSON_UINT, .required = true, .offset = offsetof(dj_bin, count)},
    {.name = NULL},
};

static int load_bin(dj_json_reader *reader, void *target)
{
    bins *b = target;
    dj_bin bin;
    int err = dj_json_read_object(reader, bin_fields, &bin, NULL);
    if (err != DJ_OK)
        return err;
    if (bin.lo > bin.hi || bin.hi == UINT64_MAX || (b->any && bin.lo < b->least))
        return dj_json_fail(reader,
                            "the bin %" PRIu64 " to %" PRIu64
                            " is not above the one before, or ends before it begins",
                            bin.lo, bin.hi);
    if (__builtin_add_overflow(b->total, bin.count, &b->total))
        return dj_json_fail(reader, "the counts of a histogram add up to more than 2^64 - 1");
    b->any = true;
    b->wide |= bin.lo != bin.hi;
    b->least = bin.hi + 1;
    return dj_histogram_add(b->histogram, dj_json_context(reader), bin.hi, bin.count);
}

static int load_bins(dj_json_reader *reader, dj_histogram **out, bool *wide)
{
    int err = dj_histogram_create(dj_json_context(reader), out);
    if (err != DJ_OK)
        return err;
    bins b = {.histogram = *out};
    err = dj_json_read_list(reader, load_bin, &b);
    if (wide)
        *wide = b.wide;
    return err;
}

int dj_load_histogram(dj_json_reader *reader, void *lane)
{
    dj_lane_profile *l = lane;
    return load_bins(reader, &l->distance, &l->binned);
}

int dj_load_time_histogram(dj_json_reader *reader, void *lane)
{
    dj_time_profile *time = NULL;
    int err = dj_lane_add_section(dj_json_context(reader), lane, &dj_section_time, &time);
    return err ? err : load_bins(reader, &time->distance, NULL);
}

int dj_load_byte_histogram(dj_json_reader *reader, void *lane)
{
    dj_byte_profile *bytes = NULL;
    int err = dj_lane_add_section(dj_json_context(reader), lane, &dj_section_bytes, &bytes);
    return err ? err : load_bins(reader, &bytes->distance, NULL);
}

int dj_load_byte_weights(dj_json_reader *reader, void *lane)
{
    dj_byte_profile *bytes = NULL;
    int err = dj_lane_add_section(dj_json_context(reader), lane, &dj_section_bytes, &bytes);
    return err ? err : load_bins(reader, &bytes->weight, NULL);
}

int dj_load_moments(dj_json_reader *reader, void *lane)
{
    static const dj_json_field fields[] = {
        {.name = "min", .type = DJ_JSON_UINT, .required = true, .offset = offsetof(dj_moments, min)},
        {.name = "max", .type = DJ_JSON_UINT, .required = true, .offset = offsetof(dj_moments, max)},
        {.name = "mean", .type = DJ_JSON_REAL, .required = true, .offset = offsetof(dj_moments, mean)},
        {.name = "median", .type = DJ_JSON_REAL, .required = true, .offset = offsetof(dj_moments, median)},
        {.name = "std", .type = DJ_JSON_REAL, .required = true, .offset = offsetof(dj_moments, std)},
        {.name = NULL},
    };
    bool none;
    int err = dj_json_read_null(reader, &none);
    if (err != DJ_OK || none)
        return err;
    return dj_json_read_object(reader, fields, &((dj_lane_profile *)lane)->moments, NULL);
}

static int load_stride_bins(dj_json_reader *reader, void *value)
{
    return load_bins(reader, &((dj_stride_profile *)value)->stride, NULL);
}

int dj_load_strides(dj_json_reader *reader, void *lane)
{
    static const dj_json_field fields[] = {
        {.name = "pairs",
         .type = DJ_JSON_UINT,
         .required = true,
         .offset = offsetof(dj_stride_profile, pairs)},
        {.name = "near_blocks",
         .type = DJ_JSON_UINT,
         .required = true,
         .offset = offsetof(dj_stride_profile, near_blocks)},
        {.name = "within",
         .type = DJ_JSON_UINT,
         .required = true,
         .offset = offsetof(dj_stride_profile, within)},
        {.name = "histogram", .type = DJ_JSON_CALL, .required = true, .call = load_stride_bins},
        {.name = NULL},
    };
    dj_stride_profile *strides = NULL;
    int err = dj_lane_add_section(dj_json_context(reader), lane, &dj_section_strides, &strides);
    return err ? err : dj_json_read_object(reader, fields, strides, NULL);
}

// The last bin may end above the longest distance, which is known.
static int clip(dj_json_reader *reader, dj_lane_profile *lane)
{
    dj_histogram *clipped = NULL;
    int err = dj_histogram_create(dj_json_context(reader), &clipped);
    for (uint64_t value = 0, n; err == DJ_OK && (n = dj_histogram_next(lane->distance, &value)) != 0; value++)
        err = dj_histogram_add(clipped, dj_json_context(reader),
                               value < lane->moments.max ? value : lane->moments.max, n);
    if (err != DJ_OK) {
        dj_histogram_destroy(clipped);
        return err;
    }
    dj_histogram_destroy(lane->distance);
    lane->distance = clipped;
    return DJ_OK;
}

int dj_load_finish_lane(dj_json_reader *reader, dj_lane_profile *lane, bool exact)
{
    uint64_t reuses = 0;
    for (uint64_t value = 0, n; (n = dj_histogram_next(lane->distance, &value)) != 0; value++)
        reuses += n;
    lane->moments.count = reuses;
    if (exact && (lane->accesses < reuses || lane->accesses - reuses != lane->cold))
        return dj_json_fail(reader,
                            "at blocks of %" PRIu64 " the histogram holds %" PRIu64
                            " reuses, which with %" PRIu64 " cold accesses does not make %" PRIu64,
                            lane->id.block_bytes, reuses, lane->cold, lane->accesses);
    return lane->binned ? clip(reader, lane) : DJ_OK;
}

static int load_hash(dj_json_reader *reader, dj_lane_profile *lane, const dj_section_ops *ops)
{
    dj_hash_profile *to = NULL;
    int err = dj_lane_add_section(dj_json_context(reader), lane, ops, &to);
    return err ? err : dj_json_read_hex(reader, &to->hash);
}

int dj_load_fingerprint(dj_json_reader *reader, void *lane)
{
    return load_hash(reader, lane, &dj_section_fingerprint);
}

int dj_load_digest(dj_json_reader *reader, void *lane)
{
    return load_hash(reader, lane, &dj_section_digest);
}

int dj_load_cold_bytes(dj_json_reader *reader, void *lane)
{
    dj_byte_profile *to = NULL;
    int err = dj_lane_add_section(dj_json_context(reader), lane, &dj_section_bytes, &to);
    return err ? err : dj_json_read_uint(reader, &to->cold_bytes);
}
