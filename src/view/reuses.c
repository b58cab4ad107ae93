// SPDX-License-Identifier: MIT
// Long reuses, with advice.
#include <deja/reuse.h>

#include "profile/fields.h"
#include "view/parts.h"

enum { REUSES_MOST = 1000 };

typedef struct use {
    uint32_t file, line;
} use;

typedef struct row {
    const char *from, *to;
    use last, next;
    uint32_t object;
    const char *from_object, *data, *loop;
    bool next_iteration;
    const char *advice, *text;
    dj_tally tally;
} row;

typedef struct table {
    row *list;
    size_t count;
    dj_view_rest rest;
} table;

static const dj_field row_fields[] = {
    DJ_AT(TEXT, "from", row, from),
    DJ_AT(TEXT, "to", row, to),
    DJ_AT(INDEX, "from_file", row, last.file),
    DJ_AT(U32, "from_line", row, last.line),
    DJ_AT(INDEX, "to_file", row, next.file),
    DJ_AT(U32, "to_line", row, next.line),
    DJ_AT(INDEX, "object", row, object),
    DJ_AT(TEXT, "from_object", row, from_object),
    DJ_AT(TEXT, "data", row, data),
    DJ_AT(TEXT, "loop", row, loop),
    DJ_AT(BOOL, "next_iteration", row, next_iteration),
    DJ_AT(TEXT, "advice", row, advice),
    DJ_AT(TEXT, "text", row, text),
    DJ_VIEW_TALLY("tally", row, tally),
    DJ_END,
};
static const dj_table row_table = {row_fields, sizeof(row), DJ_ROW_OBJECT};

static const dj_field table_fields[] = {
    {DJ_FIELD_ROWS("rows", table, list, count, row_table)},
    {DJ_FIELD(OBJECT, "rest", table, rest), .rows = &dj_view_rest_table},
    DJ_END,
};

static use use_at(const dj_attribution *a, uint32_t place)
{
    const dj_site_row *site = &a->sites[a->places[place].site];
    return (use){site->file, site->line};
}

static row describe(const dj_view_breakdowns *of, const dj_reuse *r)
{
    const dj_attribution *a = of->a;
    return (row){.from = r->from_name,
                 .to = r->to_name,
                 .last = use_at(a, r->from),
                 .next = use_at(a, r->to),
                 .object = of->object_row[r->object],
                 .from_object = r->from_object == r->object ? "" : a->objects[r->from_object].name,
                 .data = r->data_name,
                 .loop = r->loop_name,
                 .next_iteration = r->next_iteration,
                 .advice = dj_advice_name(r->advice),
                 .text = r->text,
                 .tally = r->tally};
}

int dj_view_add_reuses(dj_view_sections *sections, const dj_view_breakdowns *of, const dj_reuses *reuses)
{
    dj_arena arena = {0};
    table t = {.count = reuses->count < REUSES_MOST ? reuses->count : REUSES_MOST};
    t.list = dj_arena_alloc(&arena, t.count + 1, sizeof *t.list);
    int err = t.list ? DJ_OK : dj_fail_memory(sections->context, "a page", t.count * sizeof *t.list);
    for (size_t i = 0; !err && i < t.count; i++)
        t.list[i] = describe(of, &reuses->list[i]);
    t.rest.rows = reuses->count - t.count;
    for (size_t i = t.count; !err && i < reuses->count; i++)
        err = dj_tally_add(&t.rest.tally, sections->context, &reuses->list[i].tally);
    if (!err)
        err = dj_view_add(sections, "reuses", DJ_VIEW_VERSION, 0, table_fields, &t);
    dj_tally_free(&t.rest.tally);
    dj_arena_free(&arena);
    return err;
}
