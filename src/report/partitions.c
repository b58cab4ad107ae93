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

// How wide the band of its curve is.
static int error_of(dj_context *context, const dj_profile *profile, const dj_lane_profile *lane,
                    dj_datum *out)
{
    double widest = 0;
    int err = dj_lane_band_origin(profile, lane).known ? dj_mrc_band_widest(context, profile, lane, &widest)
                                                       : DJ_OK;
    *out = dj_datum_part(DJ_DATUM_PERCENT, widest, 1);
    return err;
}

int dj_add_partitions(dj_context *context, dj_document *document, const dj_profile *profile,
                      const char *trace, bool data)
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
        {.title = "max error", .name = "max_error", .width = 9},
    };
    enum { EXACT = sizeof columns / sizeof *columns - 1 }; // columns without the error of a sample
    const dj_lane_profile *lane = &profile->lanes[0];
    const dj_partitions *parts = dj_lane_partitions(lane);
    if (!parts)
        return DJ_OK;
    const size_t shown = lane->id.sampling < 1 ? EXACT + 1 : EXACT;
    int err = DJ_OK;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE,
                                        dj_document_format(document, "by %s", dj_lane_partition(lane)));
    dj_sheet_node(table)->data = data;
    dj_sheet_add_columns(table, columns, shown);
    for (size_t i = 0; !err && i < parts->count; i++) {
        const dj_lane_profile *own = &parts->rows[i].lane;
        dj_moments m = dj_lane_moments(own);
        dj_datum error;
        err = error_of(context, profile, own, &error);
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
            m.count > 0 ? dj_datum_count(m.max) : dj_datum_none("-"),
            error};
        dj_sheet_add_cells(table, cells, shown);
    }
    return err;
}
