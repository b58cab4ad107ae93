// SPDX-License-Identifier: MIT
// Sections `lane` and `histogram`, which are part of the lane itself: what it counts, and its distances.
#include <inttypes.h>

#include "profile/fields.h"
#include "profile/json.h"

static bool is_sampled(const void *row)
{
    return ((const dj_lane_profile *)row)->id.sampling != 1;
}

static const dj_field lane_fields[] = {
    DJ_AT(U64, "block_bytes", dj_lane_profile, id.block_bytes, .flags = DJ_FIELD_REQUIRED,
          .about = "size of a block in address units; 1 for keys"),
    DJ_AT(TEXT, "filter", dj_lane_profile, id.filter, .flags = DJ_FIELD_OMIT,
          .about = "which accesses are counted, in words; all where it is missing"),
    DJ_AT(TEXT, "partition", dj_lane_profile, id.partition, .flags = DJ_FIELD_OMIT,
          .about = "each thread, device or file has a stack of its own"),
    DJ_AT(REAL, "sampling", dj_lane_profile, id.sampling, .when = is_sampled,
          .about = "share of the keys that are looked at"),
    DJ_AT(U64, "accesses", dj_lane_profile, accesses, .flags = DJ_FIELD_NOT_JSON),
    DJ_AT(U64, "distinct", dj_lane_profile, distinct, .flags = DJ_FIELD_REQUIRED, .about = "distinct blocks"),
    DJ_AT(U64, "cold", dj_lane_profile, cold, .flags = DJ_FIELD_REQUIRED, .about = "first accesses"),
    DJ_AT(MOMENTS, "distance", dj_lane_profile, moments, .flags = DJ_FIELD_REQUIRED,
          .histogram_at = offsetof(dj_lane_profile, distance), .binned_at = offsetof(dj_lane_profile, binned),
          .about = "of the reuses"),
    DJ_END,
};

static int settle_lane(dj_context *context, dj_profile *profile, dj_lane_profile *lane, void *value)
{
    (void)value;
    if (lane->accesses > profile->accesses)
        return dj_fail(context, DJ_ERR_INPUT,
                       "at blocks of %" PRIu64 " there are %" PRIu64 " accesses, more than the %" PRIu64
                       " of the trace",
                       lane->id.block_bytes, lane->accesses, profile->accesses);
    if (!(lane->id.sampling > 0 && lane->id.sampling <= 1))
        return dj_fail(context, DJ_ERR_INPUT, "a sampling rate of %g; it is above 0 and at most 1",
                       lane->id.sampling);
    return DJ_OK;
}

const dj_section_ops dj_section_lane = {
    .name = "lane",
    .summary = "what a lane counts, and how much",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .spread = true,
    .table = {lane_fields, 0, DJ_ROW_OBJECT},
    .settle = settle_lane,
};

static const dj_field histogram_fields[] = {
    DJ_AT(BOOL, "binned", dj_lane_profile, binned, .flags = DJ_FIELD_NOT_JSON),
    DJ_AT(HISTOGRAM, "histogram", dj_lane_profile, distance, .flags = DJ_FIELD_REQUIRED,
          .binned_at = offsetof(dj_lane_profile, binned), .about = "of the reuse distances"),
    DJ_END,
};

// The last bin may end above the longest distance, which is known.
static int clip(dj_context *context, dj_lane_profile *lane)
{
    dj_histogram *clipped = NULL;
    int err = dj_histogram_create(context, &clipped);
    for (uint64_t value = 0, n; err == DJ_OK && (n = dj_histogram_next(lane->distance, &value)) != 0; value++)
        err = dj_histogram_add(clipped, context, value < lane->moments.max ? value : lane->moments.max, n);
    if (err != DJ_OK) {
        dj_histogram_destroy(clipped);
        return err;
    }
    dj_histogram_destroy(lane->distance);
    lane->distance = clipped;
    return DJ_OK;
}

int dj_lane_settle(dj_context *context, dj_lane_profile *lane, bool exact)
{
    uint64_t reuses = 0;
    if (!lane->distance)
        return dj_fail(context, DJ_ERR_INPUT, "at blocks of %" PRIu64 " there is no histogram",
                       lane->id.block_bytes);
    for (uint64_t at = 0, n; (n = dj_histogram_next(lane->distance, &at)) != 0; at++)
        reuses += n;
    if (lane->binned)
        lane->moments.count = reuses;
    else
        lane->moments = (dj_moments){0};
    if (exact && (lane->accesses < reuses || lane->accesses - reuses != lane->cold))
        return dj_fail(context, DJ_ERR_INPUT,
                       "at blocks of %" PRIu64 " the histogram holds %" PRIu64 " reuses, which with %" PRIu64
                       " cold accesses does not make %" PRIu64,
                       lane->id.block_bytes, reuses, lane->cold, lane->accesses);
    return lane->binned ? clip(context, lane) : DJ_OK;
}

static int settle_histogram(dj_context *context, dj_profile *profile, dj_lane_profile *lane, void *value)
{
    (void)value;
    return dj_lane_settle(context, lane, profile->provenance.exact);
}

const dj_section_ops dj_section_histogram = {
    .name = "histogram",
    .summary = "reuse distances",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .spread = true,
    .table = {histogram_fields, 0, DJ_ROW_OBJECT},
    .settle = settle_histogram,
};
