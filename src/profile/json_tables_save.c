// SPDX-License-Identifier: MIT
// An attribution as JSON: one list for each table, one line for each row.
#include "profile/json.h"
#include "profile/json_sketch.h"
#include "profile/json_tables.h"

static void save_index(dj_json_writer *json, uint32_t index)
{
    if (index == DJ_NOWHERE)
        dj_json_null(json, NULL);
    else
        dj_json_uint(json, NULL, index);
}

static void save_text(dj_json_writer *json, const char *text)
{
    dj_json_text(json, NULL, text ? text : "");
}

static void save_sketch(dj_json_writer *json, const dj_sketch *sketch)
{
    char text[DJ_SKETCH_TEXT];
    if (sketch)
        dj_json_text(json, NULL, dj_sketch_print(sketch, text));
    else
        dj_json_null(json, NULL);
}

static void save_tally(dj_json_writer *json, const dj_tally *tally)
{
    const uint64_t numbers[] = {tally->accesses, tally->cold,       tally->writes,
                                tally->sum,      tally->square_low, tally->square_high,
                                tally->min,      tally->max,        tally->bin_first};
    dj_json_begin_list(json, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dj_json_uint(json, NULL, numbers[i]);
    dj_json_begin_list(json, NULL);
    for (uint32_t i = 0; i < tally->bin_count; i++)
        dj_json_uint(json, NULL, tally->bins[i]);
    dj_json_end_list(json);
    if (tally->spatial)
        dj_json_spatial_tally(json, tally->spatial);
    dj_json_end_list(json);
}

static void save_cell(dj_json_writer *json, const dj_cell *cell, const void *value)
{
    switch (cell->type) {
    case DJ_CELL_U32:
        dj_json_uint(json, NULL, *(const uint32_t *)value);
        break;
    case DJ_CELL_U64:
    case DJ_CELL_LATER:
        dj_json_uint(json, NULL, *(const uint64_t *)value);
        break;
    case DJ_CELL_BOOL:
        dj_json_bool(json, NULL, *(const bool *)value);
        break;
    case DJ_CELL_TEXT:
        save_text(json, *(const char *const *)value);
        break;
    case DJ_CELL_INDEX:
    case DJ_CELL_OPTIONAL:
        save_index(json, *(const uint32_t *)value);
        break;
    case DJ_CELL_KIND:
        dj_json_text(json, NULL, dj_object_kinds[*(const enum dj_object_kind *)value]);
        break;
    case DJ_CELL_SKETCH:
        save_sketch(json, *(const dj_sketch *const *)value);
        break;
    case DJ_CELL_TALLY:
        save_tally(json, value);
        break;
    }
}

// A row of one cell is written as that cell.
static void save_row(dj_json_writer *json, const dj_cell *cells, const char *row)
{
    bool single = cells[1].name == NULL;
    if (!single)
        dj_json_begin_flat_list(json, NULL);
    for (const dj_cell *cell = cells; cell->name; cell++)
        save_cell(json, cell, row + cell->offset);
    if (!single)
        dj_json_end_list(json);
}

void dj_json_attribution(dj_json_writer *json, const char *key, const dj_attribution *attribution)
{
    dj_json_begin_object(json, key);
    dj_json_uint(json, "pair_from", attribution->pair_from);
    dj_json_uint(json, "contexts_folded", attribution->contexts_folded);
    for (enum dj_table_id id = 0; id < DJ_TABLE_COUNT; id++) {
        const dj_cells *table = &dj_tables[id];
        if (id == DJ_TABLE_EDGES)
            dj_json_begin_flat_list(json, table->name);
        else
            dj_json_begin_list(json, table->name);
        for (size_t i = 0, count = dj_table_count(attribution, id); i < count; i++)
            save_row(json, table->cells, dj_table_row(attribution, id, i));
        dj_json_end_list(json);
    }
    dj_json_end_object(json);
}
