// SPDX-License-Identifier: MIT
// Section `partitions` of a lane: the distances of each thread, device or file.
#include <deja/partitions.h>

#include <stdlib.h>

#include "profile/distances.h"
#include "profile/fields.h"

enum { PARTITIONS_MOST = 1 << 20 };

static const dj_field row_fields[] = {
    DJ_AT(U64, "id", dj_partition_profile, id, .flags = DJ_FIELD_REQUIRED,
          .about = "of the thread, device or file"),
    DJ_AT(TEXT, "name", dj_partition_profile, name, .flags = DJ_FIELD_REQUIRED,
          .about = "empty: it has none"),
    DJ_AT(U64, "accesses", dj_partition_profile, lane.accesses, .flags = DJ_FIELD_REQUIRED),
    DJ_AT(U64, "distinct", dj_partition_profile, lane.distinct, .flags = DJ_FIELD_REQUIRED,
          .about = "distinct blocks"),
    DJ_AT(U64, "cold", dj_partition_profile, lane.cold, .flags = DJ_FIELD_REQUIRED,
          .about = "first accesses"),
    DJ_AT(MOMENTS, "distance", dj_partition_profile, lane.moments, .flags = DJ_FIELD_REQUIRED,
          .histogram_at = offsetof(dj_partition_profile, lane.distance),
          .binned_at = offsetof(dj_partition_profile, lane.binned), .about = "of the reuses"),
    DJ_AT(BOOL, "binned", dj_partition_profile, lane.binned, .flags = DJ_FIELD_NOT_JSON),
    DJ_AT(HISTOGRAM, "histogram", dj_partition_profile, lane.distance, .flags = DJ_FIELD_REQUIRED,
          .binned_at = offsetof(dj_partition_profile, lane.binned), .about = "of the reuse distances"),
    DJ_LONGEST(dj_partition_profile, lane.),
    DJ_END,
};
static const dj_table row_table = {row_fields, sizeof(dj_partition_profile), DJ_ROW_OBJECT};

static const dj_field fields[] = {
    DJ_AT(LIST, "partitions", dj_partitions, rows, .rows = &row_table,
          .count_at = offsetof(dj_partitions, count), .most = PARTITIONS_MOST,
          .about = "in the order in which they were met"),
    DJ_END,
};

static int settle(dj_context *context, dj_profile *profile, dj_lane_profile *lane, void *value)
{
    const dj_partitions *p = value;
    uint64_t accesses = 0;
    for (size_t i = 0; i < p->count; i++) {
        dj_lane_profile *own = &p->rows[i].lane;
        own->id.block_bytes = lane->id.block_bytes;
        own->id.sampling = lane->id.sampling;
        int err = dj_distances_settle(context, own, profile->provenance.exact);
        if (err)
            return err;
        if (__builtin_add_overflow(accesses, own->accesses, &accesses))
            accesses = UINT64_MAX;
    }
    return accesses == lane->accesses
               ? DJ_OK
               : dj_fail(context, DJ_ERR_INPUT,
                         "the partitions do not have the accesses of their lane, all together");
}

const dj_section_ops dj_section_partitions = {
    .name = "partitions",
    .summary = "reuse distances of each thread, device or file",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .spread = true,
    .table = {fields, sizeof(dj_partitions), DJ_ROW_OBJECT},
    .settle = settle,
};

int dj_partitions_create(dj_context *context, dj_lane_profile *lane, size_t count, dj_partitions **out)
{
    dj_partitions *p = NULL;
    int err = dj_lane_add_section(context, lane, &dj_section_partitions, &p);
    if (err)
        return err;
    p->rows = calloc(count + 1, sizeof *p->rows);
    if (!p->rows)
        return dj_fail_memory(context, "the partitions", count * sizeof *p->rows);
    for (; !err && p->count < count; p->count++) {
        p->rows[p->count].lane.id = (dj_lane_id){.block_bytes = lane->id.block_bytes, .sampling = 1};
        err = dj_histogram_create(context, &p->rows[p->count].lane.distance);
    }
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
