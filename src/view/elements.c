// SPDX-License-Identifier: MIT
// Which parts of the data objects of a page were accessed.
#include <deja/elements.h>

#include "profile/fields.h"
#include "view/parts.h"

typedef struct map_row {
    uint32_t object; // index of a row of `objects`
    uint64_t bytes, slice_bytes;
    bool overlaid; // several blocks, one on top of the other
    uint64_t *accesses, *cold, *longer, *writes;
    size_t count;
} map_row;

typedef struct map_rows {
    map_row *list;
    size_t count;
    uint64_t left_out;
} map_rows;

#define ALSO .flags = DJ_FIELD_SHARED
static const dj_field row_fields[] = {
    DJ_AT(U32, "object", map_row, object),
    DJ_AT(U64, "bytes", map_row, bytes),
    DJ_AT(U64, "slice_bytes", map_row, slice_bytes),
    DJ_AT(BOOL, "overlaid", map_row, overlaid),
    DJ_NUMBER_LIST("accesses", map_row, accesses, count, .flags = 0),
    DJ_NUMBER_LIST("cold", map_row, cold, count, ALSO),
    DJ_NUMBER_LIST("long", map_row, longer, count, ALSO),
    DJ_NUMBER_LIST("writes", map_row, writes, count, ALSO),
    DJ_END,
};
static const dj_table row_table = {row_fields, sizeof(map_row), DJ_ROW_OBJECT};
static const dj_field rows_fields[] = {
    {DJ_FIELD_ROWS("rows", map_rows, list, count, row_table)},
    DJ_AT(U64, "left_out", map_rows, left_out),
    DJ_END,
};

static uint64_t extent(const dj_object_row *object, const dj_element_map *map)
{
    const uint64_t seen = map->segment_bytes * map->count;
    return object->blocks <= 1 && object->bytes > 0 && object->bytes < seen ? object->bytes : seen;
}

static int fill(dj_arena *arena, dj_context *context, const dj_element_map *map, map_row *to)
{
    const size_t n = map->count;
    uint64_t *all = dj_arena_alloc(arena, 4 * n + 1, sizeof *all);
    if (!all)
        return dj_fail_memory(context, "a page", 4 * n * sizeof *all);
    to->accesses = all;
    to->cold = all + n;
    to->longer = all + 2 * n;
    to->writes = all + 3 * n;
    to->count = n;
    for (size_t i = 0; i < n; i++) {
        to->accesses[i] = map->list[i].accesses;
        to->cold[i] = map->list[i].cold;
        to->longer[i] = map->list[i].longer;
        to->writes[i] = map->list[i].writes;
    }
    return DJ_OK;
}

int dj_view_add_elements(dj_view_sections *sections, const dj_view_breakdowns *breakdowns,
                         const dj_element_maps *elements)
{
    dj_arena arena = {0};
    map_rows shown = {.list = dj_arena_alloc(&arena, elements->count + 1, sizeof *shown.list),
                      .left_out = elements->left_out};
    int err = shown.list ? DJ_OK : dj_fail_memory(sections->context, "a page", 0);
    for (size_t i = 0; !err && i < elements->count; i++) {
        const dj_element_map *map = &elements->maps[i];
        const dj_object_row *object = &breakdowns->a->objects[map->object];
        const uint32_t row = breakdowns->object_row[map->object];
        if (row == DJ_NOWHERE) {
            shown.left_out++;
            continue;
        }
        map_row *to = &shown.list[shown.count++];
        *to = (map_row){.object = row,
                        .bytes = extent(object, map),
                        .slice_bytes = map->segment_bytes,
                        .overlaid = object->blocks > 1 || object->kind == DJ_OBJECT_LOCAL};
        err = fill(&arena, sections->context, map, to);
    }
    if (!err)
        err = dj_view_add(sections, "elements", DJ_VIEW_VERSION, 0, rows_fields, &shown);
    dj_arena_free(&arena);
    return err;
}
