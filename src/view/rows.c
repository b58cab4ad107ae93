// SPDX-License-Identifier: MIT
// The rows of a breakdown.
#include "view/rows.h"

#include <stdlib.h>

#include "model/breakdown/grouping.h"
#include "model/reuse/reuse.h"
#include "profile/fields.h"
#include "profile/json.h"
#include "view/matches.h"
#include "view/tasks.h"

// The worst ones by each measure, so that a table has some thousand.
enum { ROWS_MOST = 1500, SOURCE_ROWS_MOST = 3000 };

#define TEXT(member_) DJ_AT(TEXT, #member_, dj_view_row, member_)
#define U64(member_) DJ_AT(U64, #member_, dj_view_row, member_)
#define U32(member_) DJ_AT(U32, #member_, dj_view_row, member_)
#define ROW_FIELDS                                                                                           \
    TEXT(name), DJ_AT(INDEX, "file", dj_view_row, file), U32(line), U32(last_line), TEXT(function),          \
        TEXT(module), TEXT(kind), TEXT(type), U64(bytes), U64(blocks), U64(shared_blocks),                   \
        DJ_AT(INDEX, "parent", dj_view_row, parent), U32(depth), U64(iterations), U64(calls),                \
        DJ_VIEW_TALLY("tally", dj_view_row, tally),                                                          \
        {DJ_FIELD(POINTER, "inclusive", dj_view_row, inclusive), .rows = &dj_view_tally_table},              \
        {DJ_FIELD(POINTER, "inclusive_stall", dj_view_row, inclusive_stall), .rows = &dj_view_stall_table},  \
        DJ_AT(U64, "distinct", dj_view_row, distinct.blocks),                                                \
        DJ_AT(BOOL, "distinct_known", dj_view_row, distinct.known),                                          \
        DJ_AT(BOOL, "distinct_exact", dj_view_row, distinct.exact),                                          \
        DJ_AT(INDEX, "match", dj_view_row, match), DJ_VIEW_MEASURES(dj_view_row, measures)

static const dj_field row_fields[] = {ROW_FIELDS, DJ_END};
static const dj_table row_table = {row_fields, sizeof(dj_view_row), DJ_ROW_OBJECT};
static const dj_field field_fields[] = {ROW_FIELDS, DJ_AT(INDEX, "object", dj_view_row, object),
                                        TEXT(element), DJ_END};
static const dj_table field_table = {field_fields, sizeof(dj_view_row), DJ_ROW_OBJECT};

static const dj_field rest_fields[] = {
    DJ_AT(U64, "rows", dj_view_rest, rows),
    DJ_VIEW_TALLY("tally", dj_view_rest, tally),
    DJ_VIEW_MEASURES(dj_view_rest, measures),
    DJ_END,
};
const dj_table dj_view_rest_table = {rest_fields, sizeof(dj_view_rest), DJ_ROW_OBJECT};

#define TABLE_FIELDS(table_)                                                                                 \
    {DJ_FIELD_ROWS("rows", dj_view_rows, list, count, table_)},                                              \
        {DJ_FIELD(POINTER, "rest", dj_view_rows, rest), .rows = &dj_view_rest_table},                        \
        DJ_VIEW_TALLY("total", dj_view_rows, total), DJ_END

const dj_field dj_view_rows_fields[] = {TABLE_FIELDS(row_table)};
const dj_field dj_view_fields_fields[] = {TABLE_FIELDS(field_table)};

const dj_view_rest *dj_view_rest_finish(const dj_view_measured *measured, dj_view_rest *rest, dj_arena *arena)
{
    if (rest->rows == 0)
        return NULL;
    rest->measures = dj_view_measure(measured, &rest->tally, arena);
    return rest;
}

// What entities are chosen by.
typedef struct chosen {
    const dj_view_breakdowns *of;
    const dj_breakdown *b;
    dj_view_cut cut;
} chosen;

static void keep_by_misses(chosen *c, bool inclusive)
{
    const dj_breakdown *b = c->b;
    for (size_t i = 0; i < b->count; i++)
        c->cut.weights[i] = inclusive ? b->entities[i].inclusive.accesses : b->entities[i].exclusive.accesses;
    dj_view_cut_keep(&c->cut);
    for (size_t k = 0; k < c->of->a->cut_count; k++) {
        for (size_t i = 0; i < b->count; i++)
            c->cut.weights[i] = (inclusive ? b->entities[i].inclusive_misses : b->entities[i].misses)[k];
        dj_view_cut_keep(&c->cut);
    }
}

static void keep_by_measures(chosen *c)
{
    const dj_breakdown *b = c->b;
    for (size_t i = 0; i < b->count; i++) {
        const int64_t poor = dj_view_poor(&c->of->measured, &b->entities[i].exclusive);
        c->cut.weights[i] = poor > 0 ? (uint64_t)poor : 0;
    }
    dj_view_cut_keep(&c->cut);
    for (size_t i = 0; i < b->count; i++)
        c->cut.weights[i] = dj_view_stall_estimate(&c->of->measured, &b->entities[i].exclusive);
    dj_view_cut_keep(&c->cut);
    for (size_t i = 0; i < b->count; i++) {
        const dj_sharing_tally *s = b->entities[i].exclusive.sharing;
        c->cut.weights[i] = s ? s->counts.true_sharing + s->counts.false_sharing + s->counts.broken : 0;
    }
    dj_view_cut_keep(&c->cut);
}

// All lines of the sources that the page shows, if there are not very many.
static void keep_shown(chosen *c)
{
    size_t room = SOURCE_ROWS_MOST;
    for (size_t i = 0; i < c->b->count && room > 0; i++) {
        const uint32_t file = c->b->entities[i].file;
        if (file >= c->of->files.count || !c->of->files.list[file].shown)
            continue;
        c->cut.kept[i] = true;
        room--;
    }
}

// What contains a row is a row too.
static void keep_parents(chosen *c)
{
    for (size_t i = 0; i < c->b->count; i++)
        for (uint32_t at = (uint32_t)i; c->cut.kept[i] && c->b->entities[at].parent != DJ_NOWHERE;) {
            at = c->b->entities[at].parent;
            if (c->cut.kept[at])
                break;
            c->cut.kept[at] = true;
        }
}

static int choose(dj_context *context, dj_view_breakdowns *of, enum dj_by by)
{
    chosen c = {.of = of, .b = of->by[by]};
    const size_t count = c.b->count;
    uint32_t rows = 0;
    int err = dj_view_cut_create(context, count, ROWS_MOST, &c.cut);
    if (err)
        return err;
    keep_by_misses(&c, false);
    keep_by_measures(&c);
    if (c.b->has_inclusive)
        keep_by_misses(&c, true);
    if (by == DJ_BY_LINE)
        keep_shown(&c);
    if (by == DJ_BY_LOOP || by == DJ_BY_CALLING_CONTEXT)
        keep_parents(&c);
    of->row_of[by] = malloc((count + 1) * sizeof *of->row_of[by]);
    if (!of->row_of[by])
        err = dj_fail_memory(context, "a page", count * sizeof *of->row_of[by]);
    for (size_t i = 0; !err && i < count; i++)
        of->row_of[by][i] = c.cut.kept[i] ? rows++ : DJ_NOWHERE;
    dj_view_cut_free(&c.cut);
    return err;
}

static int index_objects(dj_context *context, dj_view_breakdowns *of)
{
    const dj_breakdown *b = of->by[DJ_BY_OBJECT];
    const size_t count = of->a->object_count;
    of->object_row = malloc((count + 1) * sizeof *of->object_row);
    if (!of->object_row)
        return dj_fail_memory(context, "a page", count * sizeof *of->object_row);
    for (size_t i = 0; i < count; i++)
        of->object_row[i] = DJ_NOWHERE;
    for (size_t i = 0; i < b->count; i++)
        if (b->entities[i].row < count)
            of->object_row[b->entities[i].row] = of->row_of[DJ_BY_OBJECT][i];
    return DJ_OK;
}

uint64_t dj_view_entity_key(const dj_attribution *a, enum dj_by by, const dj_entity *e)
{
    if (e->row == DJ_NOWHERE)
        return DJ_KEY_REST | (by == DJ_BY_LINE || by == DJ_BY_FUNCTION ? e->module : DJ_NOWHERE);
    return by == DJ_BY_LINE ? dj_key_of(a, by, e->row, DJ_NOWHERE, DJ_NOWHERE) : e->row;
}

static int index_lines(dj_context *context, dj_view_breakdowns *of)
{
    const dj_breakdown *b = of->by[DJ_BY_LINE];
    int err = dj_map_create(&of->line_rows, context, &of->footprint, ROWS_MOST);
    for (size_t i = 0; !err && i < b->count; i++) {
        const dj_entity *e = &b->entities[i];
        if (of->row_of[DJ_BY_LINE][i] == DJ_NOWHERE)
            continue;
        uint64_t *at = dj_map_at(&of->line_rows, context, dj_view_entity_key(of->a, DJ_BY_LINE, e));
        if (at)
            *at = of->row_of[DJ_BY_LINE][i] + 1;
        else
            err = DJ_ERR_MEMORY;
    }
    return err;
}

uint32_t dj_view_line_row(const dj_view_breakdowns *of, uint32_t site)
{
    const uint64_t row =
        dj_map_get(&of->line_rows, dj_key_of(of->a, DJ_BY_LINE, site, DJ_NOWHERE, DJ_NOWHERE));
    return row ? (uint32_t)row - 1 : DJ_NOWHERE;
}

static int find_reuses(dj_context *context, dj_view_breakdowns *of)
{
    int err = dj_breakdown_create(context, of->a, DJ_BY_LOOP, &of->by[DJ_BY_LOOP]);
    if (!err)
        err = dj_reuses_create_from(context, of->a, of->measured.profile, of->by[DJ_BY_LOOP],
                                    &dj_advice_builtin, &of->reuses);
    return err ? err : dj_reuses_withhold(of->reuses, context, of->measured.profile);
}

static const enum dj_by independent[] = {DJ_BY_FUNCTION, DJ_BY_LINE, DJ_BY_CALLING_CONTEXT, DJ_BY_OBJECT,
                                         DJ_BY_THREAD};
enum { INDEPENDENT = sizeof independent / sizeof independent[0] };

// The slowest ones first.
static int compute(void *user, dj_context *context, size_t task)
{
    dj_view_breakdowns *of = user;
    switch (task) {
    case 0:
        return find_reuses(context, of);
    case 1:
        return dj_view_parts_create(context, of, &of->parts);
    case 2:
        return dj_hills_find(context, of->measured.profile, &of->hills);
    default:
        return dj_breakdown_create(context, of->a, independent[task - 3], &of->by[independent[task - 3]]);
    }
}

int dj_view_breakdowns_create(dj_context *context, const dj_view_request *request, unsigned profile,
                              dj_view_breakdowns *out)
{
    *out = (dj_view_breakdowns){.a = dj_profile_attribution(request->profiles[profile])};
    int err = dj_view_measured_find(context, request->profiles[profile], request->costs, &out->measured);
    const dj_view_tasks tasks = {compute, out, 3 + INDEPENDENT};
    if (!err)
        err = dj_view_run_tasks(context, &tasks);
    if (!err)
        err = dj_view_files_read(context, request, profile, out->by[DJ_BY_LINE], &out->files);
    for (unsigned by = 0; !err && by < DJ_BY_COUNT; by++)
        err = choose(context, out, (enum dj_by)by);
    if (!err)
        err = index_objects(context, out);
    if (!err)
        err = index_lines(context, out);
    if (err)
        dj_view_breakdowns_destroy(out);
    return err;
}

void dj_view_breakdowns_destroy(dj_view_breakdowns *b)
{
    for (unsigned by = 0; by < DJ_BY_COUNT; by++) {
        dj_breakdown_destroy(b->by[by]);
        free(b->row_of[by]);
    }
    free(b->object_row);
    dj_reuses_destroy(b->reuses);
    dj_hills_destroy(b->hills);
    dj_view_parts_destroy(b->parts);
    dj_view_files_free(&b->files);
    dj_map_destroy(&b->line_rows);
    *b = (dj_view_breakdowns){.a = NULL};
}

static void describe_object(const dj_attribution *a, uint32_t object, dj_view_row *row)
{
    const dj_object_row *from = &a->objects[object];
    row->kind = dj_object_kinds[from->kind];
    row->type = from->type;
    row->bytes = from->bytes;
    row->blocks = from->blocks;
    row->shared_blocks = object < a->shared_block_count ? a->shared_blocks[object] : 0;
}

static dj_view_row describe(const dj_view_sections *sections, const dj_view_breakdowns *of,
                            const dj_breakdown *b, dj_entity *entity, dj_arena *arena)
{
    const uint32_t *row_of = of->row_of[b->by];
    const size_t number = (size_t)(entity - b->entities);
    const dj_attribution *a = of->a;
    dj_view_row row = {.name = entity->name,
                       .file = entity->file,
                       .line = entity->line,
                       .last_line = entity->last_line,
                       .parent = entity->parent == DJ_NOWHERE ? DJ_NOWHERE : row_of[entity->parent],
                       .depth = entity->depth,
                       .iterations = entity->iterations,
                       .tally = entity->exclusive,
                       .inclusive = b->has_inclusive ? &entity->inclusive : NULL,
                       .distinct = entity->distinct,
                       .match = dj_view_match_entity(sections->matches, sections->profile, b->by, number),
                       .measures = dj_view_measure(&of->measured, &entity->exclusive, arena)};
    if (b->by == DJ_BY_OBJECT && entity->row != DJ_NOWHERE)
        describe_object(a, entity->row, &row);
    if (b->by == DJ_BY_OBJECT || b->by == DJ_BY_THREAD)
        return row;
    if (entity->function != DJ_NOWHERE)
        row.function = a->functions[entity->function].name;
    if (entity->module != DJ_NOWHERE)
        row.module = a->modules[entity->module].path;
    if (b->by == DJ_BY_CALLING_CONTEXT && entity->row != DJ_NOWHERE)
        row.calls = a->cct[entity->row].calls;
    if (b->by == DJ_BY_CALLING_CONTEXT)
        row.inclusive_stall = dj_view_stall_of(&of->measured, &entity->inclusive, arena);
    return row;
}

static int fill(const dj_view_sections *sections, const dj_view_breakdowns *of, enum dj_by by,
                dj_arena *arena, dj_view_rows *rows, dj_view_rest *rest)
{
    const dj_breakdown *b = of->by[by];
    int err = DJ_OK;
    rows->list = dj_arena_alloc(arena, b->count + 1, sizeof *rows->list);
    for (size_t i = 0; !err && rows->list && i < b->count; i++) {
        dj_entity *entity = &b->entities[i];
        if (of->row_of[by][i] != DJ_NOWHERE) {
            rows->list[rows->count++] = describe(sections, of, b, entity, arena);
            continue;
        }
        rest->rows++;
        err = dj_tally_add(&rest->tally, sections->context, &entity->exclusive);
    }
    rows->total = b->total;
    rows->rest = dj_view_rest_finish(&of->measured, rest, arena);
    return err;
}

static int add(dj_view_sections *sections, const dj_view_breakdowns *of, enum dj_by by)
{
    dj_arena arena = {0};
    dj_view_rows rows = {.count = 0};
    dj_view_rest rest = {.rows = 0};
    int err = fill(sections, of, by, &arena, &rows, &rest);
    if (!err && arena.failed)
        err = dj_fail_memory(sections->context, "a page", 0);
    if (!err)
        err = dj_view_add(sections, dj_by_plural(by), DJ_VIEW_VERSION, 0, dj_view_rows_fields, &rows);
    dj_tally_free(&rest.tally);
    dj_arena_free(&arena);
    return err;
}

int dj_view_add_breakdowns(dj_view_sections *sections, const dj_view_breakdowns *of)
{
    int err = DJ_OK;
    for (unsigned by = 0; !err && by < DJ_BY_COUNT; by++)
        err = add(sections, of, (enum dj_by)by);
    return err;
}
