// SPDX-License-Identifier: MIT
// A breakdown as a table, worst first.
#include "report/attribution.h"
#include "report/ink.h"
#include "report/sheet.h"
#include "report/spark.h"

#include <string.h>

const char *dj_page_measure(const dj_attribution_page *page, size_t sort_cut, char to[DJ_MEASURE])
{
    char fitted[DJ_FIT];
    if (sort_cut < page->a->cut_count)
        snprintf(to, DJ_MEASURE, "%s misses", dj_fit(fitted, page->style, page->a->cuts[sort_cut].name, 12));
    else
        snprintf(to, DJ_MEASURE, "accesses");
    return to;
}

void dj_page_print_rest(const dj_attribution_page *page, size_t more, uint64_t part, uint64_t whole,
                        const char *measure)
{
    char count[DJ_FIGURE], share[DJ_FIGURE];
    if (more == 0)
        return;
    dj_ink(page->out, page->style, DJ_INK_FAINT);
    fprintf(page->out, "  %s and %s more, %s of the %s\n", page->style->unicode ? "…" : "...",
            dj_figure_count(count, more), dj_figure_share(share, (double)part, (double)whole), measure);
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
}

// Later columns go first when there is no room; those of the cut that the
// table is sorted by, and the accesses, stay.
enum {
    RANK_STAYS = 0,
    RANK_ACCESS_SHARE = 1,
    RANK_ITERATIONS,
    RANK_MEDIAN,
    RANK_INCLUSIVE,
    RANK_CUT,
    RANK_BLOCKS,
    RANK_CUT_SHARE,
    RANK_COLD,
    RANK_MEAN,
    RANK_SPARK,
};

static void add_columns(dj_sheet *sheet, const dj_attribution_page *page, const dj_breakdown *b)
{
    dj_sheet_add(sheet, "accesses", 5, RANK_STAYS);
    dj_sheet_add(sheet, "%", 4, RANK_ACCESS_SHARE);
    if (b->has_inclusive)
        dj_sheet_add(sheet, "incl.", 4, RANK_INCLUSIVE);
    if (b->has_iterations)
        dj_sheet_add(sheet, "iterations", 5, RANK_ITERATIONS);
    bool elements = strcmp(page->profile->provenance.unit, "element") == 0;
    dj_sheet_add(sheet, elements ? "elements" : "blocks", 6, RANK_BLOCKS);
    dj_sheet_add(sheet, "cold", 5, RANK_COLD);
    dj_sheet_add(sheet, "mean", 5, RANK_MEAN);
    dj_sheet_add(sheet, "median", 5, RANK_MEDIAN);
    for (size_t i = 0; i < page->a->cut_count; i++) {
        bool sorts = i == b->sort_cut;
        dj_sheet_add(sheet, page->a->cuts[i].name, 5, sorts ? RANK_STAYS : RANK_CUT);
        dj_sheet_add(sheet, "%", 4, sorts ? RANK_ACCESS_SHARE : RANK_CUT_SHARE);
    }
    dj_sheet_add(sheet, "distances", DJ_SPARK, RANK_SPARK);
}

typedef struct cells {
    char text[DJ_SHEET_COLUMNS][DJ_CELL];
    unsigned count;
} cells;

static char *next(cells *row)
{
    static char beyond[DJ_CELL];
    return row->count < DJ_SHEET_COLUMNS ? row->text[row->count++] : beyond;
}

static void put_distinct(char *to, const dj_report_style *style, const dj_distinct *distinct)
{
    char figure[DJ_FIGURE];
    if (!distinct->known)
        snprintf(to, DJ_CELL, "?");
    else
        snprintf(to, DJ_CELL, "%s%s",
                 distinct->exact  ? ""
                 : style->unicode ? "≈"
                                  : "~",
                 dj_figure_short(figure, (double)distinct->blocks));
}

static void put_distances(cells *row, const dj_attribution *a, const dj_tally *tally)
{
    dj_moments m = dj_tally_moments(tally, a);
    char *mean = next(row), *median = next(row);
    if (m.count == 0) {
        snprintf(mean, DJ_CELL, "-");
        snprintf(median, DJ_CELL, "-");
        return;
    }
    dj_figure_short(mean, m.mean);
    dj_figure_short(median, m.median);
}

static uint64_t weight(const dj_breakdown *b, const dj_attribution *a, const dj_tally *tally,
                       const uint64_t *misses)
{
    return b->sort_cut < a->cut_count ? misses[b->sort_cut] : tally->accesses;
}

static void fill(cells *row, const dj_attribution_page *page, const dj_breakdown *b, const dj_entity *entity)
{
    const dj_attribution *a = page->a;
    const dj_tally *own = &entity->exclusive;
    row->count = 0;
    dj_figure_short(next(row), (double)own->accesses);
    dj_figure_share(next(row), (double)own->accesses, (double)b->total.accesses);
    if (b->has_inclusive)
        dj_figure_share(next(row), (double)weight(b, a, &entity->inclusive, entity->inclusive_misses),
                        (double)weight(b, a, &b->total, b->total_misses));
    if (b->has_iterations)
        dj_figure_short(next(row), (double)entity->iterations);
    put_distinct(next(row), page->style, &entity->distinct);
    dj_figure_short(next(row), (double)own->cold);
    put_distances(row, a, own);
    for (size_t i = 0; i < a->cut_count; i++) {
        dj_figure_short(next(row), (double)entity->misses[i]);
        dj_figure_share(next(row), (double)entity->misses[i], (double)b->total_misses[i]);
    }
    dj_spark(next(row), page->style, a, own, b->total.max);
}

// Entities that are more than a frame around others come first; the rest of a
// breakdown with inclusive tallies only matters where much happens within it.
static bool is_worth_a_row(const dj_breakdown *b, const dj_attribution *a, const dj_entity *entity)
{
    if (entity->exclusive.accesses > 0)
        return true;
    return 100 * (double)weight(b, a, &entity->inclusive, entity->inclusive_misses) >=
           (double)weight(b, a, &b->total, b->total_misses);
}

static size_t count_rows(const dj_attribution_page *page, const dj_breakdown *b, size_t top, unsigned *widest)
{
    size_t rows = 0;
    *widest = 0;
    for (size_t i = 0; i < b->count && rows < top; i++) {
        if (!is_worth_a_row(b, page->a, &b->entities[i]))
            continue;
        unsigned columns = dj_fit_columns(b->entities[i].name);
        *widest = columns > *widest ? columns : *widest;
        rows++;
    }
    return rows;
}

void dj_page_table(const dj_attribution_page *page, const dj_breakdown *b, size_t top)
{
    char measure[DJ_MEASURE], title[DJ_MEASURE + 32];
    dj_page_measure(page, b->sort_cut, measure);
    snprintf(title, sizeof title, "%s by %s", dj_by_plural(b->by), measure);
    dj_sheet sheet = {.style = page->style, .out = page->out, .name_title = title};
    add_columns(&sheet, page, b);
    unsigned widest;
    size_t rows = count_rows(page, b, top, &widest);
    dj_sheet_lay_out(&sheet, widest);
    dj_sheet_print_head(&sheet);
    uint64_t whole = weight(b, page->a, &b->total, b->total_misses), rest = whole;
    cells row;
    for (size_t i = 0, printed = 0; printed < rows; i++) {
        const dj_entity *entity = &b->entities[i];
        if (!is_worth_a_row(b, page->a, entity))
            continue;
        fill(&row, page, b, entity);
        dj_sheet_print_row(&sheet, entity->name, row.text);
        rest -= weight(b, page->a, &entity->exclusive, entity->misses);
        printed++;
    }
    dj_page_print_rest(page, b->count - rows, rest, whole, measure);
}
