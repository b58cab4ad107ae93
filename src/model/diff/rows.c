// SPDX-License-Identifier: MIT
#include "model/diff/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/diff/side.h"

static void free_row(dj_diff_row *row)
{
    free(row->name);
    free(row->was);
    free(row->function);
    free(row->misses);
}

void dj_diff_rows_free(dj_diff_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free_row(&rows->list[i]);
    free(rows->list);
    *rows = (dj_diff_rows){0};
}

static void count_run(const dj_diff *diff, int run, const dj_diff_item *item, dj_diff_row *row)
{
    row->in[run] = true;
    row->accesses.runs[run] = item->accesses;
    row->accesses.errors[run] = item->errors[0] / diff->work[run];
    for (size_t c = 0; c < diff->cache_count; c++) {
        row->misses[c].runs[run] = item->misses[c];
        row->misses[c].errors[run] = item->errors[1 + c] / diff->work[run];
    }
}

static bool changed(const dj_diff *diff, const dj_diff_row *row)
{
    bool differs = dj_diff_change(diff, &row->accesses) != 0;
    for (size_t c = 0; c < diff->cache_count; c++)
        differs |= dj_diff_change(diff, &row->misses[c]) != 0;
    return differs;
}

// Either of the items may be NULL.
static int add_row(dj_context *context, const dj_diff *diff, bool all, dj_diff_rows *rows,
                   const dj_diff_item *before, const dj_diff_item *after)
{
    const dj_diff_item *item = after ? after : before;
    dj_diff_row row = {.misses = calloc(diff->cache_count + 1, sizeof *row.misses)};
    if (!row.misses)
        return dj_fail_memory(context, "a comparison", diff->cache_count * sizeof *row.misses);
    if (before)
        count_run(diff, DJ_BEFORE, before, &row);
    if (after)
        count_run(diff, DJ_AFTER, after, &row);
    if (!all && !changed(diff, &row)) {
        free_row(&row);
        return DJ_OK;
    }
    const bool inside = rows->by == DJ_BY_LINE || rows->by == DJ_BY_LOOP;
    const bool renamed = before && after && strcmp(before->name, after->name) != 0;
    row.name = strdup(item->name);
    row.was = renamed ? strdup(before->name) : NULL;
    row.function = inside && item->entity->row != DJ_NOWHERE ? strdup(item->group) : NULL;
    rows->list[rows->count++] = row;
    return row.name && (!renamed || row.was) ? DJ_OK : dj_fail_memory(context, "a comparison", 0);
}

static int add_rows(dj_context *context, const dj_diff *diff, bool all, const dj_diff_side *before,
                    const dj_diff_side *after, dj_diff_rows *rows)
{
    rows->list = calloc(before->count + after->count + 1, sizeof *rows->list);
    if (!rows->list)
        return dj_fail_memory(context, "a comparison", before->count * sizeof *rows->list);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < before->count; i++) {
        const dj_diff_item *item = &before->items[i];
        err = add_row(context, diff, all, rows, item,
                      item->match == SIZE_MAX ? NULL : &after->items[item->match]);
    }
    for (size_t j = 0; !err && j < after->count; j++)
        if (after->items[j].match == SIZE_MAX)
            err = add_row(context, diff, all, rows, NULL, &after->items[j]);
    return err;
}

// The name that each function of the first run has in the second.
static void rename_functions(const dj_attribution *a, const dj_diff_side *before, const dj_diff_side *after,
                             const char **names)
{
    for (size_t f = 0; f < a->function_count; f++)
        names[f] = a->functions[f].name ? a->functions[f].name : "?";
    for (size_t i = 0; i < before->count; i++) {
        const dj_diff_item *item = &before->items[i];
        if (item->match != SIZE_MAX && item->entity->row < a->function_count)
            names[item->entity->row] = after->items[item->match].name;
    }
}

typedef struct pairing {
    const dj_diff_request *request;
    dj_diff_side functions[DJ_SIDES];
    const char **renamed;
} pairing;

static int match_sides(dj_context *context, const dj_diff *diff, const pairing *p, enum dj_by by,
                       dj_diff_side sides[DJ_SIDES])
{
    int err = DJ_OK;
    for (int run = 0; !err && run < DJ_SIDES; run++)
        err = dj_diff_side_create(context, diff, p->request->profiles[run], run, by,
                                  run == DJ_BEFORE ? p->renamed : NULL, &sides[run]);
    return err ? err : dj_diff_match(context, by, &sides[DJ_BEFORE], &sides[DJ_AFTER]);
}

static int match_functions(dj_context *context, const dj_diff *diff, pairing *p)
{
    const dj_attribution *a = dj_profile_attribution(p->request->profiles[DJ_BEFORE]);
    const char **renamed = calloc(a->function_count + 1, sizeof *renamed);
    if (!renamed)
        return dj_fail_memory(context, "a comparison", a->function_count * sizeof *renamed);
    int err = match_sides(context, diff, p, DJ_BY_FUNCTION, p->functions);
    if (!err)
        rename_functions(a, &p->functions[DJ_BEFORE], &p->functions[DJ_AFTER], renamed);
    p->renamed = renamed;
    return err;
}

static int create_rows(dj_context *context, const dj_diff *diff, const pairing *p, dj_diff_rows *rows)
{
    dj_diff_side sides[DJ_SIDES] = {{0}, {0}};
    const bool all = p->request->all_rows;
    if (rows->by == DJ_BY_FUNCTION)
        return add_rows(context, diff, all, &p->functions[DJ_BEFORE], &p->functions[DJ_AFTER], rows);
    int err = match_sides(context, diff, p, rows->by, sides);
    if (!err)
        err = add_rows(context, diff, all, &sides[DJ_BEFORE], &sides[DJ_AFTER], rows);
    dj_diff_side_free(&sides[DJ_BEFORE]);
    dj_diff_side_free(&sides[DJ_AFTER]);
    return err;
}

int dj_diff_rows_create(dj_context *context, const dj_diff_request *request, dj_diff *diff)
{
    pairing p = {.request = request};
    int err = match_functions(context, diff, &p);
    for (size_t i = 0; !err && i < request->by_count; i++) {
        dj_diff_rows *rows = &diff->rows[diff->row_lists++];
        rows->by = request->by[i];
        err = create_rows(context, diff, &p, rows);
    }
    dj_diff_side_free(&p.functions[DJ_BEFORE]);
    dj_diff_side_free(&p.functions[DJ_AFTER]);
    free(p.renamed);
    return err;
}

// By the change, the largest first.
typedef struct sorted {
    dj_diff_row row;
    double change, accesses;
} sorted;

static int compare(const void *left, const void *right)
{
    const sorted *a = left, *b = right;
    if (a->change != b->change)
        return a->change > b->change ? -1 : 1;
    if (a->accesses != b->accesses)
        return a->accesses > b->accesses ? -1 : 1;
    return strcmp(a->row.name, b->row.name);
}

int dj_diff_rows_sort(dj_context *context, const dj_diff *diff, dj_diff_rows *rows)
{
    sorted *list = malloc((rows->count + 1) * sizeof *list);
    if (!list)
        return dj_fail_memory(context, "a comparison", rows->count * sizeof *list);
    for (size_t i = 0; i < rows->count; i++) {
        const dj_diff_row *row = &rows->list[i];
        list[i] = (sorted){*row, fabs(dj_diff_change(diff, dj_diff_ranked(diff, row))),
                           fabs(dj_diff_change(diff, &row->accesses))};
    }
    qsort(list, rows->count, sizeof *list, compare);
    for (size_t i = 0; i < rows->count; i++)
        rows->list[i] = list[i].row;
    free(list);
    return DJ_OK;
}
