// SPDX-License-Identifier: MIT
// The format is described in docs/formats.md.
#include <deja/model.h>

#include "base/json/writer.h"
#include "profile/json.h"
#include "report/reordering.h"

static void write_histogram(dj_json_writer *json, const dj_lane_profile *lane)
{
    uint64_t times;
    dj_json_begin_list(json, "histogram");
    for (uint64_t v = 0; (times = dj_histogram_next(lane->distance, &v)) != 0; v++) {
        dj_json_begin_row(json, NULL);
        dj_json_uint(json, "distance", v);
        dj_json_uint(json, "count", times);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static int write_points(dj_context *context, dj_json_writer *json, const dj_lane_profile *lane,
                        uint64_t distinct)
{
    int err = DJ_OK;
    dj_json_begin_list(json, "points");
    for (uint64_t size = 1; !err && size < 2 * distinct && size <= UINT64_MAX / 2; size *= 2) {
        dj_mrc_point point;
        err = dj_mrc_lru(context, lane, &size, 1, &point);
        if (err)
            return err;
        dj_json_begin_row(json, NULL);
        dj_json_uint(json, "size", size);
        dj_json_real(json, "ratio", point.ratio);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    return err;
}

static int write_orders(dj_context *context, dj_json_writer *json, const dj_reordering *r)
{
    int err = DJ_OK;
    dj_json_begin_list(json, "orders");
    for (int i = 0; !err && i < DJ_EXECUTION_ORDERS; i++) {
        const dj_lane_profile *lane = &r->profiles[i]->lanes[0];
        dj_json_begin_object(json, NULL);
        dj_json_text(json, "order", dj_execution_order_name((enum dj_execution_order)i));
        dj_json_uint(json, "long_reuses", dj_reordering_long(r, (enum dj_execution_order)i, r->cut));
        dj_json_real(json, "mean", dj_lane_moments(lane).mean);
        err = write_points(context, json, lane, r->profiles[0]->lanes[0].distinct);
        write_histogram(json, lane);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    return err;
}

static void write_rows(dj_json_writer *json, const char *key, const dj_reordered_rows *rows)
{
    dj_json_begin_list(json, key);
    for (size_t i = 0; i < rows->count; i++) {
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "name", rows->list[i].name);
        dj_json_uint(json, "accesses", rows->list[i].accesses);
        dj_json_begin_flat_list(json, "long_reuses");
        for (int k = 0; k < DJ_EXECUTION_ORDERS; k++)
            dj_json_uint(json, NULL, rows->list[i].longs[k]);
        dj_json_end_list(json);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

int dj_reordering_json(dj_context *context, const dj_reordering_view *view, const char *verdict, FILE *out)
{
    const dj_reordering *r = view->reordering;
    const dj_profile *written = r->profiles[DJ_AS_WRITTEN];
    dj_json_writer json = {.out = out};
    dj_json_begin_object(&json, NULL);
    dj_json_text(&json, "schema", "deja-reordering");
    dj_json_uint(&json, "version", 1);
    dj_json_provenance(&json, &written->provenance);
    dj_json_text(&json, "verdict", verdict);
    dj_json_uint(&json, "block_bytes", written->lanes[0].id.block_bytes);
    dj_json_uint(&json, "long_from", dj_reordering_long_from(r, r->cut));
    dj_json_uint(&json, "statements", r->instances);
    dj_json_uint(&json, "accesses", r->accesses);
    dj_json_uint(&json, "distinct", written->lanes[0].distinct);
    dj_json_uint(&json, "in_order", r->in_order);
    dj_json_bool(&json, "scalars", r->scalars);
    dj_json_uint(&json, "scalar_accesses", r->scalar_accesses);
    int err = write_orders(context, &json, r);
    write_rows(&json, "objects", &view->objects);
    write_rows(&json, "lines", &view->lines);
    dj_json_end_object(&json);
    return err;
}
