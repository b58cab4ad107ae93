// SPDX-License-Identifier: MIT
// Section `sample` of a lane.
#include <deja/sample.h>

#include <inttypes.h>

#include "base/sample.h"
#include "profile/fields.h"
#include "profile/sections/sample.h"

#define REQUIRED .flags = DJ_FIELD_REQUIRED
static const dj_field error_fields[] = {
    DJ_AT(U64, "size", dj_sample_error, size, REQUIRED, .about = "of the cache, in blocks or bytes"),
    DJ_AT(REAL, "error", dj_sample_error, error, REQUIRED,
          .about = "largest standard error of the miss ratio up to the next size"),
    DJ_END,
};
const dj_table dj_sample_error_row = {error_fields, sizeof(dj_sample_error), DJ_ROW_CELLS};

static bool is_limited(const void *row)
{
    return ((const dj_sample *)row)->memory > 0;
}

static const dj_field fields[] = {
    DJ_AT(U32, "weight_log2", dj_sample, weight_log2, REQUIRED,
          .about = "log2 of the number of blocks that each block in the sample stands for"),
    DJ_AT(U32, "first_log2", dj_sample, first_log2, .when = is_limited,
          .about = "the same at the beginning, if the rate could fall"),
    DJ_AT(U64, "memory", dj_sample, memory, .when = is_limited,
          .about = "bytes that limited the sample; missing: the rate was fixed"),
    DJ_AT(U64, "blocks", dj_sample, blocks, REQUIRED, .about = "in the sample"),
    DJ_AT(U64, "accesses", dj_sample, accesses, REQUIRED, .about = "to the blocks in the sample"),
    DJ_AT(LIST, "errors", dj_sample, errors, .rows = &dj_sample_error_row, .most = DJ_SAMPLE_ERRORS_MOST,
          .count_at = offsetof(dj_sample, error_count), REQUIRED),
    DJ_AT(U64, "head", dj_sample, head, .flags = DJ_FIELD_OMIT, .since = 2,
          .about = "caches below this size, in blocks, are known from bursts in time"),
    DJ_AT(U64, "bursts", dj_sample, bursts, .flags = DJ_FIELD_OMIT, .since = 2,
          .about = "stretches of the trace of which all accesses were analyzed"),
    DJ_AT(U64, "burst_accesses", dj_sample, burst_accesses, .flags = DJ_FIELD_OMIT, .since = 2,
          .about = "accesses in them that count"),
    DJ_END,
};

int dj_sample_errors_check(dj_context *context, const dj_sample_error *errors, size_t count)
{
    if (count == 0 || errors[0].size != 0)
        return dj_fail(context, DJ_ERR_INPUT, "sample: errors must begin at size 0");
    for (size_t i = 0; i < count; i++)
        if (!(errors[i].error >= 0) || (i > 0 && errors[i].size <= errors[i - 1].size))
            return dj_fail(context, DJ_ERR_INPUT,
                           "sample: errors[%zu] is negative, or its size does not increase", i);
    return DJ_OK;
}

static int check(dj_context *context, void *value)
{
    dj_sample *s = value;
    if (s->weight_log2 == 0 || s->weight_log2 > DJ_SAMPLE_LOG2_MOST)
        return dj_fail(context, DJ_ERR_INPUT, "sample: weight_log2 must be from 1 to %d, not %u",
                       DJ_SAMPLE_LOG2_MOST, s->weight_log2);
    if (s->memory == 0)
        s->first_log2 = s->weight_log2;
    if (s->first_log2 > s->weight_log2)
        return dj_fail(context, DJ_ERR_INPUT, "sample: first_log2 is %u, above weight_log2 %u", s->first_log2,
                       s->weight_log2);
    if (s->bursts > s->burst_accesses || (s->head > 0 && s->bursts == 0))
        return dj_fail(context, DJ_ERR_INPUT,
                       "sample: %" PRIu64 " bursts do not fit the head and their accesses", s->bursts);
    return dj_sample_errors_check(context, s->errors, s->error_count);
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
    return lane->sample ? lane->sample : dj_lane_section(lane, &dj_section_sample);
}

const dj_section_ops dj_section_sample = {
    .name = "sample",
    .summary = "the sample that estimates come from, and their error",
    .version = 2,
    .scope = DJ_SCOPE_LANE,
    .table = {fields, sizeof(dj_sample), DJ_ROW_OBJECT},
    .check = check,
    .settle = settle,
};
