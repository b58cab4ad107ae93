// SPDX-License-Identifier: MIT
// Breakdowns by what they contribute to poor spatial reuse.
#include <stdlib.h>

#include "report/ink.h"
#include "report/sheet.h"
#include "report/spatial.h"
#include "report/tree.h"

enum { RANK_STAYS, RANK_SHARE, RANK_INCLUSIVE, RANK_OVERALL, RANK_FAR, RANK_ACCESSES };

// What a table is of.
typedef struct subject {
    const dj_spatial_page *page;
    const dj_breakdown *b;
    double above; // sum of the poor reuses of all that have any
} subject;

static dj_spatial_count far_of(const subject *s, const dj_tally *tally)
{
    if (!tally->spatial)
        return (dj_spatial_count){0, 0};
    return dj_spatial_far(&tally->spatial->pairs[s->page->options.pair], &s->page->options);
}

static dj_spatial_count all_of(const subject *s, const dj_tally *tally)
{
    if (!tally->spatial)
        return (dj_spatial_count){0, 0};
    return dj_spatial_all(&tally->spatial->pairs[s->page->options.pair]);
}

static double poor_of(const subject *s, const dj_tally *tally)
{
    dj_spatial_count far = far_of(s, tally);
    return (double)far.reuses - 2 * (double)far.effective;
}

static void add_columns(dj_sheet *sheet, const subject *s)
{
    dj_sheet_add(sheet, "poor", 5, RANK_STAYS);
    dj_sheet_add(sheet, "%", 4, RANK_SHARE);
    dj_sheet_add(sheet, "score", 5, RANK_STAYS);
    if (s->b->has_inclusive) {
        dj_sheet_add(sheet, "incl. poor", 5, RANK_INCLUSIVE);
        dj_sheet_add(sheet, "score", 5, RANK_INCLUSIVE);
    }
    dj_sheet_add(sheet, dj_spatial_far_name(s->page), 5, RANK_FAR);
    dj_sheet_add(sheet, "overall", 5, RANK_OVERALL);
    dj_sheet_add(sheet, "accesses", 5, RANK_ACCESSES);
}

static void put_poor(char *to, double poor)
{
    char figure[DJ_FIGURE];
    snprintf(to, DJ_CELL, "%s%s", poor < 0 ? "-" : "", dj_figure_short(figure, poor < 0 ? -poor : poor));
}

static void fill(const void *user, const dj_entity *entity, char (*cells)[DJ_CELL])
{
    const subject *s = user;
    double poor = poor_of(s, &entity->exclusive);
    unsigned at = 0;
    put_poor(cells[at++], poor);
    dj_figure_share(cells[at++], poor, s->above);
    dj_spatial_score_text(cells[at++], far_of(s, &entity->exclusive));
    if (s->b->has_inclusive) {
        put_poor(cells[at++], poor_of(s, &entity->inclusive));
        dj_spatial_score_text(cells[at++], far_of(s, &entity->inclusive));
    }
    dj_figure_short(cells[at++], (double)far_of(s, &entity->exclusive).reuses);
    dj_spatial_score_text(cells[at++], all_of(s, &entity->exclusive));
    dj_figure_short(cells[at], (double)entity->exclusive.accesses);
}

// By long reuses: those of what is within add up, which poor reuses do not.
static bool matters(const void *user, const dj_entity *entity, bool inclusive, double percent)
{
    const subject *s = user;
    const dj_tally *tally = inclusive ? &entity->inclusive : &entity->exclusive;
    dj_spatial_count whole = far_of(s, &s->b->total);
    if (whole.reuses == 0)
        return 100 * (double)tally->accesses >= percent * (double)s->b->total.accesses;
    return 100 * (double)far_of(s, tally).reuses >= percent * (double)whole.reuses;
}

typedef struct ranked {
    const dj_entity *entity;
    double poor;
} ranked;

static int worst_first(const void *x, const void *y)
{
    const ranked *p = x, *q = y;
    if (p->poor != q->poor)
        return p->poor > q->poor ? -1 : 1;
    return p->entity < q->entity ? -1 : p->entity > q->entity;
}

static void print_sorted(const subject *s, dj_sheet *sheet, const ranked *list, size_t rows)
{
    char cells[DJ_SHEET_COLUMNS][DJ_CELL];
    unsigned widest = 0;
    for (size_t i = 0; i < rows; i++) {
        unsigned columns = dj_fit_columns(list[i].entity->name);
        widest = columns > widest ? columns : widest;
    }
    dj_sheet_lay_out(sheet, widest);
    dj_sheet_print_head(sheet);
    for (size_t i = 0; i < rows; i++) {
        fill(s, list[i].entity, cells);
        dj_sheet_print_row(sheet, list[i].entity->name, cells);
    }
}

static int print_table(dj_context *context, const subject *s, dj_sheet *sheet)
{
    size_t count = s->b->count, rows = 0;
    ranked *list = calloc(count + 1, sizeof *list);
    if (!list)
        return dj_fail_memory(context, "a table", count * sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = (ranked){&s->b->entities[i], poor_of(s, &s->b->entities[i].exclusive)};
    qsort(list, count, sizeof *list, worst_first);
    double rest = s->above;
    char figure[DJ_FIGURE], share[DJ_FIGURE];
    for (; rows < count && rows < s->page->top; rows++)
        rest -= list[rows].poor > 0 ? list[rows].poor : 0;
    print_sorted(s, sheet, list, rows);
    if (rows < count) {
        dj_ink(sheet->out, sheet->style, DJ_INK_FAINT);
        fprintf(sheet->out, "  %s and %s more, %s of the poor reuses\n", sheet->style->unicode ? "…" : "...",
                dj_figure_count(figure, count - rows), dj_figure_share(share, rest, s->above));
        dj_ink(sheet->out, sheet->style, DJ_INK_PLAIN);
    }
    free(list);
    return DJ_OK;
}

static int print_tree(dj_context *context, const subject *s, dj_sheet *sheet)
{
    const dj_tree tree = {dj_profile_attribution(s->page->profile), s->b, matters, fill, s};
    return dj_tree_print(context, &tree, sheet, s->page->top);
}

int dj_page_spatial_table(dj_context *context, const dj_spatial_page *page, enum dj_by by)
{
    dj_breakdown *b = NULL;
    char title[64];
    int err = dj_breakdown_create(context, dj_profile_attribution(page->profile), by, &b);
    if (err)
        return err;
    subject s = {.page = page, .b = b};
    for (size_t i = 0; i < b->count; i++) {
        double poor = poor_of(&s, &b->entities[i].exclusive);
        s.above += poor > 0 ? poor : 0;
    }
    snprintf(title, sizeof title, by == DJ_BY_CONTEXT ? "calling contexts" : "%s by poor spatial reuse",
             dj_by_plural(by));
    dj_sheet sheet = {.style = page->style, .out = page->out, .name_title = title};
    add_columns(&sheet, &s);
    fputc('\n', page->out);
    err = by == DJ_BY_CONTEXT ? print_tree(context, &s, &sheet) : print_table(context, &s, &sheet);
    dj_breakdown_destroy(b);
    return err;
}
