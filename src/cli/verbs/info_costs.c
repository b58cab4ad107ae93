// SPDX-License-Identifier: MIT
// What memory costs on this machine: measured, or assumed.
#include "cli/verbs/info.h"

#include <stdlib.h>

#include "cli/progress.h"

static int show_progress(void *user, dj_context *context, unsigned done, unsigned all)
{
    dj_meter_count(user, done, all, "sizes");
    return dj_context_stopped(context)
               ? dj_fail(context, DJ_ERR_STOPPED, "interrupted; the costs of this machine are not changed")
               : DJ_OK;
}

static int measure(dj_context *context, dj_machine_costs *out)
{
    dj_meter meter;
    char *path = NULL;
    const dj_calibration how = {
        .usable_bytes = dj_machine_usable_bytes(), .progress = show_progress, .user = &meter};
    int err = dj_costs_path(context, &path);
    if (err)
        return err;
    dj_meter_start(&meter);
    err = dj_calibrate(context, &how, out);
    dj_meter_stop(&meter);
    if (!err)
        err = dj_costs_save(context, path, out);
    free(path);
    return err;
}

int dj_info_find_costs(dj_context *context, bool calibrate, dj_machine_costs *out)
{
    return calibrate ? measure(context, out) : dj_costs_find(context, out);
}

void dj_info_add_costs(dj_document *document, const dj_machine_costs *costs)
{
    static const struct {
        const char *title, *name;
    } columns[] = {{"latency", "latency_ns"},
                   {"random", "random_ns"},
                   {"update", "update_ns"},
                   {"read", "read_ns"},
                   {"write", "write_ns"}};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE,
                                        costs->measured ? "Costs in nanoseconds, measured"
                                                        : "Costs in nanoseconds, typical values, not "
                                                          "calibrated: deja info machine --calibrate");
    dj_sheet_node(table)->data = true;
    dj_sheet_add_column(table, (dj_sheet_column){.title = "", .name = "bytes", .width = 8});
    for (size_t i = 0; i < COLUMNS; i++)
        dj_sheet_add_column(
            table, (dj_sheet_column){.title = columns[i].title, .name = columns[i].name, .width = 8});
    for (size_t i = 0; i < costs->point_count; i++) {
        const dj_cost_point *point = &costs->points[i];
        const double values[COLUMNS] = {point->latency_ns, point->random_ns, point->update_ns, point->read_ns,
                                        point->write_ns};
        dj_sheet_row *row = dj_sheet_add_row(table);
        dj_row_put(table, row, dj_datum_whole(DJ_DATUM_BYTES, point->bytes));
        for (size_t k = 0; k < COLUMNS; k++)
            dj_row_put(table, row, dj_datum_real(DJ_DATUM_REAL, values[k], 2));
    }
    dj_document_say(
        document, DJ_TEXT_LEGEND, 0,
        "of 64 bytes, after so many others; latency: each address is loaded from the line before; "
        "random, update: independent lines are read, or changed, in random order; read, write: "
        "sequences");
}

void dj_info_write_costs(dj_json_writer *json, const dj_machine_costs *costs)
{
    dj_json_begin_object(json, "costs");
    dj_json_bool(json, "calibrated", costs->measured);
    dj_json_real(json, "access_ns", costs->access_ns);
    dj_json_begin_list(json, "points");
    for (size_t i = 0; i < costs->point_count; i++) {
        const dj_cost_point *point = &costs->points[i];
        dj_json_begin_row(json, NULL);
        dj_json_uint(json, "bytes", point->bytes);
        dj_json_real(json, "latency_ns", point->latency_ns);
        dj_json_real(json, "random_ns", point->random_ns);
        dj_json_real(json, "update_ns", point->update_ns);
        dj_json_real(json, "read_ns", point->read_ns);
        dj_json_real(json, "write_ns", point->write_ns);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    dj_json_end_object(json);
}
