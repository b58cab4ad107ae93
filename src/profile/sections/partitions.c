// SPDX-License-Identifier: MIT
// Section `partitions` of a lane: each thread, device or file, with its own LRU stack.
#include <deja/partitions.h>
#include <deja/sample.h>

#include <inttypes.h>
#include <stdlib.h>

#include "profile/fields.h"
#include "profile/json.h"

#define REQUIRED .flags = DJ_FIELD_REQUIRED
#define LANE(member_) offsetof(dj_partition_profile, lane.member_)
static const dj_field row_fields[] = {
    DJ_AT(U64, "id", dj_partition_profile, id, REQUIRED, .about = "of the thread, device or file"),
    DJ_AT(TEXT, "name", dj_partition_profile, name, .flags = DJ_FIELD_OMIT),
    DJ_AT(U64, "accesses", dj_partition_profile, lane.accesses, REQUIRED),
    DJ_AT(U64, "distinct", dj_partition_profile, lane.distinct, REQUIRED),
    DJ_AT(U64, "cold", dj_partition_profile, lane.cold, REQUIRED),
    DJ_AT(MOMENTS, "distance", dj_partition_profile, lane.moments, REQUIRED, .histogram_at = LANE(distance),
          .binned_at = LANE(binned)),
    DJ_AT(BOOL, "binned", dj_partition_profile, lane.binned, .flags = DJ_FIELD_NOT_JSON),
    DJ_AT(HISTOGRAM, "histogram", dj_partition_profile, lane.distance, .flags = DJ_FIELD_REQUIRED,
          .binned_at = LANE(binned), .log2_at = LANE(in_log2_bins), .about = "of the reuse distances"),
    DJ_LONGEST(dj_partition_profile, lane.),
    DJ_AT(POINTER, "sample", dj_partition_profile, lane.sample, .flags = DJ_FIELD_OMIT,
          .rows = &dj_section_sample.table, .since = 2, .about = "that its estimates come from"),
    DJ_END,
};
static const dj_table row = {row_fields, sizeof(dj_partition_profile), DJ_ROW_OBJECT};

static const dj_field fields[] = {
    DJ_AT(LIST, "partitions", dj_partitions, rows, .rows = &row, .count_at = offsetof(dj_partitions, count),
          .about = "each thread, device or file, in order of first access"),
    DJ_END,
};

int dj_partitions_create(dj_context *context, size_t count, dj_partitions **out)
{
    dj_partitions *p = calloc(1, sizeof *p);
    if (!p)
        return dj_fail_memory(context, "the partitions", sizeof *p);
    p->rows = calloc(count + 1, sizeof *p->rows);
    int err = p->rows ? DJ_OK : dj_fail_memory(context, "the partitions", count * sizeof *p->rows);
    for (; !err && p->count < count; p->count++) {
        p->rows[p->count].lane.id.sampling = 1;
        err = dj_histogram_create(context, &p->rows[p->count].lane.distance);
    }
    if (err)
        dj_partitions_destroy(p);
    else
        *out = p;
    return err;
}

void dj_partitions_drop_empty(dj_partitions *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (p->rows[i].lane.accesses == 0 && p->rows[i].lane.distinct == 0)
            dj_fields_free(row_fields, &p->rows[i]);
        else
            p->rows[kept++] = p->rows[i];
    }
    p->count = kept;
}

void dj_partitions_destroy(dj_partitions *p)
{
    if (!p)
        return;
    dj_fields_free(fields, p);
    free(p);
}

dj_partitions *dj_lane_partitions(const dj_lane_profile *lane)
{
    return dj_lane_section(lane, &dj_section_partitions);
}

static int settle(dj_context *context, dj_profile *profile, dj_lane_profile *lane, void *value)
{
    dj_partitions *p = value;
    uint64_t left = lane->accesses;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < p->count; i++) {
        dj_lane_profile *part = &p->rows[i].lane;
        part->id = (dj_lane_id){.block_bytes = lane->id.block_bytes, .sampling = lane->id.sampling};
        if (part->accesses > left)
            return dj_fail(context, DJ_ERR_INPUT, "the partitions have more than all %" PRIu64 " accesses",
                           lane->accesses);
        left -= part->accesses;
        err = dj_lane_settle(context, part, profile->provenance.exact);
        if (!err && part->sample)
            err = dj_section_sample.check(context, part->sample);
        if (!err && part->sample)
            err = dj_section_sample.settle(context, profile, part, part->sample);
    }
    return err;
}

const dj_section_ops dj_section_partitions = {
    .name = "partitions",
    .summary = "reuse distances of each thread, device or file",
    .version = 2,
    .scope = DJ_SCOPE_LANE,
    .spread = true,
    .table = {fields, sizeof(dj_partitions), DJ_ROW_OBJECT},
    .settle = settle,
};
