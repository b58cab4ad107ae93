// SPDX-License-Identifier: MIT
// Sections `lane` and `histogram`, which are part of the lane itself: what it counts, and its distances.
#include <inttypes.h>
#include <stdlib.h>

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
          .about = "which accesses are counted, in words; missing: all"),
    DJ_AT(TEXT, "partition", dj_lane_profile, id.partition, .flags = DJ_FIELD_OMIT,
          .about = "thread, device, file or cache, if each has its own stack; caches with their sharers and "
                   "coherence"),
    DJ_AT(REAL, "sampling", dj_lane_profile, id.sampling, .when = is_sampled,
          .about = "share of the keys that are analyzed"),
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
    if (lane->id.block_bytes == 0)
        return dj_fail(context, DJ_ERR_INPUT, "a block must have at least 1 byte, not 0");
    if (profile->provenance.exact && lane->distinct < lane->cold)
        return dj_fail(context, DJ_ERR_INPUT,
                       "at blocks of %" PRIu64 " there are %" PRIu64
                       " distinct blocks, fewer than the %" PRIu64 " first accesses",
                       lane->id.block_bytes, lane->distinct, lane->cold);
    if (!(lane->id.sampling > 0 && lane->id.sampling <= 1))
        return dj_fail(context, DJ_ERR_INPUT, "the sampling rate must be above 0 and at most 1, not %g",
                       lane->id.sampling);
    return DJ_OK;
}

const dj_section_ops dj_section_lane = {
    .name = "lane",
    .summary = "what a lane counts, and its totals",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .spread = true,
    .table = {lane_fields, 0, DJ_ROW_OBJECT},
    .settle = settle_lane,
};

// The longest distance in each non-empty bin.
void dj_write_longest(const dj_fields_writer *writer, const dj_field *field, const void *row)
{
    const char *at = (const char *)row + field->offset - offsetof(dj_lane_profile, longest);
    const dj_lane_profile *lane = (const dj_lane_profile *)(const void *)at;
    dj_bin *bins = NULL;
    size_t count = 0, inner = 0;
    if (writer->binning == DJ_BINS_EXACT)
        return;
    *writer->err =
        dj_histogram_bins(lane->distance, writer->context, writer->binning, writer->width, &bins, &count);
    for (size_t i = 0; i < count; i++) {
        uint64_t longest = bins[i].lo;
        for (uint64_t v = bins[i].lo; dj_histogram_next(lane->distance, &v) != 0 && v <= bins[i].hi; v++)
            longest = v;
        inner += bins[i].count > 0 && i + 1 < count && longest != bins[i].hi;
        bins[i].hi = longest;
    }
    if (inner > 0) { // the end of the last one is known
        dj_json_begin_flat_list(writer->json, field->name);
        for (size_t i = 0; i < count; i++)
            if (bins[i].count > 0)
                dj_json_uint(writer->json, NULL, bins[i].hi);
        dj_json_end_list(writer->json);
    }
    free(bins);
}

static const dj_field histogram_fields[] = {
    DJ_AT(BOOL, "binned", dj_lane_profile, binned, .flags = DJ_FIELD_NOT_JSON),
    DJ_AT(HISTOGRAM, "histogram", dj_lane_profile, distance, .flags = DJ_FIELD_REQUIRED,
          .binned_at = offsetof(dj_lane_profile, binned), .log2_at = offsetof(dj_lane_profile, in_log2_bins),
          .about = "of the reuse distances"),
    DJ_LONGEST(dj_lane_profile, ),
    DJ_END,
};

// Records each reuse at the longest distance of its bin, if the file contains it, and never above the
// longest distance of all.
static int place_bins(dj_context *context, dj_lane_profile *lane)
{
    dj_histogram *placed = NULL;
    uint64_t before = 0;
    size_t bin = 0;
    int err = dj_histogram_create(context, &placed);
    for (uint64_t end = 0, n; !err && (n = dj_histogram_next(lane->distance, &end)) != 0; end++, bin++) {
        uint64_t at = end < lane->moments.max ? end : lane->moments.max;
        if (lane->longest_count > 0) {
            at = bin < lane->longest_count ? lane->longest[bin] : UINT64_MAX;
            if (at > end || (bin > 0 && at <= before))
                err =
                    dj_fail(context, DJ_ERR_INPUT, "at blocks of %" PRIu64 ": longest[%zu] is not in its bin",
                            lane->id.block_bytes, bin);
        }
        before = end;
        if (!err)
            err = dj_histogram_add(placed, context, at, n);
    }
    if (err) {
        dj_histogram_destroy(placed);
        return err;
    }
    dj_histogram_destroy(lane->distance);
    lane->distance = placed;
    return DJ_OK;
}

int dj_lane_settle(dj_context *context, dj_lane_profile *lane, bool exact)
{
    uint64_t reuses = 0;
    if (!lane->distance)
        return dj_fail(context, DJ_ERR_INPUT, "at blocks of %" PRIu64 " there is no histogram",
                       lane->id.block_bytes);
    bool fits = true;
    for (uint64_t at = 0, n; (n = dj_histogram_next(lane->distance, &at)) != 0; at++)
        fits &= !__builtin_add_overflow(reuses, n, &reuses);
    if (lane->binned)
        lane->moments.count = reuses;
    else
        lane->moments = (dj_moments){0};
    fits &= lane->cold <= UINT64_MAX - reuses;
    if (!fits || (exact && reuses + lane->cold != lane->accesses))
        return dj_fail(context, DJ_ERR_INPUT,
                       "at blocks of %" PRIu64 ", %" PRIu64 " reuses in the histogram and %" PRIu64
                       " cold accesses do not add up to %" PRIu64,
                       lane->id.block_bytes, reuses, lane->cold, lane->accesses);
    int err = lane->binned ? place_bins(context, lane) : DJ_OK;
    free(lane->longest);
    lane->longest = NULL;
    lane->longest_count = 0;
    return err;
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
