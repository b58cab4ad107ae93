// SPDX-License-Identifier: MIT
#include "report/sharing_places.h"

#include <deja/false_sharing.h>
#include <deja/sharing.h>

#include <stdlib.h>

#include "base/human.h"
#include "model/names.h"

enum { RANK_STAYS, RANK_CACHE, RANK_FOUND, RANK_BROKEN, RANK_SHARED, RANK_SHARERS, INDENT = 5 };

typedef struct listing {
    dj_context *context;
    dj_document *document;
    const dj_attribution *a;
    const dj_sharing *sharing;
    size_t cache_count; // whose misses are known by place
    const dj_breakdown *b;
    dj_names names;
    dj_sheet *table;
} listing;

static void add_column(const listing *l, const char *title, const char *name, unsigned width, unsigned rank)
{
    dj_sheet_add_column(l->table,
                        (dj_sheet_column){.title = title, .name = name, .width = width, .rank = rank});
}

static void add_cache_columns(const listing *l)
{
    static const char *const kinds[] = {"cold", "invalidated", "capacity", "alone"};
    for (size_t i = 0; i < l->cache_count; i++) {
        const char *cache = l->sharing->caches[i].name;
        add_column(l, cache, dj_document_format(l->document, "misses_%s", cache), 6, RANK_CACHE);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            add_column(l, NULL, dj_document_format(l->document, "%s_%s", kinds[k], cache), 0, 0);
    }
}

static void add_columns(const listing *l)
{
    add_column(l, NULL, "by", 0, 0);
    add_column(l, "", "name", 0, RANK_STAYS);
    add_column(l, NULL, "file", 0, 0);
    add_column(l, NULL, "line", 0, 0);
    add_column(l, "sharers", "sharers", 7, RANK_SHARERS);
    add_column(l, "accesses", "accesses", 8, RANK_STAYS);
    add_column(l, NULL, "writes", 0, 0);
    add_column(l, l->b->by == DJ_BY_OBJECT ? "shared" : NULL, "shared_blocks", 6, RANK_SHARED);
    add_column(l, "broken", "broken", 6, RANK_BROKEN);
    add_column(l, NULL, "shortened", 0, 0);
    add_column(l, NULL, "stretched", 0, 0);
    add_column(l, NULL, "found", 0, 0);
    add_column(l, "true", "true_sharing", 6, RANK_STAYS);
    add_column(l, "false", "false_sharing", 6, RANK_STAYS);
    add_cache_columns(l);
}

static void put(const listing *l, dj_sheet_row *row, dj_datum datum)
{
    dj_row_put(l->table, row, datum);
}

static void put_number(const listing *l, dj_sheet_row *row, uint64_t value)
{
    put(l, row, dj_datum_whole(DJ_DATUM_NUMBER, value));
}

static void put_short(const listing *l, dj_sheet_row *row, uint64_t value)
{
    put(l, row, dj_datum_whole(DJ_DATUM_SHORT, value));
}

// A context is named by its callers too.
static int name_entity(const listing *l, const dj_entity *entity, const char **out)
{
    *out = dj_document_format(l->document, "%s", entity->name);
    if (l->b->by != DJ_BY_CALLING_CONTEXT)
        return DJ_OK;
    char *path = dj_names_path(&l->names, entity->row);
    if (!path)
        return dj_fail_memory(l->context, "a table", 0);
    if (*path)
        *out = dj_document_format(l->document, "%s", path);
    free(path);
    return DJ_OK;
}

static void put_caches(const listing *l, dj_sheet_row *row, const dj_sharing_tally *tally)
{
    for (size_t i = 0; i < l->cache_count; i++) {
        const dj_sharing_misses *m = &tally->caches[i];
        put_short(l, row, m->misses);
        put_number(l, row, m->cold);
        put_number(l, row, m->invalidated);
        put_number(l, row, m->misses - m->cold - m->invalidated);
        put_number(l, row, m->alone);
    }
}

static int put_entity(const listing *l, dj_sheet_row *row, const dj_entity *entity)
{
    const char *name = NULL;
    int err = name_entity(l, entity, &name);
    if (err)
        return err;
    const dj_tally *tally = &entity->exclusive;
    const dj_sharing_tally *s = tally->sharing;
    const bool blocks = l->b->by == DJ_BY_OBJECT && entity->row < l->a->shared_block_count;
    put(l, row, dj_datum_word(dj_by_name(l->b->by)));
    put(l, row, dj_datum_text(name));
    put(l, row, entity->file != DJ_NOWHERE ? dj_datum_text(l->a->files[entity->file]) : dj_datum_none(""));
    put(l, row, entity->line > 0 ? dj_datum_whole(DJ_DATUM_NUMBER, entity->line) : dj_datum_none(""));
    put_number(l, row, (uint64_t)__builtin_popcountll(s->sharers));
    put_short(l, row, tally->accesses);
    put_number(l, row, tally->writes);
    put(l, row,
        blocks ? dj_datum_whole(DJ_DATUM_SHORT, l->a->shared_blocks[entity->row]) : dj_datum_none(""));
    put_short(l, row, s->counts.broken);
    put_number(l, row, s->counts.shortened);
    put_number(l, row, s->counts.stretched);
    put_number(l, row, s->counts.found);
    put_short(l, row, s->counts.true_sharing);
    put_short(l, row, s->counts.false_sharing);
    put_caches(l, row, s);
    return DJ_OK;
}

static uint64_t sharing_misses(const dj_tally *tally)
{
    return tally->sharing->counts.true_sharing + tally->sharing->counts.false_sharing;
}

// By misses after writes of others, then by broken reuses, then as in the breakdown.
static int worse_first(const void *left, const void *right)
{
    const dj_entity *const *at_x = left, *const *at_y = right;
    const dj_tally *x = &(*at_x)->exclusive, *y = &(*at_y)->exclusive;
    uint64_t more_x = sharing_misses(x), more_y = sharing_misses(y);
    if (more_x == more_y) {
        more_x = x->sharing->counts.broken;
        more_y = y->sharing->counts.broken;
    }
    if (more_x != more_y)
        return more_x > more_y ? -1 : 1;
    return (*at_x > *at_y) - (*at_x < *at_y);
}

static int add_rows(const listing *l, const dj_entity *const *order, size_t count, size_t top, bool all)
{
    uint64_t whole = sharing_misses(&l->b->total), rest = whole;
    size_t shown = 0;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < count; i++) {
        bool show = i < top;
        if (!show && !all)
            continue;
        dj_sheet_row *row = dj_sheet_add_row(l->table);
        row->hidden = !show;
        err = put_entity(l, row, order[i]);
        shown += show;
        rest -= show ? sharing_misses(&order[i]->exclusive) : 0;
    }
    l->table->rest = dj_name_rest(l->document, count - shown, (double)rest, (double)whole,
                                  "misses after writes of others");
    return err;
}

// Entities that only contain others have no row.
static int add_table(dj_context *context, listing *l, size_t top, bool all)
{
    const dj_entity **order = calloc(l->b->count + 1, sizeof *order);
    size_t count = 0;
    if (!order)
        return dj_fail_memory(context, "a table", l->b->count * sizeof *order);
    for (size_t i = 0; i < l->b->count; i++)
        if (l->b->entities[i].exclusive.sharing)
            order[count++] = &l->b->entities[i];
    qsort(order, count, sizeof *order, worse_first);
    const char *title = dj_document_format(l->document, "%s by sharing", dj_by_plural(l->b->by));
    l->table = dj_document_table(l->document, DJ_NODE_TABLE, title);
    dj_sheet_node(l->table)->data = true;
    add_columns(l);
    int err = add_rows(l, order, count, top, all);
    free(order);
    return err;
}

static int add_breakdown(dj_context *context, listing *l, enum dj_by by, size_t top, bool all)
{
    dj_breakdown *b = NULL;
    int err = dj_breakdown_create(context, l->a, by, &b);
    l->b = b;
    if (!err && b->total.sharing)
        err = add_table(context, l, top, all);
    dj_breakdown_destroy(b);
    return err;
}

static void add_legend(const listing *l)
{
    dj_document_say(
        l->document, DJ_TEXT_LEGEND, 0,
        "shared: blocks that several threads access; broken: reuses of blocks that another thread "
        "accessed in between; true, false: misses of private caches of any size after writes of "
        "others%s.",
        l->cache_count ? "; caches: misses as above, of all threads" : "");
    if (l->cache_count < l->sharing->cache_count)
        dj_document_say(l->document, DJ_TEXT_SENTENCES, 0,
                        "Misses in these caches are not known by place: they were not measured.");
}

// All places have the same: those of the sharers, or none.
static size_t count_caches(const dj_attribution *a)
{
    for (size_t i = 0; i < a->place_count; i++)
        if (a->places[i].tally.sharing)
            return a->places[i].tally.sharing->cache_count;
    return 0;
}

static void add_item(dj_document *document, const dj_false_sharings *all, size_t i)
{
    const dj_false_sharing *s = &all->list[i];
    char count[DJ_HUMAN_BYTES], share[DJ_HUMAN_BYTES], others[DJ_HUMAN_BYTES];
    dj_text *head = &dj_document_say(document, DJ_TEXT_ITEM, 2, "%zu. ", i + 1)->text;
    dj_text_add(document, head, DJ_STYLE_STRONG, DJ_FIT_MIDDLE, "%s", s->missed);
    dj_text_add(document, head, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, "  %s miss%s, %s of all false sharing",
                dj_human_count(count, s->misses), s->misses == 1 ? "" : "es",
                dj_human_share(share, (double)s->misses, (double)all->misses));
    dj_document_say(document, DJ_TEXT_SENTENCES, INDENT,
                    "missed: %s, %s; written: %s, %s; %u threads; true sharing of the same: %s", s->missed,
                    s->missed_line, s->written, s->written_line, (unsigned)__builtin_popcountll(s->sharers),
                    dj_human_count(others, s->true_sharing));
    dj_document_say(document, DJ_TEXT_SENTENCES, INDENT, "%s", s->text);
}

// At least 1% of the misses; the first is always shown.
static int add_false_sharing(dj_context *context, dj_document *document, const dj_profile *profile,
                             size_t top)
{
    dj_false_sharings *all = NULL;
    int err = dj_false_sharings_create(context, profile, &all);
    if (err)
        return err;
    uint64_t rest = all->misses;
    size_t shown = 0;
    if (all->count > 0) {
        dj_node *heading = dj_document_say(document, DJ_TEXT_HEADING, 0, "false sharing");
        dj_text_add(document, &heading->text, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                    "  misses of private caches after writes to other words of the block");
    }
    for (; shown < all->count && shown < top && (shown == 0 || all->list[shown].misses >= all->misses / 100);
         shown++) {
        add_item(document, all, shown);
        rest -= all->list[shown].misses;
    }
    const char *more =
        dj_name_rest(document, all->count - shown, (double)rest, (double)all->misses, "false sharing");
    if (more)
        dj_text_add(document, &dj_document_say(document, DJ_TEXT_LINE, 2, "%s", "")->text, DJ_STYLE_FAINT,
                    DJ_FIT_WHOLE, "%s", more);
    if (all->count > 0)
        dj_document_say(
            document, DJ_TEXT_LEGEND, 0,
            "Counted in caches of any size. Padded data takes more blocks, whose first accesses and "
            "evictions these numbers do not include.");
    dj_false_sharings_destroy(all);
    return DJ_OK;
}

int dj_add_sharing_places(dj_context *context, dj_document *document, const dj_profile *profile,
                          const dj_attribution_view *view)
{
    enum { TOP = 10, TOP_SUMMARY = 5, TOP_FALSE = 3 };
    static const enum dj_by summary[] = {DJ_BY_OBJECT, DJ_BY_LINE};
    const bool brief = view->by_count == 0;
    const enum dj_by *by = brief ? summary : view->by;
    const size_t count = brief ? sizeof summary / sizeof *summary : view->by_count;
    const size_t top = view->top ? view->top : brief ? TOP_SUMMARY : TOP;
    listing l = {.context = context,
                 .document = document,
                 .a = dj_profile_attribution(profile),
                 .sharing = dj_profile_sharing(profile)};
    l.cache_count = count_caches(l.a);
    int err = dj_names_create(&l.names, context, l.a);
    for (size_t i = 0; !err && i < count; i++)
        err = add_breakdown(context, &l, by[i], top, view->all_rows);
    if (!err)
        add_legend(&l);
    dj_names_destroy(&l.names);
    return err ? err : add_false_sharing(context, document, profile, view->top ? view->top : TOP_FALSE);
}
