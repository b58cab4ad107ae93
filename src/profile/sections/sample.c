// SPDX-License-Identifier: MIT
// Section `sample` of a lane.
#include <deja/sample.h>

#include "base/sample.h"
#include "profile/fields.h"

enum { ERRORS_MOST = 1 << 12 };

#define REQUIRED .flags = DJ_FIELD_REQUIRED
static const dj_field error_fields[] = {
    DJ_AT(U64, "size", dj_sample_error, size, REQUIRED, .about = "blocks of the cache"),
    DJ_AT(REAL, "error", dj_sample_error, error, REQUIRED,
          .about = "largest standard error of the miss ratio up to the next size"),
    DJ_END,
};
static const dj_table error_row = {error_fields, sizeof(dj_sample_error), DJ_ROW_CELLS};

static const dj_field fields[] = {
    DJ_AT(U32, "weight_log2", dj_sample, weight_log2, REQUIRED,
          .about = "log2 of the number of blocks that each block in the sample stands for"),
    DJ_AT(U64, "blocks", dj_sample, blocks, REQUIRED, .about = "in the sample"),
    DJ_AT(U64, "accesses", dj_sample, accesses, REQUIRED, .about = "to the blocks in the sample"),
    DJ_AT(LIST, "errors", dj_sample, errors, .rows = &error_row, .most = ERRORS_MOST,
          .count_at = offsetof(dj_sample, error_count), REQUIRED),
    DJ_END,
};

static int check(dj_context *context, void *value)
{
    const dj_sample *s = value;
    if (s->weight_log2 == 0 || s->weight_log2 > DJ_SAMPLE_LOG2_MOST)
        return dj_fail(context, DJ_ERR_INPUT, "sample: weight_log2 must be from 1 to %d, not %u",
                       DJ_SAMPLE_LOG2_MOST, s->weight_log2);
    if (s->error_count == 0 || s->errors[0].size != 0)
        return dj_fail(context, DJ_ERR_INPUT, "sample: errors must begin at size 0");
    for (size_t i = 0; i < s->error_count; i++)
        if (!(s->errors[i].error >= 0) || (i > 0 && s->errors[i].size <= s->errors[i - 1].size))
            return dj_fail(context, DJ_ERR_INPUT,
                           "sample: errors[%zu] is negative, or its size does not increase", i);
    return DJ_OK;
}

static int settle(dj_context *context, dj_profile *profile, dj_lane_profile *lane, void *value)
{
    const dj_sample *s = value;
    double rate = 1.0 / (double)(UINT64_C(1) << s->weight_log2);
    if (profile->provenance.exact || lane->id.sampling != rate || s->accesses > lane->accesses ||
        s->blocks > s->accesses)
        return dj_fail(context, DJ_ERR_INPUT, "sample: it does not fit the lane that it is about");
    return DJ_OK;
}

const dj_sample *dj_lane_sample(const dj_lane_profile *lane)
{
    return dj_lane_section(lane, &dj_section_sample);
}

const dj_section_ops dj_section_sample = {
    .name = "sample",
    .summary = "the sample that estimates come from, and their error",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .table = {fields, sizeof(dj_sample), DJ_ROW_OBJECT},
    .unsampled = true,
    .check = check,
    .settle = settle,
};
