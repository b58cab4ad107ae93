// SPDX-License-Identifier: MIT
// The attribution report: which data and code the accesses and misses belong to.
#include "report/attribution.h"

#include <deja/sample.h>
#include <deja/tracing.h>

#include <string.h>

#include "base/human.h"
#include "model/costs.h"
#include "report/hierarchy.h"

const char *dj_name_measure(const dj_attribution_page *page, size_t sort_cut)
{
    return sort_cut < page->a->cut_count
               ? dj_document_format(page->document, "%s misses", page->a->cuts[sort_cut].name)
               : "accesses";
}

const char *dj_name_caches(dj_document *document, const dj_attribution *a)
{
    const char *text = "";
    for (size_t i = 0; i < a->cut_count; i++)
        text = dj_document_format(document, "%s%s%s", text, i ? ", " : "", a->cuts[i].name);
    return text;
}

// The band of the miss ratio of an estimate. *words: "probably 3.1% to 17%"; NULL: it is exact.
static int find_band(dj_context *context, const dj_attribution_page *page, uint64_t blocks, dj_band *band,
                     const char **words)
{
    const dj_lane_profile *lane = &page->profile->lanes[0];
    const dj_band_origin origin = dj_lane_band_origin(page->profile, lane);
    char low[DJ_HUMAN_BYTES], high[DJ_HUMAN_BYTES];
    *words = NULL;
    int err = origin.known ? dj_mrc_band(context, page->profile, lane, &blocks, 1, band) : DJ_OK;
    if (!err && origin.known)
        *words =
            dj_document_format(page->document, "%s %s to %s", origin.certified ? "certainly" : "probably",
                               dj_human_percent(low, band->low, 1), dj_human_percent(high, band->high, 1));
    return err;
}

// Accesses of the run, and misses in a cache. The head of a sample knows small caches better than the rows
// do.
static uint64_t count_accesses(const dj_attribution_page *page, const dj_breakdown *any)
{
    const dj_lane_profile *lane = &page->profile->lanes[0];
    return dj_lane_sample(lane) ? lane->accesses : any->total.accesses;
}

static uint64_t count_cold(const dj_attribution_page *page, const dj_breakdown *any)
{
    const dj_lane_profile *lane = &page->profile->lanes[0];
    return dj_lane_sample(lane) ? lane->cold : any->total.cold;
}

static uint64_t count_misses(const dj_attribution_page *page, const dj_breakdown *any, size_t cut)
{
    const dj_lane_profile *lane = &page->profile->lanes[0];
    if (any->total.levels)
        return dj_tally_simulated(&any->total, cut);
    return dj_lane_sample(lane)
               ? lane->cold + dj_histogram_sum(lane->distance, page->a->cuts[cut].blocks, UINT64_MAX)
               : any->total_misses[cut];
}

static int add_totals(dj_context *context, const dj_attribution_page *page, const dj_breakdown *any)
{
    const dj_profile *profile = page->profile;
    dj_document *document = page->document;
    dj_node *facts = dj_document_facts(document);
    char share[DJ_HUMAN_BYTES];
    double accesses = (double)count_accesses(page, any);
    dj_facts_add(document, facts, "accesses", dj_datum_count(count_accesses(page, any)),
                 dj_note_traced_accesses(document, profile));
    if (profile->outside > 0)
        dj_facts_add(document, facts, "outside", dj_datum_count(profile->outside),
                     "outside recorded data; not counted");
    dj_facts_add(document, facts, dj_name_distinct(document, profile),
                 dj_datum_count(profile->lanes[0].distinct),
                 dj_name_bytes(document, profile, profile->lanes[0].distinct));
    dj_facts_add(document, facts, "cold misses", dj_datum_count(count_cold(page, any)),
                 dj_document_format(document, "%s%s",
                                    dj_human_percent(share, (double)count_cold(page, any), accesses),
                                    dj_note_traced_cold(profile)));
    int err = DJ_OK;
    if (any->total.levels)
        dj_add_hierarchy(document, profile);
    dj_add_tlb(document, profile);
    for (size_t i = 0; !err && !any->total.levels && i < page->a->cut_count; i++) {
        const char *bytes = dj_name_bytes(document, profile, page->a->cuts[i].blocks), *words = NULL;
        dj_band band;
        const uint64_t misses = count_misses(page, any, i);
        err = find_band(context, page, page->a->cuts[i].blocks, &band, &words);
        dj_facts_add(document, facts, dj_document_format(document, "%s misses", page->a->cuts[i].name),
                     dj_datum_count(misses),
                     dj_document_format(document, "%s of the accesses%s%s%s%s",
                                        dj_human_percent(share, (double)misses, accesses), words ? ", " : "",
                                        words ? words : "", *bytes ? "; cache of " : "", bytes));
    }
    return err;
}

// " (73% of these misses are conflicts)", if a fully associative cache would avoid a tenth of them.
static const char *name_conflicts(dj_document *document, const dj_breakdown *b)
{
    char share[DJ_HUMAN_BYTES];
    const dj_level_tally *levels = b->total.levels;
    const dj_level_counts *c =
        levels && b->sort_cut < levels->level_count ? &levels->levels[b->sort_cut] : NULL;
    if (!c || (double)c->conflict < 0.1 * (double)c->misses)
        return "";
    return dj_document_format(document, " (%s of these misses are conflicts)",
                              dj_human_share(share, (double)c->conflict, (double)c->misses));
}

// "49.56% of the 2,060 accesses miss in L2", of an estimate with its band.
static int begin_verdict(dj_context *context, const dj_attribution_page *page, const dj_breakdown *b)
{
    dj_document *document = page->document;
    const dj_attribution *a = page->a;
    const size_t cut = b->sort_cut;
    const double accesses = (double)count_accesses(page, b);
    char share[DJ_HUMAN_BYTES], count[DJ_HUMAN_BYTES], low[DJ_HUMAN_BYTES], high[DJ_HUMAN_BYTES];
    const char *words = NULL;
    dj_band band = {0, 0};
    dj_human_count(count, count_accesses(page, b));
    if (cut >= a->cut_count) {
        document->summary = dj_document_format(document, "%s accesses", count);
        return DJ_OK;
    }
    const double misses = (double)count_misses(page, b, cut), ratio = accesses > 0 ? misses / accesses : 0;
    int err = find_band(context, page, a->cuts[cut].blocks, &band, &words);
    const dj_row_range range = {band.low, band.high};
    page->signs->weak = words && dj_range_is_weak(&range, ratio, 1);
    if (page->signs->weak)
        document->summary = dj_document_format(
            document,
            "Between %s and %s of the %s accesses probably miss in %s: too uncertain to be useful; %s",
            dj_human_percent(low, band.low, 1), dj_human_percent(high, band.high, 1), count,
            a->cuts[cut].name, dj_name_more_bursts(document, page->profile));
    else
        document->summary = dj_document_format(document, "%s%s%s%s%s of the %s accesses miss in %s%s",
                                               page->profile->provenance.exact ? "" : "About ",
                                               dj_human_percent(share, misses, accesses), words ? " (" : "",
                                               words ? words : "", words ? ")" : "", count, a->cuts[cut].name,
                                               name_conflicts(document, b));
    return err;
}

static bool is_weak(const dj_attribution_page *page, const dj_breakdown *b, const dj_entity *entity,
                    double part, double whole)
{
    dj_row_range range;
    return dj_tally_range(page->profile, &entity->exclusive, b->sort_cut, &range) &&
           dj_range_is_weak(&range, part, whole);
}

// "; 98% of these come from object grid, 98% from line grid.c:5"
static void add_to_verdict(const dj_attribution_page *page, const dj_breakdown *b)
{
    dj_document *document = page->document;
    const size_t cut = b->sort_cut;
    char share[DJ_HUMAN_BYTES];
    const bool misses = cut < page->a->cut_count, first = !page->signs->named;
    const double whole =
        misses ? (double)dj_shown_misses(b, &b->total, b->total_misses, cut) : (double)b->total.accesses;
    if (b->count == 0 || b->by == DJ_BY_CALLING_CONTEXT || page->signs->weak)
        return;
    const dj_entity *worst = &b->entities[0];
    const double part = misses ? (double)dj_shown_misses(b, &worst->exclusive, worst->misses, cut)
                               : (double)worst->exclusive.accesses;
    if (!(part > 0) || is_weak(page, b, worst, part, whole))
        return;
    document->summary =
        dj_document_format(document, "%s%s%s %s %s %s", document->summary, first ? "; " : ", ",
                           dj_human_share(share, part, whole), first ? "of these come from" : "from",
                           dj_by_name(b->by), worst->name);
    page->signs->named = true;
}

int dj_say_attribution_verdict(dj_context *context, dj_document *document, const dj_profile *profile,
                               const dj_breakdown *first, const dj_breakdown *second)
{
    dj_signs signs = {0};
    const dj_attribution_page page = {
        .profile = profile, .a = dj_profile_attribution(profile), .document = document, .signs = &signs};
    int err = begin_verdict(context, &page, first);
    if (err)
        return err;
    add_to_verdict(&page, first);
    add_to_verdict(&page, second);
    document->summary = dj_document_format(document, "%s.", document->summary);
    return DJ_OK;
}

// `nth` 0 is the first breakdown, which the totals precede.
static int add_breakdown(dj_context *context, const dj_attribution_page *page, enum dj_by by, size_t top,
                         size_t nth)
{
    dj_breakdown *b = NULL;
    int err = dj_breakdown_create_timed(context, page->a, by, page->stall, &b);
    if (err)
        return err;
    err = dj_breakdown_rank_simulated(b, context, page->a);
    page->signs->simulated |= b->simulated;
    if (!err && nth == 0)
        err = add_totals(context, page, b);
    if (!err && nth == 0)
        dj_add_time(page);
    if (!err && nth == 0)
        err = begin_verdict(context, page, b);
    if (!err && nth < 2)
        add_to_verdict(page, b);
    if (!err)
        err = dj_add_breakdown(context, page, b, top);
    dj_breakdown_destroy(b);
    return err;
}

int dj_add_breakdown_data(dj_context *context, const dj_attribution_page *page, const enum dj_by *by,
                          size_t count)
{
    dj_attribution_page hidden = *page;
    int err = DJ_OK;
    hidden.hidden = true;
    for (size_t i = 0; !err && i < count; i++) {
        dj_breakdown *b = NULL;
        err = dj_breakdown_create_timed(context, page->a, by[i], page->stall, &b);
        if (!err)
            err = dj_breakdown_rank_simulated(b, context, page->a);
        if (!err)
            err = dj_add_breakdown(context, &hidden, b, 0);
        dj_breakdown_destroy(b);
    }
    return err;
}

// What the advice of a page rests on.
typedef struct dj_advised {
    dj_reuses *reuses;
    dj_advice_list *list;
} dj_advised;

static int find_advice(dj_context *context, const dj_profile *profile, dj_advised *out)
{
    *out = (dj_advised){NULL, NULL};
    int err = dj_reuses_of_profile(context, profile, &out->reuses);
    return err ? err : dj_advice_list_create(context, profile, out->reuses, &out->list);
}

static void free_advice(dj_advised *advised)
{
    dj_reuses_destroy(advised->reuses);
    dj_advice_list_destroy(advised->list);
}

static void add_legend(const dj_attribution_page *page)
{
    const char *caches = dj_name_caches(page->document, page->a);
    const char *units = strcmp(page->profile->provenance.unit, "element") == 0 ? "elements" : "blocks";
    dj_text *legend =
        &dj_document_say(page->document, DJ_TEXT_LEGEND, 0,
                         "%s: distinct %s (≈: estimated, standard error 6.5%%); median: reuse distance, "
                         "interpolated",
                         units, units)
             ->text;
    if (*caches)
        dj_text_add(page->document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                    page->signs->simulated
                        ? "; %s: misses of the simulated caches, including cold misses"
                        : "; %s: misses in a fully associative LRU cache of that size, including "
                          "cold misses",
                    caches);
    if (page->signs->inclusive)
        dj_text_add(page->document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                    "; incl.: share including callees and inner loops");
    if (page->signs->own)
        dj_text_add(page->document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                    "; own: also those of library and header code that the line calls%s", page->signs->own);
    if (page->signs->ranges)
        dj_text_add(page->document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                    "; range: probably contains the exact number; rank: which ones the row may have");
    if (page->signs->conflicts)
        dj_text_add(page->document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                    "; conflict: share of the row's misses that a fully associative cache would avoid");
    if (page->signs->memory)
        dj_text_add(page->document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                    "; memory: bytes fetched from memory and written to it");
    if (page->signs->loose_heap)
        dj_text_add(page->document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                    "; heap outside of blocks: heap memory that is not allocated to the program, such as the "
                    "allocator's own data and freed blocks");
}

bool dj_attribution_has_lines(const dj_attribution *a)
{
    double with = 0, without = 0;
    for (size_t i = 0; i < a->place_count; i++)
        *(a->sites[a->places[i].site].line > 0 ? &with : &without) += (double)a->places[i].tally.accesses;
    return with >= without;
}

// What the summary omits, for formats in which readers can unfold it.
static int add_details(dj_context *context, const dj_attribution_page *page, const enum dj_by *shown,
                       const dj_attribution_view *view)
{
    static const enum dj_by more[] = {DJ_BY_FUNCTION, DJ_BY_LOOP, DJ_BY_CALLING_CONTEXT, DJ_BY_THREAD};
    enum { TOP_DETAILS = 10 };
    dj_document *document = page->document;
    const dj_lane_profile *lane = &page->profile->lanes[0];
    size_t from = document->count;
    int err = dj_add_histogram(context, document, "reuse distance", lane->distance, lane->cold,
                               &view->profile, true);
    if (!err && view->details && dj_lane_moments(lane).count > 0)
        err = dj_add_curve(context, document, page->profile, &view->profile);
    for (size_t i = 0; !err && view->details && i < sizeof more / sizeof *more; i++)
        if (more[i] != shown[1])
            err = add_breakdown(context, page, more[i], TOP_DETAILS, SIZE_MAX);
    for (size_t i = from; i < document->count; i++) {
        document->nodes[i]->detail = true;
        document->nodes[i]->data &= document->nodes[i]->kind == DJ_NODE_BARS;
    }
    return err;
}

static int add_parts(dj_context *context, const dj_attribution_page *page, const dj_attribution_view *view,
                     const dj_advised *advised)
{
    enum { TOP = 10, TOP_SUMMARY = 5, TOP_REUSES = 5, TOP_REUSES_SUMMARY = 3 };
    const enum dj_by summary[] = {DJ_BY_OBJECT,
                                  dj_attribution_has_lines(page->a) ? DJ_BY_LINE : DJ_BY_FUNCTION};
    bool brief = view->by_count == 0;
    const enum dj_by *by = brief ? summary : view->by;
    size_t count = brief ? sizeof summary / sizeof *summary : view->by_count;
    size_t top = view->top ? view->top : brief ? TOP_SUMMARY : TOP;
    int err = DJ_OK;
    dj_add_best_advice(page, advised->list);
    for (size_t i = 0; i < count && !err; i++)
        err = add_breakdown(context, page, by[i], top, i);
    for (size_t i = 0; brief && i < page->document->count; i++)
        page->document->nodes[i]->data = false; // csv exports the histogram instead
    if (page->document->summary)
        page->document->summary = dj_document_format(page->document, "%s.", page->document->summary);
    if (!err && (view->advice || view->details))
        dj_add_advice(page, advised->reuses, advised->list, view->top ? view->top : TOP);
    if (!err && advised->reuses->count > 0)
        err = dj_add_reuses(context, page, advised->reuses, brief ? TOP_REUSES_SUMMARY : TOP_REUSES);
    if (!err)
        err = dj_add_debug_advice(context, page);
    add_legend(page);
    if (!err)
        err = dj_add_phases(context, page->document, page->profile);
    if (!err && brief && (view->details || view->all_rows))
        err = add_details(context, page, summary, view);
    return err;
}

int dj_document_attribution(dj_context *context, const dj_profile *profile, const dj_attribution_view *view,
                            dj_document **out)
{
    if (!dj_profile_attribution(profile))
        return dj_fail(context, DJ_ERR_USAGE,
                       "the profile does not attribute accesses to code and data; create one with 'deja "
                       "run', or with 'deja analyze --by' on a recording");
    dj_signs signs = {0};
    const dj_stall_model stall = {view->costs, dj_profile_hierarchy(profile)};
    dj_attribution_page page = {.profile = profile,
                                .a = dj_profile_attribution(profile),
                                .signs = &signs,
                                .all = view->all_rows,
                                .own = view->own,
                                .stall = view->costs ? &stall : NULL};
    int err =
        dj_profile_spatial(profile) ? dj_spatial_view_find(context, profile, NULL, &page.ranked) : DJ_OK;
    if (!err)
        err = dj_document_create(context, &page.document);
    if (err)
        return err;
    dj_add_title(page.document, profile);
    dj_advised advised;
    err = find_advice(context, profile, &advised);
    if (!err)
        err = add_parts(context, &page, view, &advised);
    free_advice(&advised);
    return dj_document_finish(context, err, page.document, out);
}
