// SPDX-License-Identifier: MIT
#include "view/diff_rows.h"

#include <math.h>
#include <stdlib.h>

#include "profile/fields.h"
#include "view/cut.h"

enum { ROWS_MOST = 1000 };

#define COUNT(type_, member_) DJ_AT(type_, #member_, dj_view_diff_count, member_)
static const dj_field count_fields[] = {COUNT(U64, before), COUNT(U64, after), COUNT(REAL, error), DJ_END};
static const dj_table count_table = {count_fields, sizeof(dj_view_diff_count), DJ_ROW_OBJECT};

#define COUNTS(row_)                                                                                         \
    DJ_AT(U64, "accesses_before", row_, accesses.before),                                                    \
        DJ_AT(U64, "accesses_after", row_, accesses.after),                                                  \
        DJ_AT(REAL, "accesses_error", row_, accesses.error),                                                 \
        {DJ_FIELD_ROWS("misses", row_, misses, miss_count, count_table)},                                    \
        {DJ_FIELD(POINTER, "tally_before", row_, tallies[DJ_BEFORE]), .rows = &dj_view_tally_table},         \
    {                                                                                                        \
        DJ_FIELD(POINTER, "tally_after", row_, tallies[DJ_AFTER]), .rows = &dj_view_tally_table              \
    }
#define ROW(type_, member_) DJ_AT(type_, #member_, dj_view_diff_row, member_)
static const dj_field row_fields[] = {
    ROW(INDEX, match),    ROW(TEXT, name),     ROW(TEXT, was),           ROW(TEXT, function),
    ROW(BOOL, in_before), ROW(BOOL, in_after), COUNTS(dj_view_diff_row), DJ_END,
};
static const dj_table row_table = {row_fields, sizeof(dj_view_diff_row), DJ_ROW_OBJECT};
static const dj_field rest_fields[] = {
    DJ_AT(U64, "rows", dj_view_diff_rest, rows),
    COUNTS(dj_view_diff_rest),
    DJ_END,
};
static const dj_table rest_table = {rest_fields, sizeof(dj_view_diff_rest), DJ_ROW_OBJECT};
static const dj_field breakdown_fields[] = {
    DJ_AT(TEXT, "by", dj_view_diff_breakdown, by),
    {DJ_FIELD_ROWS("rows", dj_view_diff_breakdown, rows, row_count, row_table)},
    {DJ_FIELD(POINTER, "rest", dj_view_diff_breakdown, rest), .rows = &rest_table},
    DJ_END,
};
const dj_table dj_view_diff_breakdown_table = {breakdown_fields, sizeof(dj_view_diff_breakdown),
                                               DJ_ROW_OBJECT};

dj_view_diff_count dj_view_diff_count_of(const dj_diff_count *from)
{
    return (dj_view_diff_count){from->runs[DJ_BEFORE], from->runs[DJ_AFTER], dj_diff_error(from)};
}

static void add_to(dj_view_diff_count *sum, const dj_diff_count *from)
{
    sum->before += from->runs[DJ_BEFORE];
    sum->after += from->runs[DJ_AFTER];
    sum->error = hypot(sum->error, dj_diff_error(from));
}

// A large row, or one that changed much.
static void keep(const dj_diff *diff, const dj_diff_rows *rows, dj_view_cut *cut)
{
    for (size_t by = 0; by < 2 * (diff->cache_count + 1); by++) {
        for (size_t i = 0; i < rows->count; i++) {
            const dj_diff_row *r = &rows->list[i];
            const uint64_t *runs = by < 2 ? r->accesses.runs : r->misses[by / 2 - 1].runs;
            const uint64_t less = runs[0] < runs[1] ? runs[0] : runs[1], more = runs[0] + runs[1] - less;
            cut->weights[i] = by % 2 ? more : more - less;
        }
        dj_view_cut_keep(cut);
    }
}

static dj_view_diff_row describe(const dj_diff *diff, const dj_diff_rows *rows, size_t index, dj_arena *arena)
{
    const dj_diff_row *from = &rows->list[index];
    dj_view_diff_row to = {.match = (uint32_t)index,
                           .name = from->name,
                           .was = from->was,
                           .function = from->function,
                           .in_before = from->in[DJ_BEFORE],
                           .in_after = from->in[DJ_AFTER],
                           .accesses = dj_view_diff_count_of(&from->accesses),
                           .misses = dj_arena_alloc(arena, diff->cache_count + 1, sizeof *to.misses)};
    for (size_t k = 0; to.misses && k < diff->cache_count; k++)
        to.misses[to.miss_count++] = dj_view_diff_count_of(&from->misses[k]);
    return to;
}

// What `side` has of each row that the page does not have as rows of the profile; the last one is the rest.
static int add_tallies(dj_context *context, const dj_diff_rows *rows, const dj_view_breakdowns *side, int run,
                       const uint32_t *kept_at, dj_view_diff_breakdown *to)
{
    const dj_breakdown *b = side->by[rows->by];
    dj_tally *tallies = to->tallies[run] = calloc(to->row_count + 1, sizeof *tallies);
    if (!tallies)
        return dj_fail_memory(context, "a page", to->row_count * sizeof *tallies);
    for (size_t i = 0; i < b->count; i++) {
        const uint32_t at = kept_at[rows->row_of[run][i]];
        if (at != DJ_NOWHERE && side->row_of[rows->by][i] == DJ_NOWHERE)
            to->rows[at].tallies[run] = &tallies[at];
    }
    int err = DJ_OK;
    for (size_t i = 0; !err && i < b->count; i++) {
        const uint32_t at = kept_at[rows->row_of[run][i]];
        if (at == DJ_NOWHERE)
            err = dj_tally_add(&tallies[to->row_count], context, &b->entities[i].exclusive);
        else if (to->rows[at].tallies[run])
            err = dj_tally_add(&tallies[at], context, &b->entities[i].exclusive);
    }
    if (to->rest)
        to->rest->tallies[run] = &tallies[to->row_count];
    return err;
}

static int fill(dj_context *context, const dj_diff *diff, const dj_diff_rows *rows, const dj_view_cut *cut,
                dj_arena *arena, uint32_t *kept_at, dj_view_diff_breakdown *to)
{
    to->rows = dj_arena_alloc(arena, dj_view_cut_size(cut) + 1, sizeof *to->rows);
    dj_view_diff_rest *left = dj_arena_alloc(arena, 1, sizeof *left);
    dj_view_diff_count *misses = dj_arena_alloc(arena, diff->cache_count + 1, sizeof *misses);
    if (!to->rows || !left || !misses)
        return dj_fail_memory(context, "a page", 0);
    *left = (dj_view_diff_rest){.misses = misses, .miss_count = diff->cache_count};
    for (size_t i = 0; i < rows->count; i++) {
        kept_at[i] = cut->kept[i] ? (uint32_t)to->row_count : DJ_NOWHERE;
        if (cut->kept[i]) {
            to->rows[to->row_count++] = describe(diff, rows, i, arena);
            continue;
        }
        to->rest = left;
        left->rows++;
        add_to(&left->accesses, &rows->list[i].accesses);
        for (size_t k = 0; k < diff->cache_count; k++)
            add_to(&misses[k], &rows->list[i].misses[k]);
    }
    return DJ_OK;
}

int dj_view_diff_breakdown_create(dj_context *context, const dj_diff *diff, const dj_diff_rows *rows,
                                  const dj_view_breakdowns *const sides[DJ_SIDES], dj_arena *arena,
                                  dj_view_diff_breakdown *out)
{
    *out = (dj_view_diff_breakdown){.by = dj_by_plural(rows->by)};
    dj_view_cut cut;
    int err = dj_view_cut_create(context, rows->count, ROWS_MOST, &cut);
    if (err)
        return err;
    uint32_t *kept_at = malloc((rows->count + 1) * sizeof *kept_at);
    keep(diff, rows, &cut);
    err = kept_at ? fill(context, diff, rows, &cut, arena, kept_at, out)
                  : dj_fail_memory(context, "a page", rows->count * sizeof *kept_at);
    for (int run = 0; !err && run < DJ_SIDES; run++)
        err = add_tallies(context, rows, sides[run], run, kept_at, out);
    free(kept_at);
    dj_view_cut_free(&cut);
    return err;
}

void dj_view_diff_breakdown_free(dj_view_diff_breakdown *b)
{
    for (int run = 0; run < DJ_SIDES; run++) {
        for (size_t i = 0; b->tallies[run] && i <= b->row_count; i++)
            dj_tally_free(&b->tallies[run][i]);
        free(b->tallies[run]);
        b->tallies[run] = NULL;
    }
}
