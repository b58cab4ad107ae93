// SPDX-License-Identifier: MIT
// Reads the tables of an attribution. They may stand in any order, so what
// refers to other rows is checked when all have been read.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/json_load.h"
#include "profile/json_sketch.h"
#include "profile/json_tables.h"

static int load_index(dj_json_reader *reader, uint32_t *out)
{
    bool nowhere;
    int err = dj_json_read_null(reader, &nowhere);
    if (err != DJ_OK || nowhere) {
        *out = DJ_NOWHERE;
        return err;
    }
    return dj_load_u32(reader, out);
}

static int load_kind(dj_json_reader *reader, enum dj_object_kind *out)
{
    char *name = NULL;
    int err = dj_json_read_text(reader, &name);
    if (err != DJ_OK)
        return err;
    unsigned kind = 0;
    while (dj_object_kinds[kind] && strcmp(dj_object_kinds[kind], name) != 0)
        kind++;
    if (!dj_object_kinds[kind])
        err = dj_json_fail(reader, "there is no kind of object \"%.32s\"", name);
    else
        *out = (enum dj_object_kind)kind;
    free(name);
    return err;
}

static int load_sketch(dj_json_reader *reader, dj_sketch **out)
{
    bool none;
    char *text = NULL;
    int err = dj_json_read_null(reader, &none);
    if (err != DJ_OK || none)
        return err;
    err = dj_json_read_text(reader, &text);
    if (err != DJ_OK)
        return err;
    *out = malloc(sizeof **out);
    if (!*out)
        err = dj_fail_memory(dj_json_context(reader), "a sketch", sizeof **out);
    else if (!dj_sketch_parse(text, *out))
        err = dj_json_fail(reader, "\"%.32s\" is not a sketch", text);
    free(text);
    return err;
}

static int load_bin(dj_json_reader *reader, void *target)
{
    dj_tally *tally = target;
    uint64_t *larger = dj_load_grown(reader, tally->bins, tally->bin_count, sizeof *larger);
    if (!larger)
        return DJ_ERR_MEMORY;
    tally->bins = larger;
    int err = dj_json_read_uint(reader, &larger[tally->bin_count]);
    tally->bin_count += err == DJ_OK;
    return err;
}

static int load_tally(dj_json_reader *reader, dj_tally *tally)
{
    uint64_t *numbers[] = {&tally->accesses,   &tally->cold,        &tally->writes, &tally->sum,
                           &tally->square_low, &tally->square_high, &tally->min,    &tally->max};
    int err = dj_json_enter(reader, '[');
    for (size_t i = 0; err == DJ_OK && i < sizeof numbers / sizeof *numbers; i++) {
        err = dj_load_need(reader, i == 0, "numbers");
        if (err == DJ_OK)
            err = dj_json_read_uint(reader, numbers[i]);
    }
    if (err == DJ_OK)
        err = dj_load_need(reader, false, "first bin");
    if (err == DJ_OK)
        err = dj_load_u32(reader, &tally->bin_first);
    if (err == DJ_OK)
        err = dj_load_need(reader, false, "bins");
    if (err == DJ_OK)
        err = dj_json_read_list(reader, load_bin, tally);
    bool more = false;
    if (err == DJ_OK)
        err = dj_json_step(reader, ']', false, &more);
    if (err != DJ_OK || !more)
        return err;
    err = dj_load_spatial_tally(reader, &tally->spatial);
    return err != DJ_OK ? err : dj_load_rest(reader);
}

static int load_cell(dj_json_reader *reader, const dj_cell *cell, void *value)
{
    switch (cell->type) {
    case DJ_CELL_U32:
        return dj_load_u32(reader, value);
    case DJ_CELL_U64:
    case DJ_CELL_LATER:
        return dj_json_read_uint(reader, value);
    case DJ_CELL_BOOL:
        return dj_json_read_bool(reader, value);
    case DJ_CELL_TEXT:
        return dj_json_read_text(reader, value);
    case DJ_CELL_INDEX:
    case DJ_CELL_OPTIONAL:
        return load_index(reader, value);
    case DJ_CELL_KIND:
        return load_kind(reader, value);
    case DJ_CELL_SKETCH:
        return load_sketch(reader, value);
    default:
        return load_tally(reader, value);
    }
}

static int load_row(dj_json_reader *reader, const dj_cell *cells, char *row)
{
    if (!cells[1].name)
        return load_cell(reader, cells, row + cells->offset);
    int err = dj_json_enter(reader, '[');
    for (const dj_cell *cell = cells; err == DJ_OK && cell->name; cell++) {
        bool more;
        err = dj_json_step(reader, ']', cell == cells, &more);
        if (err == DJ_OK && !more)
            return cell->type == DJ_CELL_LATER ? DJ_OK : dj_load_ends_early(reader, cell->name);
        if (err == DJ_OK)
            err = load_cell(reader, cell, row + cell->offset);
    }
    return err != DJ_OK ? err : dj_load_rest(reader);
}

// A table on its way into the attribution.
typedef struct target {
    const dj_cells *table;
    char **rows;
    size_t *count;
} target;

static int load_next_row(dj_json_reader *reader, void *user)
{
    target *to = user;
    size_t bytes = to->table->row_bytes;
    if (*to->count == DJ_NOWHERE)
        return dj_json_fail(reader, "%s: more than 2^32 - 1 rows", to->table->name);
    char *larger = dj_load_grown(reader, *to->rows, *to->count, bytes);
    if (!larger)
        return DJ_ERR_MEMORY;
    *to->rows = larger;
    char *row = larger + *to->count * bytes;
    memset(row, 0, bytes);
    ++*to->count; // from here on the row is freed with the others
    return load_row(reader, to->table->cells, row);
}

static int load_table(dj_json_reader *reader, void *value, enum dj_table_id id)
{
    const dj_cells *table = &dj_tables[id];
    char *attribution = value;
    target to = {.table = table,
                 .rows = (char **)(void *)(attribution + table->rows_at),
                 .count = (size_t *)(void *)(attribution + table->count_at)};
    return dj_json_read_list(reader, load_next_row, &to);
}

#define LOADER(name, id)                                                                                     \
    static int load_##name(dj_json_reader *reader, void *value)                                              \
    {                                                                                                        \
        return load_table(reader, value, DJ_TABLE_##id);                                                     \
    }
LOADER(edges, EDGES)
LOADER(cuts, CUTS)
LOADER(files, FILES)
LOADER(modules, MODULES)
LOADER(functions, FUNCTIONS)
LOADER(loops, LOOPS)
LOADER(inlined, INLINED)
LOADER(sites, SITES)
LOADER(threads, THREADS)
LOADER(contexts, CONTEXTS)
LOADER(objects, OBJECTS)
LOADER(places, PLACES)
LOADER(pairs, PAIRS)

#define FIELD(name_)                                                                                         \
    {                                                                                                        \
        .name = #name_, .type = DJ_JSON_CALL, .required = true, .call = load_##name_                         \
    }

int dj_load_attribution(dj_json_reader *reader, void *profile)
{
    static const dj_json_field fields[] = {
        {.name = "pair_from",
         .type = DJ_JSON_UINT,
         .required = true,
         .offset = offsetof(dj_attribution, pair_from)},
        {.name = "contexts_folded",
         .type = DJ_JSON_UINT,
         .offset = offsetof(dj_attribution, contexts_folded)},
        FIELD(edges),
        FIELD(cuts),
        FIELD(files),
        FIELD(modules),
        FIELD(functions),
        FIELD(loops),
        FIELD(inlined),
        FIELD(sites),
        FIELD(threads),
        FIELD(contexts),
        FIELD(objects),
        FIELD(places),
        FIELD(pairs),
        {.name = NULL},
    };
    dj_attribution *a = NULL;
    int err = dj_profile_add_section(dj_json_context(reader), profile, &dj_section_attribution, &a);
    if (err == DJ_OK)
        err = dj_json_read_object(reader, fields, a, NULL);
    if (err != DJ_OK)
        return err;
    err = dj_attribution_check(dj_json_context(reader), a);
    return err == DJ_ERR_INPUT ? dj_json_fail(reader, "%s", dj_context_message(dj_json_context(reader)))
                               : err;
}
