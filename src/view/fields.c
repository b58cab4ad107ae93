// SPDX-License-Identifier: MIT
// The parts of data objects, and which lines access them.
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "model/breakdown/grouping.h"
#include "model/names.h"
#include "profile/fields.h"
#include "view/groups.h"
#include "view/matches.h"

enum { FIELDS_MOST = 1500, TOUCHES_MOST = 3000 };

// A line and a part of an object that it accesses.
typedef struct touch {
    uint32_t object, field, line; // rows, or DJ_NOWHERE
    dj_tally tally;
} touch;

typedef struct touches {
    touch *list;
    size_t count;
    const dj_view_rest *rest;
} touches;

static const dj_field touch_fields[] = {
    DJ_AT(INDEX, "object", touch, object),
    DJ_AT(INDEX, "field", touch, field),
    DJ_AT(INDEX, "line", touch, line),
    DJ_VIEW_TALLY("tally", touch, tally),
    DJ_END,
};
static const dj_table touch_row = {touch_fields, sizeof(touch), DJ_ROW_OBJECT};

static const dj_field touches_fields[] = {
    {DJ_FIELD_ROWS("rows", touches, list, count, touch_row)},
    {DJ_FIELD(POINTER, "rest", touches, rest), .rows = &dj_view_rest_table},
    DJ_END,
};

static uint64_t hash_field(const void *user, uint32_t place)
{
    const dj_place_row *row = &((const dj_attribution *)user)->places[place];
    const char *element = row->element ? row->element : "";
    return XXH3_64bits_withSeed(element, strlen(element), row->object);
}

typedef struct touching {
    const dj_view_breakdowns *of;
    const dj_view_groups *fields;
} touching;

static uint64_t hash_touch(const void *user, uint32_t place)
{
    const touching *t = user;
    const uint64_t key[] = {
        t->fields->group_of[place],
        dj_key_of(t->of->a, DJ_BY_LINE, t->of->a->places[place].site, DJ_NOWHERE, DJ_NOWHERE)};
    return XXH3_64bits(key, sizeof key);
}

// A field corresponds to the same part of the object that corresponds to its own.
static int match(dj_view_sections *sections, const dj_place_row *place, dj_view_row *row)
{
    const uint32_t object =
        dj_view_match_row(sections->matches, sections->profile, DJ_BY_OBJECT, place->object);
    const dj_view_references of = {DJ_MATCHED_FIELD, {object}, 1, place->element};
    return dj_view_match(sections->matches, sections->context, &of, &row->match);
}

static int describe(dj_view_sections *sections, const dj_view_breakdowns *of, const dj_view_groups *groups,
                    dj_arena *arena, dj_view_row *rows)
{
    dj_context *context = sections->context;
    const dj_attribution *a = of->a;
    dj_names names;
    int err = dj_names_create(&names, context, a);
    for (size_t i = 0; !err && i < groups->row_count; i++) {
        const dj_place_row *place = &a->places[groups->place[i]];
        char *name = dj_names_data(&names, place->object, place->element);
        rows[i] = (dj_view_row){.name = name ? dj_arena_copy(arena, name, strlen(name)) : NULL,
                                .file = DJ_NOWHERE,
                                .parent = DJ_NOWHERE,
                                .tally = groups->tallies[i],
                                .measures = dj_view_measure(&of->measured, &groups->tallies[i], arena),
                                .object = of->object_row[place->object],
                                .element = place->element};
        err = name ? match(sections, place, &rows[i]) : dj_fail_memory(context, "a page", 0);
        free(name);
    }
    dj_names_destroy(&names);
    return err;
}

static int add_parts(dj_view_sections *sections, const dj_view_breakdowns *of, dj_view_groups *groups)
{
    dj_arena arena = {0};
    dj_view_rows rows = {.count = groups->row_count, .total = of->by[DJ_BY_OBJECT]->total};
    rows.list = dj_arena_alloc(&arena, groups->row_count + 1, sizeof *rows.list);
    int err = rows.list ? describe(sections, of, groups, &arena, rows.list) : DJ_OK;
    rows.rest = dj_view_rest_finish(&of->measured, &groups->rest, &arena);
    if (!err && arena.failed)
        err = dj_fail_memory(sections->context, "a page", 0);
    if (!err)
        err = dj_view_add(sections, "fields", DJ_VIEW_VERSION, 0, dj_view_fields_fields, &rows);
    dj_arena_free(&arena);
    return err;
}

struct dj_view_parts {
    dj_view_groups fields, touches;
};

int dj_view_parts_create(dj_context *context, const dj_view_breakdowns *of, dj_view_parts **out)
{
    dj_view_weights weights = {.list = NULL};
    dj_view_parts *parts = calloc(1, sizeof *parts);
    if (!parts)
        return dj_fail_memory(context, "a page", sizeof *parts);
    int err = dj_view_weights_create(context, of, &weights);
    if (!err)
        err = dj_view_groups_create(context, of->a, &weights, hash_field, of->a, FIELDS_MOST, &parts->fields);
    const touching user = {of, &parts->fields};
    if (!err)
        err =
            dj_view_groups_create(context, of->a, &weights, hash_touch, &user, TOUCHES_MOST, &parts->touches);
    dj_view_weights_free(&weights);
    if (err)
        dj_view_parts_destroy(parts);
    else
        *out = parts;
    return err;
}

void dj_view_parts_destroy(dj_view_parts *parts)
{
    if (!parts)
        return;
    dj_view_groups_free(&parts->fields);
    dj_view_groups_free(&parts->touches);
    free(parts);
}

static int add_touches(dj_view_sections *sections, const dj_view_breakdowns *of, dj_view_parts *parts)
{
    const dj_view_groups *fields = &parts->fields;
    dj_view_groups *groups = &parts->touches;
    dj_arena arena = {0};
    int err = DJ_OK;
    touches all = {.count = groups->row_count};
    all.list = dj_arena_alloc(&arena, groups->row_count + 1, sizeof *all.list);
    for (size_t i = 0; all.list && i < groups->row_count; i++) {
        const uint32_t at = groups->place[i];
        const dj_place_row *place = &of->a->places[at];
        all.list[i] = (touch){.object = of->object_row[place->object],
                              .field = fields->row_of[fields->group_of[at]],
                              .line = dj_view_line_row(of, place->site),
                              .tally = groups->tallies[i]};
    }
    all.rest = dj_view_rest_finish(&of->measured, &groups->rest, &arena);
    if (arena.failed)
        err = dj_fail_memory(sections->context, "a page", 0);
    if (!err)
        err = dj_view_add(sections, "touches", DJ_VIEW_VERSION, 0, touches_fields, &all);
    dj_arena_free(&arena);
    return err;
}

int dj_view_add_fields(dj_view_sections *sections, const dj_view_breakdowns *of)
{
    int err = add_parts(sections, of, &of->parts->fields);
    return err ? err : add_touches(sections, of, of->parts);
}
