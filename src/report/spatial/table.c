// SPDX-License-Identifier: MIT
// Breakdowns ranked by poor spatial reuse.
#include <stdlib.h>

#include "report/attribution.h"
#include "report/row_ranges.h"
#include "report/spatial/spatial.h"

enum { RANK_STAYS, RANK_SHARE, RANK_INCLUSIVE, RANK_OVERALL, RANK_FAR, RANK_ACCESSES };

// The subject of a table.
typedef struct subject {
    const dj_spatial_page *page;
    const dj_breakdown *b;
    double above; // sum of all positive counts of poor reuses
    bool ranged;
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

static void add_columns(dj_sheet *table, const subject *s)
{
    const bool inclusive = s->b->has_inclusive, ranged = s->ranged;
    const char *far_range = dj_document_format(table->document, "%s, range", dj_spatial_far_name(s->page));
    const dj_sheet_column columns[] = {
        DJ_COLUMN("", NULL, 0, RANK_STAYS),
        DJ_COLUMN("poor", NULL, 5, RANK_STAYS),
        DJ_COLUMN(ranged ? "poor, range" : NULL, NULL, 9, RANK_STAYS),
        DJ_COLUMN("%", NULL, 4, RANK_SHARE),
        DJ_COLUMN("score", NULL, 5, RANK_STAYS),
        DJ_COLUMN(ranged ? "probably" : NULL, NULL, 9, RANK_STAYS),
        DJ_COLUMN(inclusive ? "incl. poor" : NULL, NULL, 5, RANK_INCLUSIVE),
        DJ_COLUMN(inclusive && ranged ? "incl. range" : NULL, NULL, 9, RANK_INCLUSIVE),
        DJ_COLUMN(inclusive ? "score" : NULL, NULL, 5, RANK_INCLUSIVE),
        DJ_COLUMN(inclusive && ranged ? "probably" : NULL, NULL, 9, RANK_INCLUSIVE),
        DJ_COLUMN(dj_spatial_far_name(s->page), NULL, 5, RANK_FAR),
        DJ_COLUMN(ranged ? far_range : NULL, NULL, 9, RANK_FAR),
        DJ_COLUMN("overall", NULL, 5, RANK_OVERALL),
        DJ_COLUMN(ranged ? "overall, range" : NULL, NULL, 9, RANK_OVERALL),
        DJ_COLUMN("accesses", NULL, 5, RANK_ACCESSES),
        DJ_COLUMN(ranged ? "range" : NULL, NULL, 9, RANK_ACCESSES)};
    DJ_COLUMNS(table, columns);
}

// The range of all reuses or of long ones; empty cells without ranges.
typedef struct range_cells {
    dj_datum poor, score, reuses;
} range_cells;

static range_cells cells_of(const subject *s, const dj_tally *tally, bool far)
{
    dj_document *document = s->page->document;
    dj_spatial_tally_range range;
    range_cells c = {dj_datum_none(""), dj_datum_none(""), dj_datum_none("")};
    const bool known =
        s->ranged &&
        (far ? dj_spatial_far_tally_range(s->page->profile, tally, &s->page->options, &range)
             : dj_spatial_all_tally_range(s->page->profile, tally, s->page->options.pair, &range));
    if (!known)
        return c;
    c.poor = dj_spatial_count_range_datum(document, range.poor,
                                          dj_spatial_is_weak(&range, poor_of(s, tally), s->above));
    c.score = dj_spatial_range_datum(document, range.score);
    c.reuses = dj_spatial_count_range_datum(document, range.reuses, false);
    return c;
}

static dj_datum access_range(const subject *s, const dj_tally *tally)
{
    dj_row_range range;
    const size_t cuts = dj_profile_attribution(s->page->profile)->cut_count;
    if (!s->ranged || !dj_tally_range(s->page->profile, tally, cuts, &range))
        return dj_datum_none("");
    return dj_spatial_count_range_datum(s->page->document, (dj_spatial_range){range.low, range.high}, false);
}

static dj_sheet_row *add_row(const subject *s, dj_sheet *table, const char *name, const dj_entity *entity)
{
    const dj_tally *own = &entity->exclusive, *all = &entity->inclusive;
    const range_cells far = cells_of(s, own, true), far_all = cells_of(s, all, true),
                      overall = cells_of(s, own, false);
    const dj_datum cells[] = {
        dj_datum_text(name),
        dj_spatial_mark(s->page, dj_datum_real(DJ_DATUM_SHORT_REAL, poor_of(s, own), 0)),
        far.poor,
        dj_datum_part(DJ_DATUM_SHARE, poor_of(s, own), s->above),
        dj_spatial_score_datum(far_of(s, own)),
        far.score,
        dj_spatial_mark(s->page, dj_datum_real(DJ_DATUM_SHORT_REAL, poor_of(s, all), 0)),
        far_all.poor,
        dj_spatial_score_datum(far_of(s, all)),
        far_all.score,
        dj_spatial_mark(s->page, dj_datum_whole(DJ_DATUM_SHORT, far_of(s, own).reuses)),
        far.reuses,
        dj_spatial_score_datum(all_of(s, own)),
        overall.score,
        dj_spatial_mark(s->page, dj_datum_whole(DJ_DATUM_SHORT, own->accesses)),
        access_range(s, own)};
    return DJ_CELLS(table, cells);
}

// By long reuses, which add up over callees; poor reuses do not.
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

static int add_table(dj_context *context, const subject *s, dj_sheet *table)
{
    size_t count = s->b->count, rows = 0;
    ranked *list = calloc(count + 1, sizeof *list);
    if (!list)
        return dj_fail_memory(context, "a table", count * sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = (ranked){&s->b->entities[i], poor_of(s, &s->b->entities[i].exclusive)};
    qsort(list, count, sizeof *list, worst_first);
    double rest = s->above;
    for (; rows < count && rows < s->page->top; rows++) {
        rest -= list[rows].poor > 0 ? list[rows].poor : 0;
        add_row(s, table, list[rows].entity->name, list[rows].entity);
    }
    table->rest = dj_name_rest(table->document, count - rows, rest, s->above, "poor reuses");
    free(list);
    return DJ_OK;
}

static int add_tree(dj_context *context, const subject *s, dj_sheet *table)
{
    const dj_tree tree = {dj_profile_attribution(s->page->profile), s->b, matters, s};
    dj_branch *branches = calloc(s->b->count + 1, sizeof *branches);
    if (!branches)
        return dj_fail_memory(context, "a calling-context tree", s->b->count * sizeof *branches);
    dj_tree_choose(&tree, s->page->top, branches, table);
    for (size_t i = 0; i < s->b->count; i++)
        if (branches[i].shown)
            add_row(s, table, dj_tree_name(&tree, table->document, &s->b->entities[i]), &s->b->entities[i])
                ->depth = branches[i].depth;
    dj_tree_add_legend(&tree, table->document);
    free(branches);
    return DJ_OK;
}

int dj_add_spatial_table(dj_context *context, const dj_spatial_page *page, enum dj_by by)
{
    dj_breakdown *b = NULL;
    int err = dj_breakdown_create(context, dj_profile_attribution(page->profile), by, &b);
    if (err)
        return err;
    subject s = {.page = page, .b = b};
    for (size_t i = 0; i < b->count; i++) {
        double poor = poor_of(&s, &b->entities[i].exclusive);
        s.above += poor > 0 ? poor : 0;
    }
    dj_spatial_tally_range range;
    s.ranged = dj_spatial_far_tally_range(page->profile, &b->total, &page->options, &range);
    bool contexts = by == DJ_BY_CALLING_CONTEXT;
    const char *title =
        contexts ? "calling contexts"
                 : dj_document_format(page->document, "%s by poor spatial reuse", dj_by_plural(by));
    dj_sheet *table = dj_document_table(page->document, DJ_NODE_TABLE, title);
    add_columns(table, &s);
    err = contexts ? add_tree(context, &s, table) : add_table(context, &s, table);
    dj_document_say(page->document, DJ_TEXT_LEGEND, 2,
                    "poor, %%: poor reuses and their share; score: of the %s%s; overall: score of all "
                    "reuses%s",
                    dj_spatial_far_plural(page), b->has_inclusive ? "; incl.: including callees" : "",
                    s.ranged ? "; range: probably contains the exact number (?: too wide to be useful); "
                               "probably: where the exact score is"
                             : "")
        ->gap = false;
    dj_breakdown_destroy(b);
    return err;
}
