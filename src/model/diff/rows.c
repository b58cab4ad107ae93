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
    for (int run = 0; run < DJ_SIDES; run++)
        free(rows->row_of[run]);
    *rows = (dj_diff_rows){0};
}

// `item` NULL: the run does not have it, or has not seen it.
static void count_run(const dj_diff *diff, int run, const dj_diff_side *side, const dj_diff_item *item,
                      dj_diff_row *row)
{
    const double *errors = item ? item->errors : side->unseen;
    row->in[run] = item != NULL;
    row->accesses.runs[run] = item ? item->accesses : 0;
    row->accesses.errors[run] = errors[0] / diff->work[run];
    for (size_t c = 0; c < diff->cache_count; c++) {
        row->misses[c].runs[run] = item ? item->misses[c] : 0;
        row->misses[c].errors[run] = errors[1 + c] / diff->work[run];
    }
}

static bool changed(const dj_diff *diff, const dj_diff_row *row)
{
    bool differs = dj_diff_change(diff, &row->accesses) != 0;
    for (size_t c = 0; c < diff->cache_count; c++)
        differs |= dj_diff_change(diff, &row->misses[c]) != 0;
    return differs;
}

// The items of both runs; one of them may be NULL.
static int add_row(dj_context *context, const dj_diff *diff, bool all, const dj_diff_side sides[DJ_SIDES],
                   dj_diff_item *const items[DJ_SIDES], dj_diff_rows *rows)
{
    const dj_diff_item *before = items[DJ_BEFORE], *item = items[DJ_AFTER] ? items[DJ_AFTER] : before;
    dj_diff_row row = {.misses = calloc(diff->cache_count + 1, sizeof *row.misses)};
    if (!row.misses)
        return dj_fail_memory(context, "a comparison", diff->cache_count * sizeof *row.misses);
    for (int run = 0; run < DJ_SIDES; run++)
        count_run(diff, run, &sides[run], items[run], &row);
    if (!all && !changed(diff, &row)) {
        free_row(&row);
        return DJ_OK;
    }
    const bool inside = rows->by == DJ_BY_LINE || rows->by == DJ_BY_LOOP;
    const bool renamed = before && item != before && strcmp(before->name, item->name) != 0;
    row.name = strdup(item->name);
    row.was = renamed ? strdup(before->name) : NULL;
    row.function = inside && item->entity->row != DJ_NOWHERE ? strdup(item->group) : NULL;
    for (int run = 0; run < DJ_SIDES; run++)
        if (items[run])
            items[run]->row = (uint32_t)rows->count;
    rows->list[rows->count++] = row;
    return row.name && (!renamed || row.was) ? DJ_OK : dj_fail_memory(context, "a comparison", 0);
}

static int index_parts(dj_context *context, const dj_diff_side *side, int run, dj_diff_rows *rows)
{
    const size_t count = side->breakdown->count;
    uint32_t *row_of = rows->row_of[run] = malloc((count + 1) * sizeof *row_of);
    if (!row_of)
        return dj_fail_memory(context, "a comparison", count * sizeof *row_of);
    rows->part_counts[run] = count;
    for (size_t i = 0; i < count; i++)
        row_of[i] = side->items[side->item_of[i]].row;
    return DJ_OK;
}

static int add_rows(dj_context *context, const dj_diff *diff, bool all, dj_diff_side sides[DJ_SIDES],
                    dj_diff_rows *rows)
{
    const dj_diff_side *before = &sides[DJ_BEFORE], *after = &sides[DJ_AFTER];
    rows->list = calloc(before->count + after->count + 1, sizeof *rows->list);
    if (!rows->list)
        return dj_fail_memory(context, "a comparison", before->count * sizeof *rows->list);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < before->count; i++) {
        const size_t match = before->items[i].match;
        dj_diff_item *const items[] = {&before->items[i], match == SIZE_MAX ? NULL : &after->items[match]};
        err = add_row(context, diff, all, sides, items, rows);
    }
    for (size_t j = 0; !err && j < after->count; j++) {
        dj_diff_item *const items[] = {NULL, &after->items[j]};
        if (after->items[j].match == SIZE_MAX)
            err = add_row(context, diff, all, sides, items, rows);
    }
    for (int run = 0; !err && run < DJ_SIDES; run++)
        err = index_parts(context, &sides[run], run, rows);
    return err;
}

typedef struct pairing {
    const dj_diff_request *request;
    dj_diff_side functions[DJ_SIDES];
    char **aliases[DJ_SIDES]; // of each function; by these, code is the same in both runs
} pairing;

static size_t function_count(const pairing *p, int run)
{
    return dj_profile_attribution(p->request->profiles[run])->function_count;
}

static int name_plainly(dj_context *context, pairing *p, int run)
{
    const dj_attribution *a = dj_profile_attribution(p->request->profiles[run]);
    char **names = p->aliases[run] = calloc(a->function_count + 1, sizeof *names);
    bool complete = names != NULL;
    for (size_t f = 0; complete && f < a->function_count; f++)
        complete = (names[f] = dj_diff_plain_function(a->functions[f].name ? a->functions[f].name : "?"));
    return complete ? DJ_OK : dj_fail_memory(context, "a comparison", a->function_count * sizeof *names);
}

// Functions of the first run get the names that they have in the second.
static int rename_functions(dj_context *context, pairing *p)
{
    const dj_diff_side *before = &p->functions[DJ_BEFORE], *after = &p->functions[DJ_AFTER];
    for (size_t i = 0; i < before->count; i++) {
        const dj_diff_item *item = &before->items[i];
        if (item->match == SIZE_MAX || item->entity->row >= function_count(p, DJ_BEFORE))
            continue;
        char *name = strdup(after->items[item->match].group);
        if (!name)
            return dj_fail_memory(context, "a comparison", 0);
        free(p->aliases[DJ_BEFORE][item->entity->row]);
        p->aliases[DJ_BEFORE][item->entity->row] = name;
    }
    return DJ_OK;
}

static int match_sides(dj_context *context, const dj_diff *diff, const pairing *p, enum dj_by by,
                       dj_diff_side sides[DJ_SIDES])
{
    int err = DJ_OK;
    for (int run = 0; !err && run < DJ_SIDES; run++)
        err = dj_diff_side_create(context, diff, p->request->profiles[run], run, by,
                                  (const char *const *)p->aliases[run], &sides[run]);
    return err ? err : dj_diff_match(context, by, &sides[DJ_BEFORE], &sides[DJ_AFTER]);
}

static int match_functions(dj_context *context, const dj_diff *diff, pairing *p)
{
    int err = DJ_OK;
    for (int run = 0; !err && run < DJ_SIDES; run++)
        err = name_plainly(context, p, run);
    if (!err)
        err = match_sides(context, diff, p, DJ_BY_FUNCTION, p->functions);
    return err ? err : rename_functions(context, p);
}

static void free_pairing(pairing *p)
{
    for (int run = 0; run < DJ_SIDES; run++) {
        dj_diff_side_free(&p->functions[run]);
        for (size_t f = 0; p->aliases[run] && f < function_count(p, run); f++)
            free(p->aliases[run][f]);
        free(p->aliases[run]);
    }
}

static int create_rows(dj_context *context, const dj_diff *diff, pairing *p, dj_diff_rows *rows)
{
    dj_diff_side sides[DJ_SIDES] = {{0}, {0}};
    const bool all = p->request->all_rows;
    if (rows->by == DJ_BY_FUNCTION)
        return add_rows(context, diff, all, p->functions, rows);
    int err = match_sides(context, diff, p, rows->by, sides);
    if (!err)
        err = add_rows(context, diff, all, sides, rows);
    dj_diff_side_free(&sides[DJ_BEFORE]);
    dj_diff_side_free(&sides[DJ_AFTER]);
    return err;
}

int dj_diff_rows_create(dj_context *context, const dj_diff_request *request, dj_diff *diff)
{
    pairing p = {.request = request};
    int err = match_functions(context, diff, &p);
    if (!err)
        err = dj_diff_check_program(context, request, p.functions, &diff->shared);
    for (size_t i = 0; !err && i < request->by_count; i++) {
        dj_diff_rows *rows = &diff->rows[diff->row_lists++];
        rows->by = request->by[i];
        err = create_rows(context, diff, &p, rows);
    }
    free_pairing(&p);
    return err;
}

// By the change, the largest first.
typedef struct sorted {
    dj_diff_row row;
    double change, accesses;
    size_t was; // its place before
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

// Rows of parts, after the rows have moved.
static int move_parts(dj_context *context, const sorted *list, dj_diff_rows *rows)
{
    uint32_t *now = malloc((rows->count + 1) * sizeof *now);
    if (!now)
        return dj_fail_memory(context, "a comparison", rows->count * sizeof *now);
    for (size_t i = 0; i < rows->count; i++)
        now[list[i].was] = (uint32_t)i;
    for (int run = 0; run < DJ_SIDES; run++)
        for (size_t i = 0; i < rows->part_counts[run]; i++)
            if (rows->row_of[run][i] != DJ_NOWHERE)
                rows->row_of[run][i] = now[rows->row_of[run][i]];
    free(now);
    return DJ_OK;
}

int dj_diff_rows_sort(dj_context *context, const dj_diff *diff, dj_diff_rows *rows)
{
    sorted *list = malloc((rows->count + 1) * sizeof *list);
    if (!list)
        return dj_fail_memory(context, "a comparison", rows->count * sizeof *list);
    for (size_t i = 0; i < rows->count; i++) {
        const dj_diff_row *row = &rows->list[i];
        list[i] = (sorted){*row, fabs(dj_diff_change(diff, dj_diff_ranked(diff, row))),
                           fabs(dj_diff_change(diff, &row->accesses)), i};
    }
    qsort(list, rows->count, sizeof *list, compare);
    for (size_t i = 0; i < rows->count; i++)
        rows->list[i] = list[i].row;
    const int err = move_parts(context, list, rows);
    free(list);
    return err;
}
