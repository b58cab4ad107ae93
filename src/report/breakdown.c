// SPDX-License-Identifier: MIT
// A breakdown as a table: some columns for people, all columns for csv.
#include <deja/tracing.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/attribution.h"
#include "report/entity_levels.h"
#include "report/entity_own.h"
#include "report/entity_spatial.h"
#include "report/row_ranges.h"

// Narrow pages drop columns of higher rank first. The accesses, and the misses in the cache that
// the table is sorted by, always stay.
enum {
    RANK_STAYS = 0,
    RANK_ACCESS_SHARE = 1,
    RANK_ITERATIONS,
    RANK_OWN,
    RANK_MEDIAN,
    RANK_INCLUSIVE,
    RANK_CUT,
    RANK_BLOCKS,
    RANK_CUT_SHARE,
    RANK_COLD,
    RANK_MEAN,
    RANK_SPARK,
    SPARK = 12,
};

typedef struct listing {
    const dj_attribution_page *page;
    const dj_breakdown *b;
    dj_sheet *table;
    const dj_tree *tree;     // of calling contexts; NULL: a table
    dj_branch *branches;     // of the tree
    dj_row_rank *ranks;      // of the rows of an estimate; NULL: they are exact
    const dj_own_lines *own; // of lines; NULL: no column
    dj_entity_spatial spatial;
    dj_entity_levels levels;
} listing;

static void add_column(const listing *l, const char *title, const char *name, unsigned width, unsigned rank)
{
    dj_sheet_add_column(l->table,
                        (dj_sheet_column){.title = title, .name = name, .width = width, .rank = rank});
}

static void add_data(const listing *l, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_column(l, NULL, names[i], 0, 0);
}

#define ADD_DATA(l, ...)                                                                                     \
    add_data(l, (const char *const[]){__VA_ARGS__},                                                          \
             sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static const char *miss_name(const listing *l, const char *prefix, size_t cut)
{
    return dj_document_format(l->page->document, "%smisses_%s", prefix, l->page->a->cuts[cut].name);
}

// For people, a tree of contexts has other columns than a table.
static void add_tree_columns(const listing *l)
{
    static const char *const titles[] = {"incl.", "excl."};
    const dj_attribution *a = l->page->a;
    for (unsigned side = 0; side < 2; side++) {
        add_column(l, titles[side], NULL, 6, 0);
        add_column(l, "%", NULL, 4, side == 0 ? 1 : 4);
        for (size_t i = 0; i < a->cut_count; i++)
            add_column(l, a->cuts[i].name, NULL, 4, i == l->b->sort_cut ? side : 3 + side);
    }
    if (l->b->timed)
        add_column(l, "stall", NULL, 6, 0);
    if (l->ranks)
        add_column(l, "range, incl.", NULL, 9, RANK_STAYS);
}

// The range and the rank by which the table is sorted for people; all ranges for csv.
static void add_range_columns(const listing *l)
{
    dj_document *document = l->page->document;
    if (!l->tree) {
        add_column(l, "range", NULL, 9, RANK_STAYS);
        add_column(l, "rank", NULL, 3, RANK_STAYS);
    }
    ADD_DATA(l, "accesses_low", "accesses_high");
    for (size_t i = 0; i < l->page->a->cut_count; i++) {
        const char *name = miss_name(l, "", i);
        add_column(l, NULL, dj_document_format(document, "%s_low", name), 0, 0);
        add_column(l, NULL, dj_document_format(document, "%s_high", name), 0, 0);
    }
}

static void add_columns(const listing *l)
{
    const dj_attribution *a = l->page->a;
    bool elements = strcmp(l->page->profile->provenance.unit, "element") == 0, table = !l->tree;
#define TABLE(title) (table ? (title) : NULL)
    add_column(l, NULL, "by", 0, 0);
    if (l->tree)
        add_column(l, "", NULL, 0, 0);
    add_column(l, TABLE(""), "name", 0, 0);
    ADD_DATA(l, "file", "line", "last_line", "parent", "depth");
    if (l->tree)
        add_tree_columns(l);
    if (l->b->timed) {
        add_column(l, TABLE("stall"), NULL, 6, RANK_STAYS);
        add_column(l, TABLE("from"), NULL, 6, RANK_STAYS);
        add_column(l, TABLE("to"), NULL, 6, RANK_STAYS);
        ADD_DATA(l, "stall_seconds", "stall_seconds_low", "stall_seconds_high");
    }
    add_column(l, TABLE("accesses"), "accesses", 5, RANK_STAYS);
    add_column(l, TABLE("%"), NULL, 4, RANK_ACCESS_SHARE);
    if (l->b->has_inclusive)
        add_column(l, TABLE("incl."), NULL, 4, RANK_INCLUSIVE);
    if (l->b->has_iterations)
        add_column(l, TABLE("iterations"), NULL, 5, RANK_ITERATIONS);
    if (l->own)
        add_column(l, "own", NULL, 5, RANK_OWN);
    ADD_DATA(l, "reads", "writes");
    add_column(l, TABLE(elements ? "elements" : "blocks"), "distinct", 6, RANK_BLOCKS);
    ADD_DATA(l, "distinct_exact");
    add_column(l, TABLE("cold"), "cold", 5, RANK_COLD);
    ADD_DATA(l, "min_distance");
    add_column(l, TABLE("mean"), "mean_distance", 5, RANK_MEAN);
    add_column(l, TABLE("median"), "median_distance", 5, RANK_MEDIAN);
    ADD_DATA(l, "max_distance", "std_distance");
    for (size_t i = 0; i < a->cut_count; i++) {
        bool sorts = i == l->b->sort_cut;
        const bool simulated = l->b->total.levels != NULL;
        add_column(l, TABLE(a->cuts[i].name), simulated ? NULL : miss_name(l, "", i), 5,
                   sorts ? RANK_STAYS : RANK_CUT);
        add_column(l, TABLE("%"), NULL, 4, sorts ? RANK_ACCESS_SHARE : RANK_CUT_SHARE);
        if (simulated)
            add_column(l, NULL, miss_name(l, "", i), 0, 0);
    }
    dj_add_entity_levels_columns(l->table, &l->levels, (dj_levels_ranks){RANK_CUT, RANK_MEAN});
    if (l->ranks)
        add_range_columns(l);
    ADD_DATA(l, "inclusive_accesses", "inclusive_cold");
    for (size_t i = 0; i < a->cut_count; i++)
        add_column(l, NULL, miss_name(l, "inclusive_", i), 0, 0);
    dj_add_entity_spatial_columns(l->table, &l->spatial);
    add_column(l, TABLE("distances"), NULL, SPARK, RANK_SPARK);
#undef TABLE
}

static void put(const listing *l, dj_sheet_row *row, dj_datum datum)
{
    dj_row_put(l->table, row, datum);
}

// Accesses or misses, marked if they are estimates.
static void put_count(const listing *l, dj_sheet_row *row, uint64_t count)
{
    dj_datum datum = dj_datum_whole(DJ_DATUM_SHORT, count);
    datum.about = dj_rows_are_estimates(l->page->profile);
    put(l, row, datum);
}

static void put_if(const listing *l, dj_sheet_row *row, bool known, uint64_t value)
{
    put(l, row, known ? dj_datum_whole(DJ_DATUM_NUMBER, value) : dj_datum_none(""));
}

static uint64_t weight(const listing *l, const dj_tally *tally, const uint64_t *misses)
{
    return l->b->sort_cut < l->page->a->cut_count ? dj_shown_misses(l->b, tally, misses, l->b->sort_cut)
                                                  : tally->accesses;
}

static void put_where(const listing *l, dj_sheet_row *row, const dj_entity *entity)
{
    const dj_attribution *a = l->page->a;
    put(l, row, dj_datum_word(dj_by_name(l->b->by)));
    if (l->tree)
        put(l, row, dj_datum_text(dj_tree_name(l->tree, l->page->document, entity)));
    put(l, row, dj_datum_text(entity->name));
    put(l, row, entity->file != DJ_NOWHERE ? dj_datum_text(a->files[entity->file]) : dj_datum_none(""));
    put_if(l, row, entity->line > 0, entity->line);
    put_if(l, row, entity->line > 0, entity->last_line);
    put_if(l, row, entity->parent != DJ_NOWHERE, entity->parent);
    put_if(l, row, true, entity->depth);
}

static void put_range(const listing *l, dj_sheet_row *row, const dj_row_range *range)
{
    put(l, row, dj_datum_word(dj_name_range(l->page->document, range)));
}

// As a share of all.
static void put_misses(const listing *l, dj_sheet_row *row, const dj_tally *tally, const uint64_t *misses,
                       size_t cut)
{
    const dj_breakdown *b = l->b;
    put(l, row,
        dj_datum_part(DJ_DATUM_SHARE, (double)dj_shown_misses(b, tally, misses, cut),
                      (double)dj_shown_misses(b, &b->total, b->total_misses, cut)));
}

static void put_tree(const listing *l, dj_sheet_row *row, const dj_entity *entity)
{
    for (unsigned side = 0; side < 2; side++) {
        const dj_tally *tally = side == 0 ? &entity->inclusive : &entity->exclusive;
        const uint64_t *misses = side == 0 ? entity->inclusive_misses : entity->misses;
        put_count(l, row, tally->accesses);
        put(l, row, dj_datum_part(DJ_DATUM_SHARE, (double)tally->accesses, (double)l->b->total.accesses));
        for (size_t i = 0; i < l->page->a->cut_count; i++)
            put_misses(l, row, tally, misses, i);
    }
    if (l->b->timed)
        put(l, row, dj_datum_word(dj_name_seconds(l->page->document, entity->inclusive_stall.estimate)));
    dj_row_range range = {0, 0};
    if (l->ranks && dj_tally_range(l->page->profile, &entity->inclusive, l->b->sort_cut, &range))
        put_range(l, row, &range);
    else if (l->ranks)
        put(l, row, dj_datum_none("?"));
}

static void put_ranges(const listing *l, dj_sheet_row *row, const dj_entity *entity)
{
    const dj_row_rank *rank = &l->ranks[entity - l->b->entities];
    const size_t cuts = l->page->a->cut_count;
    if (!l->tree) {
        put_range(l, row, &rank->range);
        put(l, row, dj_datum_word(dj_name_rank(l->page->document, rank)));
    }
    for (size_t i = 0; i <= cuts; i++) { // the accesses first
        dj_row_range range = {0, 0};
        dj_tally_range(l->page->profile, &entity->exclusive, i == 0 ? cuts : i - 1, &range);
        put_if(l, row, true, (uint64_t)llround(range.low));
        put_if(l, row, true, (uint64_t)llround(range.high));
    }
}

static void put_distances(const listing *l, dj_sheet_row *row, const dj_tally *tally)
{
    dj_moments m = dj_tally_moments(tally, l->page->a);
    put_if(l, row, m.count > 0, m.min);
    put(l, row, m.count > 0 ? dj_datum_real(DJ_DATUM_SHORT_REAL, m.mean, 0) : dj_datum_none("-"));
    put(l, row, m.count > 0 ? dj_datum_real(DJ_DATUM_SHORT_REAL, m.median, 0) : dj_datum_none("-"));
    put_if(l, row, m.count > 0, m.max);
    put(l, row, m.count > 0 ? dj_datum_real(DJ_DATUM_REAL, m.std, 2) : dj_datum_none(""));
}

// Reuses from distance 0 to the longest, by powers of two, without cold misses.
static dj_datum spark(const listing *l, const dj_tally *tally)
{
    const dj_attribution *a = l->page->a;
    uint64_t *heights = dj_document_take(l->page->document, SPARK, sizeof *heights);
    unsigned octaves = dj_log2_bin(l->b->total.max) + 1;
    for (uint32_t i = 0; heights && i < tally->bin_count; i++) {
        unsigned column = dj_log2_bin(a->edges[tally->bin_first + i]) * SPARK / octaves;
        heights[column < SPARK ? column : SPARK - 1] += tally->bins[i];
    }
    dj_datum d = {.kind = DJ_DATUM_SPARK, .heights = heights, .last = heights ? SPARK : 0};
    return d;
}

static void put_counts(const listing *l, dj_sheet_row *row, const dj_entity *entity)
{
    const dj_breakdown *b = l->b;
    const dj_tally *own = &entity->exclusive;
    put_count(l, row, own->accesses);
    put(l, row, dj_datum_part(DJ_DATUM_SHARE, (double)own->accesses, (double)b->total.accesses));
    if (b->has_inclusive)
        put(l, row,
            dj_datum_part(DJ_DATUM_SHARE, (double)weight(l, &entity->inclusive, entity->inclusive_misses),
                          (double)weight(l, &b->total, b->total_misses)));
    if (b->has_iterations)
        put(l, row, dj_datum_whole(DJ_DATUM_SHORT, entity->iterations));
    if (l->own)
        dj_put_entity_own(l->page, l->table, row, l->own, entity);
    put_if(l, row, true, own->accesses - own->writes);
    put_if(l, row, true, own->writes);
    dj_datum distinct = dj_datum_whole(DJ_DATUM_SHORT, entity->distinct.blocks);
    distinct.about = !entity->distinct.exact;
    put(l, row, entity->distinct.known ? distinct : dj_datum_none("?"));
    put_if(l, row, entity->distinct.known, entity->distinct.exact);
    put_count(l, row, own->cold);
}

static void put_entity(const listing *l, dj_sheet_row *row, const dj_entity *entity)
{
    const dj_breakdown *b = l->b;
    size_t cuts = l->page->a->cut_count;
    put_where(l, row, entity);
    if (l->tree)
        put_tree(l, row, entity);
    if (b->timed)
        dj_put_stall(l->table, row, &entity->stall);
    put_counts(l, row, entity);
    put_distances(l, row, &entity->exclusive);
    for (size_t i = 0; i < cuts; i++) {
        put_count(l, row, dj_shown_misses(b, &entity->exclusive, entity->misses, i));
        put_misses(l, row, &entity->exclusive, entity->misses, i);
        if (b->total.levels)
            put_if(l, row, true, entity->misses[i]);
    }
    dj_put_entity_levels(l->table, row, &l->levels, &entity->exclusive);
    if (l->ranks)
        put_ranges(l, row, entity);
    put_if(l, row, b->has_inclusive, entity->inclusive.accesses);
    put_if(l, row, b->has_inclusive, entity->inclusive.cold);
    for (size_t i = 0; i < cuts; i++)
        put_if(l, row, b->has_inclusive, b->has_inclusive ? entity->inclusive_misses[i] : 0);
    dj_put_entity_spatial(l->table, row, &l->spatial, &entity->exclusive,
                          b->has_inclusive ? &entity->inclusive : NULL);
    put(l, row, spark(l, &entity->exclusive));
}

// Hides entities without accesses of their own, unless their callees have at least 1% of the total.
static bool is_worth_a_row(const listing *l, const dj_entity *entity)
{
    if (entity->exclusive.accesses > 0)
        return true;
    if (l->own)
        return dj_entity_own_weight(l->page, l->own, entity) > 0;
    return 100 * (double)weight(l, &entity->inclusive, entity->inclusive_misses) >=
           (double)weight(l, &l->b->total, l->b->total_misses);
}

// Has at least `percent` of the accesses, or of the misses that the tree is sorted by.
static bool matters(const void *user, const dj_entity *entity, bool inclusive, double percent)
{
    const listing *l = user;
    const dj_tally *tally = inclusive ? &entity->inclusive : &entity->exclusive;
    const uint64_t *misses = inclusive ? entity->inclusive_misses : entity->misses;
    size_t cut = l->b->sort_cut;
    return 100 * (double)tally->accesses >= percent * (double)l->b->total.accesses ||
           (cut < l->page->a->cut_count &&
            100 * (double)dj_shown_misses(l->b, tally, misses, cut) >=
                percent * (double)dj_shown_misses(l->b, &l->b->total, l->b->total_misses, cut));
}

// Memory of the heap that was in no heap block when it was accessed.
static bool is_loose_heap(const listing *l, const dj_entity *entity)
{
    const dj_attribution *a = l->page->a;
    return l->b->by == DJ_BY_OBJECT && entity->row < a->object_count &&
           a->objects[entity->row].kind == DJ_OBJECT_UNKNOWN && strncmp(entity->name, "heap ", 5) == 0;
}

static void add_rows(const listing *l, size_t top)
{
    const dj_breakdown *b = l->b;
    uint64_t whole = weight(l, &b->total, b->total_misses), rest = whole;
    size_t shown = 0;
    if (l->page->signs) {
        l->page->signs->inclusive |= b->has_inclusive && !l->tree;
        l->page->signs->ranges |= l->ranks != NULL;
        if (l->own)
            l->page->signs->own = dj_name_unowned(l->page, l->own);
    }
    for (size_t i = 0; i < b->count; i++) {
        const dj_entity *entity = &b->entities[i];
        bool show = l->tree ? l->branches[i].shown : shown < top && is_worth_a_row(l, entity);
        if (!show && !l->page->all)
            continue;
        dj_sheet_row *row = dj_sheet_add_row(l->table);
        row->hidden = !show;
        row->depth = l->tree ? l->branches[i].depth : 0;
        put_entity(l, row, entity);
        shown += show;
        if (show && l->page->signs)
            l->page->signs->loose_heap |= is_loose_heap(l, entity);
        rest -= show ? weight(l, &entity->exclusive, entity->misses) : 0;
    }
    if (!l->tree)
        l->table->rest = dj_name_rest(l->page->document, b->count - shown, (double)rest, (double)whole,
                                      dj_name_measure(l->page, b->sort_cut));
}

static void add_tree_legend(const listing *l)
{
    dj_document *document = l->page->document;
    const char *caches = dj_name_caches(document, l->page->a);
    dj_document_say(document, DJ_TEXT_LEGEND, 2, "incl., excl.: accesses with and without callees%s%s%s",
                    *caches ? "; " : "", caches, *caches ? ": shares of the misses" : "")
        ->gap = false;
    dj_tree_add_legend(l->tree, document);
}

static dj_sheet *add_table(const dj_attribution_page *page, const dj_breakdown *b)
{
    const char *title =
        b->by == DJ_BY_CALLING_CONTEXT
            ? "calling contexts"
            : dj_document_format(page->document, "%s by %s", dj_by_plural(b->by),
                                 b->timed ? "stall time" : dj_name_measure(page, b->sort_cut));
    dj_sheet *table = dj_document_table(page->document, DJ_NODE_TABLE, title);
    dj_sheet_node(table)->data = true;
    return table;
}

static int add_table_of(dj_context *context, const dj_attribution_page *page, const dj_breakdown *b,
                        const dj_own_lines *own, size_t top)
{
    listing l = {.page = page, .b = b, .own = own};
    const dj_tree tree = {page->a, b, matters, &l};
    int err = dj_row_ranks(context, page->profile, b, &l.ranks);
    if (!err)
        err = dj_entity_spatial_create(context, page->profile, b, &page->ranked, &l.spatial);
    if (!err && b->by == DJ_BY_CALLING_CONTEXT && !page->hidden) {
        l.tree = &tree;
        l.branches = calloc(b->count + 1, sizeof *l.branches);
        if (!l.branches)
            err = dj_fail_memory(context, "a calling-context tree", b->count * sizeof *l.branches);
    }
    if (!err) {
        l.table = add_table(page, b);
        dj_sheet_node(l.table)->hidden = page->hidden;
        if (l.tree)
            dj_tree_choose(&tree, top, l.branches, l.table);
        dj_entity_levels_create(page, b, &l.levels);
        add_columns(&l);
        add_rows(&l, top);
        if (l.tree)
            add_tree_legend(&l);
    }
    free(l.ranks);
    free(l.branches);
    dj_entity_spatial_free(&l.spatial);
    return err;
}

int dj_add_breakdown(dj_context *context, const dj_attribution_page *page, const dj_breakdown *b, size_t top)
{
    dj_own_lines own;
    if (b->by != DJ_BY_LINE || page->hidden || page->all)
        return add_table_of(context, page, b, NULL, top);
    int err = dj_own_lines_create(context, page->a, page->own, b, true, &own);
    if (!err)
        err = add_table_of(context, page, &own.lines, own.differs ? &own : NULL, top);
    dj_own_lines_free(&own);
    return err;
}
