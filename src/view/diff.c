// SPDX-License-Identifier: MIT
// What changed between two profiles.
#include <deja/diff.h>

#include <math.h>
#include <stdlib.h>

#include "base/plain.h"
#include "profile/fields.h"
#include "report/diff.h"
#include "view/parts.h"

enum { ROWS_MOST = 1000 };

typedef struct count {
    uint64_t before, after;
    double error;
} count;

typedef struct total {
    const char *name;
    count count;
} total;

typedef struct cache {
    const char *name;
    uint64_t blocks;
} cache;

typedef struct point {
    uint64_t size;
    double before, after;
} point;

typedef struct row {
    const char *name, *was, *function;
    bool in_before, in_after;
    count accesses;
    count *misses;
    size_t miss_count;
} row;

// The sum of what was left out.
typedef struct rest {
    uint64_t rows;
    count accesses;
    count *misses;
    size_t miss_count;
} rest;

typedef struct breakdown {
    const char *by;
    row *rows;
    size_t row_count;
    rest *rest; // NULL: nothing
} breakdown;

typedef struct text {
    const char *text;
} text;

typedef struct difference {
    text names[DJ_SIDES];
    text verdict;
    total *totals;
    size_t total_count;
    cache *caches;
    size_t cache_count;
    point *points;
    size_t point_count;
    breakdown *breakdowns;
    size_t breakdown_count;
    const char *not_compared;
    const char *measure; // by which rows are sorted
    bool estimated;
    double work[DJ_SIDES];
    int64_t ranked;
} difference;

#define FIELD(type_, row_, member_) DJ_AT(type_, #member_, row_, member_)
static const dj_field count_fields[] = {FIELD(U64, count, before), FIELD(U64, count, after),
                                        FIELD(REAL, count, error), DJ_END};
static const dj_table count_table = {count_fields, sizeof(count), DJ_ROW_OBJECT};
static const dj_field total_fields[] = {FIELD(TEXT, total, name), DJ_AT(U64, "before", total, count.before),
                                        DJ_AT(U64, "after", total, count.after),
                                        DJ_AT(REAL, "error", total, count.error), DJ_END};
static const dj_table total_table = {total_fields, sizeof(total), DJ_ROW_OBJECT};
static const dj_field cache_fields[] = {FIELD(TEXT, cache, name), FIELD(U64, cache, blocks), DJ_END};
static const dj_table cache_table = {cache_fields, sizeof(cache), DJ_ROW_OBJECT};
static const dj_field point_fields[] = {FIELD(U64, point, size), FIELD(REAL, point, before),
                                        FIELD(REAL, point, after), DJ_END};
static const dj_table point_table = {point_fields, sizeof(point), DJ_ROW_OBJECT};
static const dj_field row_fields[] = {
    FIELD(TEXT, row, name),
    FIELD(TEXT, row, was),
    FIELD(TEXT, row, function),
    FIELD(BOOL, row, in_before),
    FIELD(BOOL, row, in_after),
    DJ_AT(U64, "accesses_before", row, accesses.before),
    DJ_AT(U64, "accesses_after", row, accesses.after),
    DJ_AT(REAL, "accesses_error", row, accesses.error),
    {DJ_FIELD_ROWS("misses", row, misses, miss_count, count_table)},
    DJ_END,
};
static const dj_table row_table = {row_fields, sizeof(row), DJ_ROW_OBJECT};
static const dj_field rest_fields[] = {
    FIELD(U64, rest, rows),
    DJ_AT(U64, "accesses_before", rest, accesses.before),
    DJ_AT(U64, "accesses_after", rest, accesses.after),
    DJ_AT(REAL, "accesses_error", rest, accesses.error),
    {DJ_FIELD_ROWS("misses", rest, misses, miss_count, count_table)},
    DJ_END,
};
static const dj_table rest_table = {rest_fields, sizeof(rest), DJ_ROW_OBJECT};
static const dj_field breakdown_fields[] = {
    FIELD(TEXT, breakdown, by),
    {DJ_FIELD_ROWS("rows", breakdown, rows, row_count, row_table)},
    {DJ_FIELD(POINTER, "rest", breakdown, rest), .rows = &rest_table},
    DJ_END,
};
static const dj_table breakdown_table = {breakdown_fields, sizeof(breakdown), DJ_ROW_OBJECT};
static const dj_field real_fields[] = {{.name = "number", .type = DJ_FIELD_REAL}, DJ_END};
static const dj_table real_table = {real_fields, sizeof(double), DJ_ROW_CELL};
static const dj_field fields[] = {
    DJ_AT(LIST, "names", difference, names, .rows = &dj_text_cell, .flags = DJ_FIELD_IN_PLACE,
          .most = DJ_SIDES),
    DJ_AT(LIST, "verdict", difference, verdict, .rows = &dj_text_cell, .flags = DJ_FIELD_IN_PLACE, .most = 1),
    {DJ_FIELD_ROWS("totals", difference, totals, total_count, total_table)},
    {DJ_FIELD_ROWS("caches", difference, caches, cache_count, cache_table)},
    {DJ_FIELD_ROWS("points", difference, points, point_count, point_table)},
    {DJ_FIELD_ROWS("breakdowns", difference, breakdowns, breakdown_count, breakdown_table)},
    FIELD(TEXT, difference, not_compared),
    FIELD(TEXT, difference, measure),
    FIELD(BOOL, difference, estimated),
    DJ_AT(LIST, "work", difference, work, .rows = &real_table, .flags = DJ_FIELD_IN_PLACE, .most = DJ_SIDES),
    FIELD(I64, difference, ranked),
    DJ_END,
};

static count count_of(const dj_diff_count *from)
{
    return (count){from->runs[DJ_BEFORE], from->runs[DJ_AFTER], dj_diff_error(from)};
}

static void add_to(count *sum, const dj_diff_count *from)
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

static row describe(const dj_diff *diff, const dj_diff_row *from, dj_arena *arena)
{
    row to = {.name = from->name,
              .was = from->was,
              .function = from->function,
              .in_before = from->in[DJ_BEFORE],
              .in_after = from->in[DJ_AFTER],
              .accesses = count_of(&from->accesses),
              .misses = dj_arena_alloc(arena, diff->cache_count + 1, sizeof *to.misses)};
    for (size_t k = 0; to.misses && k < diff->cache_count; k++)
        to.misses[to.miss_count++] = count_of(&from->misses[k]);
    return to;
}

static int add_rows(dj_context *context, const dj_diff *diff, const dj_diff_rows *rows, dj_arena *arena,
                    breakdown *to)
{
    dj_view_cut cut;
    int err = dj_view_cut_create(context, rows->count, ROWS_MOST, &cut);
    if (err)
        return err;
    keep(diff, rows, &cut);
    to->by = dj_by_plural(rows->by);
    to->rows = dj_arena_alloc(arena, dj_view_cut_size(&cut) + 1, sizeof *to->rows);
    rest *left = dj_arena_alloc(arena, 1, sizeof *left);
    count *misses = dj_arena_alloc(arena, diff->cache_count + 1, sizeof *misses);
    if (left)
        *left = (rest){.misses = misses, .miss_count = misses ? diff->cache_count : 0};
    for (size_t i = 0; to->rows && left && misses && i < rows->count; i++) {
        const dj_diff_row *from = &rows->list[i];
        if (cut.kept[i]) {
            to->rows[to->row_count++] = describe(diff, from, arena);
            continue;
        }
        to->rest = left;
        left->rows++;
        add_to(&left->accesses, &from->accesses);
        for (size_t k = 0; k < diff->cache_count; k++)
            add_to(&misses[k], &from->misses[k]);
    }
    dj_view_cut_free(&cut);
    return DJ_OK;
}

static void add_totals(const dj_diff *diff, dj_document *document, dj_arena *arena, difference *to)
{
    to->totals = dj_arena_alloc(arena, 3 + diff->cache_count, sizeof *to->totals);
    to->caches = dj_arena_alloc(arena, diff->cache_count + 1, sizeof *to->caches);
    to->points = dj_arena_alloc(arena, diff->point_count + 1, sizeof *to->points);
    if (!to->totals || !to->caches || !to->points)
        return;
    to->totals[to->total_count++] = (total){"accesses", count_of(&diff->accesses)};
    to->totals[to->total_count++] = (total){"distinct", count_of(&diff->distinct)};
    to->totals[to->total_count++] = (total){"cold", count_of(&diff->cold)};
    for (size_t k = 0; k < diff->cache_count; k++) {
        const char *name = dj_document_format(document, "%s.misses", diff->caches[k].name);
        to->totals[to->total_count++] = (total){name, count_of(&diff->misses[k])};
        to->caches[to->cache_count++] = (cache){diff->caches[k].name, diff->caches[k].blocks};
    }
    for (size_t i = 0; i < diff->point_count; i++)
        to->points[to->point_count++] = (point){diff->points[i].size, diff->points[i].ratios[DJ_BEFORE],
                                                diff->points[i].ratios[DJ_AFTER]};
}

// File names are as untrusted as what is in the files.
static const char *plain(dj_document *document, const char *name)
{
    char *copy = (char *)(uintptr_t)dj_document_copy(document, name);
    if (*copy) // memory may have run out
        dj_plain_clean(copy);
    return copy;
}

static int fill(dj_context *context, const dj_view_request *request, const dj_diff *diff,
                dj_document *document, dj_arena *arena, difference *to)
{
    const dj_diff_view view = {
        .diff = diff,
        .profiles = {request->profiles[0], request->profiles[1]},
        .names = {plain(document, request->names[0]), plain(document, request->names[1])}};
    *to = (difference){.names = {{view.names[0]}, {view.names[1]}},
                       .verdict = {dj_diff_verdict(document, &view)},
                       .not_compared = diff->not_compared,
                       .measure = dj_diff_measure(document, &view),
                       .estimated = diff->estimated,
                       .work = {diff->work[DJ_BEFORE], diff->work[DJ_AFTER]},
                       .ranked = diff->ranked};
    int err = DJ_OK;
    add_totals(diff, document, arena, to);
    to->breakdowns = dj_arena_alloc(arena, diff->row_lists + 1, sizeof *to->breakdowns);
    for (size_t i = 0; !err && to->breakdowns && i < diff->row_lists; i++)
        err = add_rows(context, diff, &diff->rows[i], arena, &to->breakdowns[to->breakdown_count++]);
    return !err && arena->failed ? dj_fail_memory(context, "a page", 0) : err;
}

static int compare(dj_context *context, const dj_view_request *request, dj_diff **out)
{
    dj_diff_request what = {.all_rows = true};
    bool places = true;
    for (int run = 0; run < DJ_SIDES; run++) {
        what.profiles[run] = request->profiles[run];
        what.names[run] = request->names[run];
        places &= dj_profile_attribution(request->profiles[run]) != NULL;
    }
    for (unsigned by = 0; places && by < DJ_BY_COUNT; by++)
        what.by[what.by_count++] = (enum dj_by)by;
    return dj_diff_profiles(context, &what, out);
}

int dj_view_add_diff(dj_view_sections *sections, const dj_view_request *request)
{
    dj_diff *diff = NULL;
    dj_document *made = NULL, *document = NULL;
    dj_arena arena = {0};
    difference all;
    int err = compare(sections->context, request, &diff);
    if (!err)
        err = dj_document_create(sections->context, &made);
    if (!err)
        err = fill(sections->context, request, diff, made, &arena, &all);
    if (made)
        err = dj_document_finish(sections->context, err, made, &document);
    if (!err)
        err = dj_view_add(sections, "diff", DJ_VIEW_VERSION, 0, fields, &all);
    dj_document_destroy(document);
    dj_arena_free(&arena);
    dj_diff_destroy(diff);
    return err;
}
