// SPDX-License-Identifier: MIT
// Section `view`: what was measured and how, the diagnosis, and what all charts share: caches, effective
// sizes, hills, and the band of an estimated curve.
#include <deja/model.h>
#include <deja/predict.h>
#include <deja/sharing.h>

#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "profile/fields.h"
#include "report/attribution.h"
#include "report/sharing_verdict.h"
#include "report/spatial/spatial.h"
#include "view/caches.h"
#include "view/parts.h"

typedef struct line {
    const char *text;
} line;

typedef struct fact {
    const char *label, *value;
} fact;

typedef struct cache {
    const char *name;
    uint64_t bytes, blocks; // bytes 0: blocks have no size
} cache;

typedef struct effective {
    uint64_t lo, hi;
    double share;
    uint64_t size;
    double ratio;
} effective;

typedef struct hill {
    uint64_t lo, hi, reuses;
    double share, middle;
    const char *name;
    dj_hill_part *objects, *lines;
    size_t object_count, line_count;
} hill;

typedef struct point {
    uint64_t size;
    double low, high;
} point;

typedef struct cost {
    const char *name;
    double cycles;
} cost;

enum { SENTENCES = 2, MARKS = 8, FACTS = 16 };

typedef struct overview {
    const char *title, *command, *program;
    line sentences[SENTENCES], marks[MARKS];
    fact facts[FACTS];
    size_t sentence_count, mark_count, fact_count;
    const char *unit;
    uint64_t block_bytes;
    cache *caches;
    size_t cache_count;
    uint64_t *edges;
    size_t edge_count;
    uint64_t pair_from;
    uint64_t sharers; // programs or threads that share caches
    uint32_t sort_cut;
    effective *effective;
    size_t effective_count;
    hill *hills;
    size_t hill_count;
    point *curve;
    size_t curve_count;
    bool certified;
    cost *costs;
    size_t cost_count;
} overview;

#define FIELD(type_, row_, member_) DJ_AT(type_, #member_, row_, member_)
static const dj_field fact_fields[] = {FIELD(TEXT, fact, label), FIELD(TEXT, fact, value), DJ_END};
static const dj_table fact_table = {fact_fields, sizeof(fact), DJ_ROW_OBJECT};
static const dj_field cache_fields[] = {FIELD(TEXT, cache, name), FIELD(U64, cache, bytes),
                                        FIELD(U64, cache, blocks), DJ_END};
static const dj_table cache_table = {cache_fields, sizeof(cache), DJ_ROW_OBJECT};
static const dj_field effective_fields[] = {FIELD(U64, effective, lo),     FIELD(U64, effective, hi),
                                            FIELD(REAL, effective, share), FIELD(U64, effective, size),
                                            FIELD(REAL, effective, ratio), DJ_END};
static const dj_table effective_table = {effective_fields, sizeof(effective), DJ_ROW_OBJECT};
static const dj_field part_fields[] = {FIELD(TEXT, dj_hill_part, name), FIELD(REAL, dj_hill_part, share),
                                       DJ_END};
static const dj_table part_table = {part_fields, sizeof(dj_hill_part), DJ_ROW_OBJECT};
static const dj_field hill_fields[] = {
    FIELD(U64, hill, lo),
    FIELD(U64, hill, hi),
    FIELD(U64, hill, reuses),
    FIELD(REAL, hill, share),
    FIELD(REAL, hill, middle),
    FIELD(TEXT, hill, name),
    {DJ_FIELD_ROWS("objects", hill, objects, object_count, part_table)},
    {DJ_FIELD_ROWS("lines", hill, lines, line_count, part_table)},
    DJ_END,
};
static const dj_table hill_table = {hill_fields, sizeof(hill), DJ_ROW_OBJECT};
static const dj_field point_fields[] = {FIELD(U64, point, size), FIELD(REAL, point, low),
                                        FIELD(REAL, point, high), DJ_END};
static const dj_table point_table = {point_fields, sizeof(point), DJ_ROW_OBJECT};
static const dj_field cost_fields[] = {FIELD(TEXT, cost, name), FIELD(REAL, cost, cycles), DJ_END};
static const dj_table cost_table = {cost_fields, sizeof(cost), DJ_ROW_OBJECT};

static size_t count_sentences(const void *row)
{
    return ((const overview *)row)->sentence_count;
}

static size_t count_marks(const void *row)
{
    return ((const overview *)row)->mark_count;
}

static size_t count_facts(const void *row)
{
    return ((const overview *)row)->fact_count;
}

static const dj_field fields[] = {
    FIELD(TEXT, overview, title),
    FIELD(TEXT, overview, command),
    FIELD(TEXT, overview, program),
    DJ_AT(LIST, "sentences", overview, sentences, .rows = &dj_text_cell, .flags = DJ_FIELD_IN_PLACE,
          .most = SENTENCES, .count = count_sentences),
    DJ_AT(LIST, "marks", overview, marks, .rows = &dj_text_cell, .flags = DJ_FIELD_IN_PLACE, .most = MARKS,
          .count = count_marks),
    DJ_AT(LIST, "facts", overview, facts, .rows = &fact_table, .flags = DJ_FIELD_IN_PLACE, .most = FACTS,
          .count = count_facts),
    FIELD(TEXT, overview, unit),
    FIELD(U64, overview, block_bytes),
    {DJ_FIELD_ROWS("caches", overview, caches, cache_count, cache_table)},
    {DJ_FIELD_ROWS("edges", overview, edges, edge_count, dj_number_cell)},
    FIELD(U64, overview, pair_from),
    FIELD(U64, overview, sharers),
    FIELD(U32, overview, sort_cut),
    {DJ_FIELD_ROWS("effective", overview, effective, effective_count, effective_table)},
    {DJ_FIELD_ROWS("hills", overview, hills, hill_count, hill_table)},
    {DJ_FIELD_ROWS("curve", overview, curve, curve_count, point_table)},
    FIELD(BOOL, overview, certified),
    {DJ_FIELD_ROWS("cost", overview, costs, cost_count, cost_table)},
    DJ_END,
};

typedef struct work {
    dj_context *context;
    const dj_profile *profile;
    const dj_view_breakdowns *breakdowns; // NULL: none
    const dj_view_request *request;
    unsigned number;       // of the profile in the request
    dj_document *document; // owns the texts
    dj_arena arena;
    dj_hills *made; // for a profile without breakdowns
    overview to;
} work;

// The parts of a text, without their styles.
static const char *join(dj_document *document, const dj_text *from)
{
    const char *whole = "";
    for (size_t i = 0; i < from->part_count; i++)
        whole = dj_document_format(document, "%s%s", whole, from->parts[i].text);
    return whole;
}

// "thread order: as recorded" has a label.
static void add_fact(work *w, const char *text)
{
    enum { LABEL_MOST = 24 };
    const char *colon = strstr(text, ": ");
    if (w->to.fact_count == FACTS)
        return;
    fact *f = &w->to.facts[w->to.fact_count++];
    if (colon && colon - text <= LABEL_MOST)
        *f = (fact){dj_document_format(w->document, "%.*s", (int)(colon - text), text), colon + 2};
    else
        *f = (fact){"", text};
}

// What the head of each report says.
static void add_head(work *w)
{
    dj_document *document = w->document;
    dj_add_title(document, w->profile);
    for (size_t i = 0; i < document->count; i++) {
        const dj_node *node = document->nodes[i];
        if (node->kind != DJ_NODE_TEXT)
            continue;
        const char *text = join(document, &node->text);
        if (node->text.role == DJ_TEXT_TITLE)
            w->to.program = w->to.title = text;
        else if (node->text.role == DJ_TEXT_ALARM && w->to.mark_count < MARKS)
            w->to.marks[w->to.mark_count++].text = text;
        else if (node->text.role == DJ_TEXT_PROVENANCE)
            add_fact(w, text);
    }
    w->to.command = w->profile->provenance.command;
    add_fact(w, dj_document_format(document, "version: deja %s", w->profile->provenance.version));
    if (dj_profile_sharing(w->profile))
        add_fact(w, dj_document_format(document, "order: %s", dj_profile_sharing(w->profile)->order));
}

// The last sentences that a part of a report adds; NULL: none.
static const char *last_sentences(const dj_document *document, size_t from)
{
    for (size_t i = document->count; i > from; i--)
        if (document->nodes[i - 1]->kind == DJ_NODE_TEXT &&
            document->nodes[i - 1]->text.role == DJ_TEXT_SENTENCES)
            return join((dj_document *)(uintptr_t)document, &document->nodes[i - 1]->text);
    return NULL;
}

static int say_spatial(work *w, const char **out)
{
    static const dj_spatial_view usual = {.limits = DJ_SPATIAL_LIMITS};
    dj_spatial_page page = {.profile = w->profile,
                            .spatial = dj_profile_spatial(w->profile),
                            .view = &usual,
                            .document = w->document};
    int err = dj_spatial_view_find(w->context, w->profile, &usual, &page.options);
    if (!err)
        *out = dj_spatial_verdict(&page);
    return err;
}

static int say_reuses(work *w, const char **out)
{
    dj_advice_list *list = NULL;
    int err = dj_advice_list_create(w->context, w->profile, w->breakdowns->reuses, &list);
    if (!err && list->count > 0)
        *out = dj_document_format(w->document, "%s", list->items[0].text);
    dj_advice_list_destroy(list);
    return err;
}

static int say_effective(work *w, const char **out)
{
    const size_t before = w->document->count;
    if (dj_lane_moments(&w->profile->lanes[0]).count == 0)
        return DJ_OK;
    int err = dj_add_effective(w->context, w->document, w->profile);
    *out = last_sentences(w->document, before);
    return err;
}

static int diagnose(work *w)
{
    const dj_profile *profile = w->profile;
    const dj_view_breakdowns *b = w->breakdowns;
    const char *second = NULL;
    int err = DJ_OK;
    if (dj_profile_sharing(profile))
        err = dj_say_sharing_verdict(w->context, w->document, profile);
    else if (b)
        err = dj_say_attribution_verdict(w->context, w->document, profile, b->by[DJ_BY_OBJECT],
                                         b->by[dj_attribution_has_lines(b->a) ? DJ_BY_LINE : DJ_BY_FUNCTION]);
    else
        dj_say_profile_verdict(w->document, profile);
    if (!err && dj_profile_spatial(profile))
        err = say_spatial(w, &second);
    else if (!err && b)
        err = say_reuses(w, &second);
    if (!err && (!second || !*second))
        err = say_effective(w, &second);
    if (w->document->summary)
        w->to.sentences[w->to.sentence_count++].text = w->document->summary;
    if (second && *second)
        w->to.sentences[w->to.sentence_count++].text = second;
    return err;
}

static uint64_t bytes_of(const work *w, uint64_t blocks)
{
    const uint64_t block = w->to.block_bytes;
    return block && blocks <= UINT64_MAX / block ? blocks * block : 0;
}

// Adds the caches that the profile was measured with, or else those of the request.
static void add_caches(work *w)
{
    const dj_attribution *a = dj_profile_attribution(w->profile);
    const size_t count = dj_view_cache_count(w->request, w->number);
    w->to.caches = dj_arena_alloc(&w->arena, count + 1, sizeof *w->to.caches);
    for (size_t i = 0; w->to.caches && i < count; i++) {
        const dj_view_cache found = dj_view_cache_get(w->request, w->number, i);
        w->to.caches[w->to.cache_count++] = (cache){found.name, bytes_of(w, found.blocks), found.blocks};
    }
    w->to.sort_cut = (uint32_t)count;
    if (!a)
        return;
    w->to.edges = a->edges;
    w->to.edge_count = a->edge_count;
    w->to.pair_from = a->pair_from;
    if (w->breakdowns)
        w->to.sort_cut = (uint32_t)w->breakdowns->by[DJ_BY_OBJECT]->sort_cut;
}

static int add_effective(work *w)
{
    dj_effective found;
    int err = dj_effective_sizes(w->context, &w->profile->lanes[0], &found);
    if (err)
        return err;
    w->to.effective = dj_arena_alloc(&w->arena, found.count + 1, sizeof *w->to.effective);
    for (size_t i = 0; w->to.effective && i < found.count; i++) {
        const dj_effective_size *size = &found.sizes[i];
        w->to.effective[w->to.effective_count++] =
            (effective){size->lo, size->hi, size->share, size->size, size->ratio};
    }
    return DJ_OK;
}

static int add_hills(work *w)
{
    char range[DJ_HUMAN_BYTES];
    int err = w->breakdowns ? DJ_OK : dj_hills_find(w->context, w->profile, &w->made);
    if (err)
        return err;
    dj_hills *hills = w->breakdowns ? w->breakdowns->hills : w->made;
    w->to.hills = dj_arena_alloc(&w->arena, hills->count + 1, sizeof *w->to.hills);
    for (size_t i = 0; w->to.hills && i < hills->count; i++) {
        dj_hill *from = &hills->list[i];
        w->to.hills[w->to.hill_count++] =
            (hill){.lo = from->lo,
                   .hi = from->hi,
                   .reuses = from->reuses,
                   .share = (double)from->reuses / (double)hills->reuses,
                   .middle = from->middle,
                   .name = dj_document_format(w->document, "distances %s",
                                              dj_human_range(range, from->lo, from->hi)),
                   .objects = from->objects,
                   .object_count = from->object_count,
                   .lines = from->lines,
                   .line_count = from->line_count};
    }
    return DJ_OK;
}

// Of an estimate: the ranges of its miss ratios.
static int add_bands(work *w)
{
    const dj_band_origin origin = dj_lane_band_origin(w->profile, &w->profile->lanes[0]);
    dj_view_band *bands = NULL;
    size_t count = 0;
    if (!origin.known)
        return DJ_OK;
    w->to.certified = origin.certified;
    int err = dj_view_bands_find(w->context, w->request, w->number, &bands, &count);
    w->to.curve = dj_arena_alloc(&w->arena, count + 1, sizeof *w->to.curve);
    for (size_t i = 0; !err && w->to.curve && i < count; i++)
        w->to.curve[w->to.curve_count++] = (point){bands[i].size, bands[i].low, bands[i].high};
    free(bands);
    return err;
}

static int fill(work *w)
{
    const dj_provenance *from = &w->profile->provenance;
    const uint64_t block = w->profile->lanes[0].id.block_bytes;
    w->to.unit = from->unit;
    w->to.block_bytes = from->unit_bytes > 0 ? block : 0;
    const dj_sharing *sharing = dj_profile_sharing(w->profile);
    w->to.sharers = sharing ? sharing->count : 0;
    add_head(w);
    int err = diagnose(w);
    add_caches(w);
    if (!err)
        err = add_effective(w);
    if (!err)
        err = add_hills(w);
    if (!err)
        err = add_bands(w);
    return err;
}

int dj_view_add_overview(dj_view_sections *sections, const dj_view_request *request,
                         const dj_view_breakdowns *breakdowns)
{
    work w = {.context = sections->context,
              .profile = request->profiles[sections->profile],
              .request = request,
              .number = sections->profile,
              .breakdowns = breakdowns};
    int err = dj_document_create(w.context, &w.document);
    if (!err)
        err = fill(&w);
    if (!err && w.arena.failed)
        err = dj_fail_memory(w.context, "a page", 0);
    err = dj_document_finish(w.context, err, w.document, &w.document);
    if (err)
        w.document = NULL;
    else
        err = dj_view_add(sections, "view", DJ_VIEW_VERSION, 0, fields, &w.to);
    dj_document_destroy(w.document);
    dj_hills_destroy(w.made);
    dj_arena_free(&w.arena);
    return err;
}
