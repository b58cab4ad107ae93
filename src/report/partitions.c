// SPDX-License-Identifier: MIT
// The threads, devices or files of a partitioned lane, one row each.
#include <inttypes.h>

#include "report/parts.h"

const char *dj_name_partition(dj_document *document, const dj_lane_profile *lane,
                              const dj_partition_profile *part)
{
    bool named = part->name && *part->name;
    return dj_document_format(document, "%s %" PRIu64 "%s%s", dj_lane_partition(lane), part->id,
                              named ? " " : "", named ? part->name : "");
}

static dj_datum real_if(const dj_moments *m, double value)
{
    return m->count > 0 ? dj_datum_real(DJ_DATUM_REAL, value, 1) : dj_datum_none("-");
}

void dj_add_partitions(dj_document *document, const dj_profile *profile, const char *trace, bool data)
{
    static const dj_sheet_column columns[] = {
        {.name = "trace"},
        {.name = "partition"},
        {.name = "id"},
        {.title = "", .name = "name"},
        {.title = "accesses", .name = "accesses", .width = 8},
        {.title = "%", .width = 4, .rank = 3},
        {.title = "distinct", .name = "distinct", .width = 8},
        {.title = "cold", .name = "cold", .width = 8, .rank = 2},
        {.title = "mean dist.", .name = "mean_distance", .width = 8},
        {.title = "median", .name = "median_distance", .width = 8},
        {.title = "max", .name = "max_distance", .width = 8, .rank = 1},
    };
    const dj_lane_profile *lane = &profile->lanes[0];
    const dj_partitions *parts = dj_lane_partitions(lane);
    if (!parts)
        return;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE,
                                        dj_document_format(document, "by %s", dj_lane_partition(lane)));
    dj_sheet_node(table)->data = data;
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < parts->count; i++) {
        const dj_lane_profile *own = &parts->rows[i].lane;
        dj_moments m = dj_lane_moments(own);
        const dj_datum cells[] = {
            dj_datum_text(trace),
            dj_datum_word(dj_lane_partition(lane)),
            dj_datum_whole(DJ_DATUM_NUMBER, parts->rows[i].id),
            dj_datum_text(dj_name_partition(document, lane, &parts->rows[i])),
            dj_datum_count(own->accesses),
            dj_datum_part(DJ_DATUM_SHARE, (double)own->accesses, (double)lane->accesses),
            dj_datum_count(own->distinct),
            dj_datum_count(own->cold),
            real_if(&m, m.mean),
            real_if(&m, m.median),
            m.count > 0 ? dj_datum_count(m.max) : dj_datum_none("-")};
        DJ_CELLS(table, cells);
    }
}
