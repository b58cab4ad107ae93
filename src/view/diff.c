// SPDX-License-Identifier: MIT
// What changed between two profiles.
#include <deja/diff.h>

#include "base/plain.h"
#include "profile/fields.h"
#include "report/diff.h"
#include "view/diff_rows.h"
#include "view/parts.h"

typedef struct total {
    const char *name;
    dj_view_diff_count count;
} total;

typedef struct cache {
    const char *name;
    uint64_t blocks;
} cache;

typedef struct point {
    uint64_t size;
    double before, after;
} point;

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
    dj_view_diff_breakdown *breakdowns;
    size_t breakdown_count;
    const char *not_compared;
    const char *measure; // by which rows are sorted
    bool estimated;
    double work[DJ_SIDES];
    int64_t ranked;
} difference;

#define FIELD(type_, row_, member_) DJ_AT(type_, #member_, row_, member_)
static const dj_field total_fields[] = {FIELD(TEXT, total, name), DJ_AT(U64, "before", total, count.before),
                                        DJ_AT(U64, "after", total, count.after),
                                        DJ_AT(REAL, "error", total, count.error), DJ_END};
static const dj_table total_table = {total_fields, sizeof(total), DJ_ROW_OBJECT};
static const dj_field cache_fields[] = {FIELD(TEXT, cache, name), FIELD(U64, cache, blocks), DJ_END};
static const dj_table cache_table = {cache_fields, sizeof(cache), DJ_ROW_OBJECT};
static const dj_field point_fields[] = {FIELD(U64, point, size), FIELD(REAL, point, before),
                                        FIELD(REAL, point, after), DJ_END};
static const dj_table point_table = {point_fields, sizeof(point), DJ_ROW_OBJECT};
static const dj_field real_fields[] = {{.name = "number", .type = DJ_FIELD_REAL}, DJ_END};
static const dj_table real_table = {real_fields, sizeof(double), DJ_ROW_CELL};
static const dj_field fields[] = {
    DJ_AT(LIST, "names", difference, names, .rows = &dj_text_cell, .flags = DJ_FIELD_IN_PLACE,
          .most = DJ_SIDES),
    DJ_AT(LIST, "verdict", difference, verdict, .rows = &dj_text_cell, .flags = DJ_FIELD_IN_PLACE, .most = 1),
    {DJ_FIELD_ROWS("totals", difference, totals, total_count, total_table)},
    {DJ_FIELD_ROWS("caches", difference, caches, cache_count, cache_table)},
    {DJ_FIELD_ROWS("points", difference, points, point_count, point_table)},
    {DJ_FIELD_ROWS("breakdowns", difference, breakdowns, breakdown_count, dj_view_diff_breakdown_table)},
    FIELD(TEXT, difference, not_compared),
    FIELD(TEXT, difference, measure),
    FIELD(BOOL, difference, estimated),
    DJ_AT(LIST, "work", difference, work, .rows = &real_table, .flags = DJ_FIELD_IN_PLACE, .most = DJ_SIDES),
    FIELD(I64, difference, ranked),
    DJ_END,
};

static void add_totals(const dj_diff *diff, dj_document *document, dj_arena *arena, difference *to)
{
    to->totals = dj_arena_alloc(arena, 3 + diff->cache_count, sizeof *to->totals);
    to->caches = dj_arena_alloc(arena, diff->cache_count + 1, sizeof *to->caches);
    to->points = dj_arena_alloc(arena, diff->point_count + 1, sizeof *to->points);
    if (!to->totals || !to->caches || !to->points)
        return;
    to->totals[to->total_count++] = (total){"accesses", dj_view_diff_count_of(&diff->accesses)};
    to->totals[to->total_count++] = (total){"distinct", dj_view_diff_count_of(&diff->distinct)};
    to->totals[to->total_count++] = (total){"cold", dj_view_diff_count_of(&diff->cold)};
    for (size_t k = 0; k < diff->cache_count; k++) {
        const char *name = dj_document_format(document, "%s.misses", diff->caches[k].name);
        to->totals[to->total_count++] = (total){name, dj_view_diff_count_of(&diff->misses[k])};
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
                const dj_view_breakdowns *const sides[DJ_SIDES], dj_document *document, dj_arena *arena,
                difference *to)
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
        err = dj_view_diff_breakdown_create(context, diff, &diff->rows[i], sides, arena,
                                            &to->breakdowns[to->breakdown_count++]);
    return !err && arena->failed ? dj_fail_memory(context, "a page", 0) : err;
}

int dj_view_add_diff(dj_view_sections *sections, const dj_view_request *request, const dj_diff *diff,
                     const dj_view_breakdowns *const sides[DJ_SIDES])
{
    dj_document *made = NULL, *document = NULL;
    dj_arena arena = {0};
    difference all = {.breakdown_count = 0};
    int err = dj_document_create(sections->context, &made);
    if (!err)
        err = fill(sections->context, request, diff, sides, made, &arena, &all);
    if (made)
        err = dj_document_finish(sections->context, err, made, &document);
    if (!err)
        err = dj_view_add(sections, "diff", DJ_VIEW_VERSION, 0, fields, &all);
    for (size_t i = 0; i < all.breakdown_count; i++)
        dj_view_diff_breakdown_free(&all.breakdowns[i]);
    dj_document_destroy(document);
    dj_arena_free(&arena);
    return err;
}
