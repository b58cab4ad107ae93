// SPDX-License-Identifier: MIT
// Long reuses, with advice.
#include <deja/reuse.h>

#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "profile/fields.h"
#include "view/matches.h"
#include "view/parts.h"

enum { REUSES_MOST = 300 }; // by each measure

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
    const char *evidence, *saves; // in words; saves: in the caches of the run
    uint32_t match;
    dj_tally tally;
} row;

typedef struct table {
    row *list;
    size_t count;
    const dj_view_rest *rest;
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
    DJ_AT(TEXT, "evidence", row, evidence),
    DJ_AT(TEXT, "saves", row, saves),
    DJ_AT(INDEX, "match", row, match),
    DJ_VIEW_TALLY("tally", row, tally),
    DJ_END,
};
static const dj_table row_table = {row_fields, sizeof(row), DJ_ROW_OBJECT};

static const dj_field table_fields[] = {
    {DJ_FIELD_ROWS("rows", table, list, count, row_table)},
    {DJ_FIELD(POINTER, "rest", table, rest), .rows = &dj_view_rest_table},
    DJ_END,
};

static use use_at(const dj_attribution *a, uint32_t place)
{
    const dj_site_row *site = &a->sites[a->places[place].site];
    return (use){site->file, site->line};
}

// Facts on one line.
static const char *join_evidence(dj_arena *arena, const dj_reuse *r)
{
    if (!r->evidence)
        return "";
    size_t length = strlen(r->evidence);
    length -= length > 0 && r->evidence[length - 1] == '\n';
    char *text = dj_arena_copy(arena, r->evidence, length);
    for (size_t i = 0; text && i < length; i++)
        text[i] = text[i] == '\n' ? ';' : text[i];
    return text ? text : "";
}

// "L1 12.3k, L2 800"
static const char *name_saves(dj_arena *arena, const dj_attribution *a, const dj_reuse *r)
{
    char text[256] = "", count[DJ_HUMAN_BYTES];
    size_t length = 0;
    for (size_t i = 0; r->saves && i < a->cut_count && length + 64 < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%.16s %s", i > 0 ? ", " : "",
                                   a->cuts[i].name, dj_human_short(count, (double)r->saves[i]));
    const char *copy = dj_arena_copy(arena, text, length);
    return copy ? copy : "";
}

static row describe(const dj_view_breakdowns *of, dj_arena *arena, const dj_reuse *r)
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
                 .evidence = join_evidence(arena, r),
                 .saves = name_saves(arena, a, r),
                 .tally = r->tally};
}

// Reuses correspond if their lines, data and loops do.
static int match(dj_view_sections *sections, const dj_view_breakdowns *of, const dj_reuse *r, uint32_t *out)
{
    const dj_view_matches *m = sections->matches;
    const unsigned run = sections->profile;
    const dj_view_references references = {
        DJ_MATCHED_REUSE,
        {dj_view_match_place(m, run, DJ_BY_LINE, r->from), dj_view_match_place(m, run, DJ_BY_LINE, r->to),
         dj_view_match_row(m, run, DJ_BY_OBJECT, r->from_object),
         dj_view_match_row(m, run, DJ_BY_OBJECT, r->object), dj_view_match_row(m, run, DJ_BY_LOOP, r->loop),
         r->next_iteration},
        6,
        dj_view_part_of(of->a, r->object, r->data_name)};
    return dj_view_match(sections->matches, sections->context, &references, out);
}

static void keep(const dj_attribution *a, const dj_reuses *reuses, dj_view_cut *cut)
{
    for (size_t by = 0; by <= a->cut_count; by++) {
        for (size_t i = 0; i < reuses->count; i++)
            cut->weights[i] = by < a->cut_count ? reuses->list[i].misses[by] : reuses->list[i].tally.accesses;
        dj_view_cut_keep(cut);
    }
}

static int fill(dj_view_sections *sections, const dj_view_breakdowns *of, dj_arena *arena, table *to,
                dj_view_rest *rest)
{
    dj_context *context = sections->context;
    const dj_reuses *reuses = of->reuses;
    dj_view_cut cut;
    int err = dj_view_cut_create(context, reuses->count, REUSES_MOST, &cut);
    if (err)
        return err;
    keep(of->a, reuses, &cut);
    to->list = dj_arena_alloc(arena, dj_view_cut_size(&cut) + 1, sizeof *to->list);
    for (size_t i = 0; !err && to->list && i < reuses->count; i++) {
        if (cut.kept[i]) {
            row *added = &to->list[to->count++];
            *added = describe(of, arena, &reuses->list[i]);
            err = match(sections, of, &reuses->list[i], &added->match);
            continue;
        }
        rest->rows++;
        err = dj_tally_add(&rest->tally, context, &reuses->list[i].tally);
    }
    to->rest = dj_view_rest_finish(&of->measured, rest, arena);
    dj_view_cut_free(&cut);
    return err;
}

int dj_view_add_reuses(dj_view_sections *sections, const dj_view_breakdowns *of)
{
    dj_arena arena = {0};
    dj_view_rest rest = {.rows = 0};
    table t = {.count = 0};
    int err = fill(sections, of, &arena, &t, &rest);
    if (!err && arena.failed)
        err = dj_fail_memory(sections->context, "a page", 0);
    if (!err)
        err = dj_view_add(sections, "reuses", DJ_VIEW_VERSION, 0, table_fields, &t);
    dj_tally_free(&rest.tally);
    dj_arena_free(&arena);
    return err;
}
