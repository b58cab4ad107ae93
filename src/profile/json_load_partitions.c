// SPDX-License-Identifier: MIT
// The list "partitions" of a lane, read from JSON.
#include "profile/json_load.h"

#include <deja/partitions.h>
#include <stdlib.h>

enum { PARTITIONS_MOST = 1 << 20 };

#define ROW(field) offsetof(dj_partition_profile, field)

static int load_row(dj_json_reader *reader, void *target)
{
    static const dj_json_field fields[] = {
        {.name = "id", .type = DJ_JSON_UINT, .required = true, .offset = ROW(id)},
        {.name = "name", .type = DJ_JSON_TEXT, .required = true, .offset = ROW(name)},
        {.name = "accesses", .type = DJ_JSON_UINT, .required = true, .offset = ROW(lane.accesses)},
        {.name = "distinct", .type = DJ_JSON_UINT, .required = true, .offset = ROW(lane.distinct)},
        {.name = "cold", .type = DJ_JSON_UINT, .required = true, .offset = ROW(lane.cold)},
        {.name = "distance",
         .type = DJ_JSON_CALL,
         .required = true,
         .offset = ROW(lane),
         .call = dj_load_moments},
        {.name = "histogram",
         .type = DJ_JSON_CALL,
         .required = true,
         .offset = ROW(lane),
         .call = dj_load_histogram},
        {.name = NULL},
    };
    dj_partitions *p = target;
    if (p->count == PARTITIONS_MOST)
        return dj_json_fail(reader, "more than %d partitions", PARTITIONS_MOST);
    dj_partition_profile *grown = dj_load_grown(reader, p->rows, p->count, sizeof *grown);
    if (!grown)
        return DJ_ERR_MEMORY;
    p->rows = grown;
    grown[p->count] = (dj_partition_profile){.lane.id.sampling = 1};
    return dj_json_read_object(reader, fields, &grown[p->count++], NULL);
}

int dj_load_partitions(dj_json_reader *reader, void *lane)
{
    dj_partitions *p = calloc(1, sizeof *p);
    if (!p)
        return dj_fail_memory(dj_json_context(reader), "the partitions", sizeof *p);
    ((dj_lane_profile *)lane)->partitions = p;
    return dj_json_read_list(reader, load_row, p);
}

int dj_load_finish_partitions(dj_json_reader *reader, dj_lane_profile *lane, bool exact)
{
    const dj_partitions *p = lane->partitions;
    uint64_t accesses = 0;
    int err = DJ_OK;
    for (size_t i = 0; p && !err && i < p->count; i++) {
        p->rows[i].lane.id.block_bytes = lane->id.block_bytes;
        err = dj_load_finish_lane(reader, &p->rows[i].lane, exact);
        if (!err && __builtin_add_overflow(accesses, p->rows[i].lane.accesses, &accesses))
            accesses = UINT64_MAX;
    }
    if (!err && p && accesses != lane->accesses)
        err = dj_json_fail(reader, "the partitions do not have the accesses of their lane, all together");
    return err;
}
