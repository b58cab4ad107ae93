// SPDX-License-Identifier: MIT
// Sections `strides` and `simulated` of a lane.
#include "profile/fields.h"
#include "profile/json.h"

static const dj_field stride_fields[] = {
    DJ_AT(U64, "pairs", dj_stride_profile, pairs, .flags = DJ_FIELD_REQUIRED,
          .about = "consecutive accesses on one device"),
    DJ_AT(U64, "near_blocks", dj_stride_profile, near_blocks, .flags = DJ_FIELD_REQUIRED),
    DJ_AT(U64, "within", dj_stride_profile, within, .flags = DJ_FIELD_REQUIRED,
          .about = "pairs at most near_blocks apart"),
    DJ_AT(MOMENTS, "stride", dj_stride_profile, moments, .histogram_at = offsetof(dj_stride_profile, stride),
          .binned_at = offsetof(dj_stride_profile, binned)),
    DJ_AT(BOOL, "binned", dj_stride_profile, binned, .flags = DJ_FIELD_NOT_JSON),
    DJ_AT(HISTOGRAM, "histogram", dj_stride_profile, stride, .flags = DJ_FIELD_REQUIRED,
          .binned_at = offsetof(dj_stride_profile, binned), .about = "of the absolute strides, in blocks"),
    DJ_END,
};

static int settle_strides(dj_context *context, dj_profile *profile, dj_lane_profile *lane, void *value)
{
    (void)profile;
    (void)lane;
    dj_stride_profile *strides = value;
    if (!strides->stride)
        return dj_fail(context, DJ_ERR_INPUT, "strides: there is no histogram");
    if (strides->binned)
        strides->moments.count = dj_histogram_moments(strides->stride).count;
    else
        strides->moments = (dj_moments){0};
    return DJ_OK;
}

static int check_strides(dj_context *context, void *value)
{
    const dj_stride_profile *s = value;
    if (s->within > s->pairs || (s->stride && dj_histogram_moments(s->stride).count != s->pairs))
        return dj_fail(context, DJ_ERR_INPUT, "strides: the counts contradict each other");
    return DJ_OK;
}

const dj_section_ops dj_section_strides = {
    .name = "strides",
    .summary = "strides between consecutive accesses",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .table = {stride_fields, sizeof(dj_stride_profile), DJ_ROW_OBJECT},
    .check = check_strides,
    .settle = settle_strides,
};

const char *const dj_policy_names[] = {"lru", "fifo", "lfu", NULL};

static const dj_field cache_fields[] = {
    DJ_AT(ENUM, "policy", dj_simulated, policy, .names = dj_policy_names, .flags = DJ_FIELD_REQUIRED),
    DJ_AT(U64, "size", dj_simulated, size_blocks, .flags = DJ_FIELD_REQUIRED, .about = "in blocks"),
    DJ_AT(U64, "sets", dj_simulated, sets, .flags = DJ_FIELD_REQUIRED),
    DJ_AT(U64, "ways", dj_simulated, ways, .flags = DJ_FIELD_REQUIRED),
    DJ_AT(U64, "misses", dj_simulated, misses, .flags = DJ_FIELD_REQUIRED, .about = "cold ones included"),
    DJ_END,
};
static const dj_table cache_row = {cache_fields, sizeof(dj_simulated), DJ_ROW_LINE};

static const dj_field simulated_fields[] = {
    DJ_AT(LIST, "simulated", dj_simulated_profile, caches, .rows = &cache_row,
          .count_at = offsetof(dj_simulated_profile, count), .about = "caches that were simulated"),
    DJ_END,
};

const dj_section_ops dj_section_simulated = {
    .name = "simulated",
    .summary = "misses of simulated caches",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .spread = true,
    .table = {simulated_fields, sizeof(dj_simulated_profile), DJ_ROW_OBJECT},
};
