// SPDX-License-Identifier: MIT
// The report of programs or threads that share caches.
#include <deja/corun.h>

#include <math.h>

#include "base/human.h"
#include "report/parts.h"
#include "report/schedules.h"
#include "report/sharing_places.h"
#include "report/sharing_speeds.h"
#include "report/speeds_given.h"

// Of a miss ratio; less is not visible in a table.
static const double LEAST_CHANGE = 0.0001;

static double accesses_of(const dj_sharer_profile *s)
{
    return (double)s->standalone.lane.accesses;
}

static const char *name_width(dj_document *document, const dj_sharing *sharing, uint32_t sharers)
{
    if (sharers >= sharing->count)
        return "all";
    return sharers == 1 ? "private" : dj_document_format(document, "%u each", sharers);
}

static void add_sharers(dj_document *document, const dj_sharing *sharing)
{
    static const dj_sheet_column columns[] = {
        {.title = "", .name = "sharer"},
        {.title = "accesses", .name = "accesses", .width = 8},
        {.title = "blocks", .name = "blocks", .width = 8},
        {.title = "shared", .name = "shared_blocks", .width = 6},
        {.name = "shared_accesses"},
        {.title = "broken", .name = "broken", .width = 6, .rank = 3},
        {.title = "shorter", .name = "shortened", .width = 7, .rank = 2},
        {.title = "longer", .name = "stretched", .width = 6},
        {.title = "found", .name = "found", .width = 5, .rank = 1},
        {.name = "true_sharing"},
        {.name = "false_sharing"},
    };
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "what the others change");
    dj_sheet_node(table)->data = true;
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < sharing->count; i++) {
        const dj_sharer_profile *s = &sharing->sharers[i];
        double reuses = accesses_of(s) - (double)s->standalone.lane.cold;
        const dj_datum cells[] = {
            dj_datum_text(s->name),
            dj_datum_count(s->standalone.lane.accesses),
            dj_datum_count(s->blocks),
            dj_datum_part(DJ_DATUM_SHARE, (double)s->shared, (double)s->blocks),
            dj_datum_part(DJ_DATUM_SHARE, (double)s->shared_accesses, accesses_of(s)),
            dj_datum_part(DJ_DATUM_SHARE, (double)s->counts.broken, reuses),
            dj_datum_part(DJ_DATUM_SHARE, (double)s->counts.shortened, reuses),
            dj_datum_part(DJ_DATUM_SHARE, (double)s->counts.stretched, reuses),
            dj_datum_part(DJ_DATUM_SHARE, (double)s->counts.found, (double)s->standalone.lane.cold),
            dj_datum_count(s->counts.true_sharing),
            dj_datum_count(s->counts.false_sharing)};
        DJ_CELLS(table, cells);
    }
    dj_document_say(
        document, DJ_TEXT_LEGEND, 0,
        "shared: blocks that another sharer accesses too. Of the reuses: broken, another sharer "
        "accessed the block in between; shorter and longer, the distance in one cache for all than alone. "
        "found: first accesses to blocks that another sharer had accessed before.");
}

static dj_datum mark(dj_datum datum, bool about)
{
    datum.about = about;
    return datum;
}

typedef struct sharer_misses {
    const dj_sharer_distances *here; // NULL: not measured
    uint64_t all, alone;             // in this cache, and alone in one of this size
} sharer_misses;

static int count_misses(dj_context *context, const dj_sharing *sharing, size_t sharer,
                        const dj_shared_cache *cache, uint64_t block, sharer_misses *out)
{
    *out = (sharer_misses){.here = dj_sharer_in_cache(sharing, sharer, cache->sharers)};
    int err = out->here ? dj_sharer_misses(context, out->here, cache->bytes / block, &out->all) : DJ_OK;
    return err ? err
               : dj_sharer_misses(context, &sharing->sharers[sharer].standalone, cache->bytes / block,
                                  &out->alone);
}

static void add_cache_row(dj_document *document, dj_sheet *table, const dj_sharing *sharing, size_t sharer,
                          const dj_shared_cache *cache, const sharer_misses *misses)
{
    const dj_sharer_profile *s = &sharing->sharers[sharer];
    const dj_sharer_distances *here = misses->here;
    const bool about = here->lane.binned;
    char size[DJ_HUMAN_BYTES];
    const char *width = name_width(document, sharing, cache->sharers);
    const dj_datum cells[] = {
        dj_datum_text(dj_document_format(document, "%s %s, %s", cache->name,
                                         dj_human_bytes(size, cache->bytes), width)),
        dj_datum_text(width),
        dj_datum_text(s->name),
        mark(dj_datum_count(misses->all), about),
        mark(dj_datum_part(DJ_DATUM_PERCENT, (double)misses->all, accesses_of(s)), about),
        mark(dj_datum_part(DJ_DATUM_PERCENT, (double)misses->alone, accesses_of(s)), about),
        dj_datum_count(here->lane.cold - here->invalidated),
        dj_datum_count(here->invalidated),
        mark(dj_datum_count(misses->all - here->lane.cold), about),
        dj_datum_text(about ? "upper bounds" : "exact")};
    DJ_CELLS(table, cells);
}

static int add_misses(dj_context *context, dj_document *document, const dj_sharing *sharing, uint64_t block)
{
    static const dj_sheet_column columns[] = {
        {.title = "", .name = "cache"},
        {.name = "shared_by"},
        {.title = "", .name = "sharer"},
        {.title = "misses", .name = "misses", .width = 8},
        {.title = "%", .name = "miss_ratio", .width = 7},
        {.title = "alone", .name = "alone", .width = 7},
        {.title = "cold", .name = "cold", .width = 6, .rank = 3},
        {.title = "invalid", .name = "invalidated", .width = 7, .rank = 2},
        {.title = "capacity", .name = "capacity", .width = 8, .rank = 1},
        {.name = "counts"},
    };
    if (sharing->cache_count == 0)
        return DJ_OK;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "misses");
    dj_sheet_node(table)->data = true;
    DJ_COLUMNS(table, columns);
    int err = DJ_OK;
    for (size_t c = 0; c < sharing->cache_count; c++)
        for (size_t i = 0; !err && i < sharing->count; i++) {
            sharer_misses misses;
            err = count_misses(context, sharing, i, &sharing->caches[c], block, &misses);
            if (!err && misses.here)
                add_cache_row(document, table, sharing, i, &sharing->caches[c], &misses);
        }
    if (err)
        return err;
    if (sharing->sharers[0].standalone.lane.binned)
        dj_document_say(
            document, DJ_TEXT_LEGEND, 0,
            "Computed from the bins of a saved profile: upper bounds, exact where a size is the end "
            "of a bin. --bins exact and .dejap save all distances.");
    else
        dj_document_say(document, DJ_TEXT_LEGEND, 0,
                        "Fully associative LRU caches. invalid: another cache wrote to the block since this "
                        "one last accessed it, even if it was evicted first. alone: all misses without the "
                        "others.");
    return DJ_OK;
}

// Sharers whose writes are unknown, although those of others are known.
static void say_unknown_kinds(dj_document *document, const dj_sharing *sharing)
{
    const char *name = NULL;
    size_t count = 0;
    for (size_t i = 0; i < sharing->count; i++)
        if (sharing->sharers[i].kinds_unknown)
            name = count++ ? name : sharing->sharers[i].name;
    if (count == 0)
        return;
    const char *others = count > 1 ? dj_document_format(document, " and %zu more", count - 1) : "";
    dj_document_say(document, DJ_TEXT_SENTENCES, 0,
                    "Which accesses of %s%s write is unknown. All count as reads, so what others lose by "
                    "them is missing.",
                    name, others);
}

static void add_sharing_misses(dj_document *document, const dj_profile *profile, const dj_sharing *sharing)
{
    static const dj_sheet_column columns[] = {
        {.title = "", .name = "sharer"},
        {.title = "misses", .name = "invalidated", .width = 8},
        {.title = "true", .name = "true_sharing", .width = 8},
        {.title = "false", .name = "false_sharing", .width = 8},
        {.title = "% false", .width = 8},
    };
    uint64_t all = 0;
    for (size_t i = 0; i < sharing->count; i++)
        all += sharing->sharers[i].separate.invalidated;
    if (profile->reads + profile->writes == 0) {
        dj_document_say(document, DJ_TEXT_SENTENCES, 0,
                        "Which accesses write is unknown, and so is what private caches lose by writes of "
                        "others.");
        return;
    }
    say_unknown_kinds(document, sharing);
    if (all == 0) {
        dj_document_say(document, DJ_TEXT_SENTENCES, 0,
                        "No sharer misses in a private cache because another one wrote to the block.");
        return;
    }
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "invalidated misses");
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < sharing->count; i++) {
        const dj_sharer_profile *s = &sharing->sharers[i];
        const dj_datum cells[] = {
            dj_datum_text(s->name), dj_datum_count(s->separate.invalidated),
            dj_datum_count(s->counts.true_sharing), dj_datum_count(s->counts.false_sharing),
            dj_datum_part(DJ_DATUM_PERCENT, (double)s->counts.false_sharing, accesses_of(s))};
        DJ_CELLS(table, cells);
    }
    dj_document_say(
        document, DJ_TEXT_LEGEND, 0,
        "misses: of a private cache of any size, on blocks that another sharer wrote to since the "
        "last access. "
        "true: true sharing, the miss delivers a word of %llu bytes that another sharer wrote. "
        "false: false sharing, it delivers none, so padding would avoid it. %% false: false "
        "sharing among all accesses.",
        (unsigned long long)sharing->word_bytes);
}

static void add_predictions(dj_document *document, const dj_sharing *sharing)
{
    static const dj_sheet_column columns[] = {
        {.title = "", .name = "sharer"},
        {.title = "model", .name = "model"},
        {.title = "accuracy", .name = "accuracy", .width = 8},
        {.title = "bars of 1%", .name = "accuracy_coarse", .width = 8},
    };
    size_t all = 0;
    for (size_t i = 0; i < sharing->count; i++)
        all += sharing->sharers[i].prediction_count;
    if (all == 0)
        return;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "predicted from each alone");
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < sharing->count; i++)
        for (size_t k = 0; k < sharing->sharers[i].prediction_count; k++) {
            const dj_prediction *p = &sharing->sharers[i].predictions[k];
            const bool reuses = dj_lane_moments(&sharing->sharers[i].concurrent.lane).count > 0;
            const dj_datum cells[] = {
                dj_datum_text(sharing->sharers[i].name), dj_datum_text(p->model),
                reuses ? dj_datum_part(DJ_DATUM_PERCENT, p->accuracy, 1) : dj_datum_none("-"),
                reuses ? dj_datum_part(DJ_DATUM_PERCENT, p->accuracy_coarse, 1) : dj_datum_none("-")};
            DJ_CELLS(table, cells);
        }
    dj_document_say(document, DJ_TEXT_LEGEND, 0,
                    "accuracy: how much of the predicted histogram of reuse distances in one cache for all "
                    "lies where the measured one does, with bars 1 wide, and 1%% of their distance wide.");
    size_t unlike = 0;
    for (size_t i = 0; i < sharing->count; i++)
        for (size_t k = 0; k < sharing->sharers[i].prediction_count; k++)
            unlike += !dj_sharer_is_predictable(&sharing->sharers[i], &sharing->sharers[i].predictions[k]);
    if (unlike > 0)
        dj_document_say(
            document, DJ_TEXT_SENTENCES, 0,
            "Not predictable: sharers do not access the blocks they share independently, but in the "
            "same order, in step or with a delay, or mostly a few of them. Use the measured "
            "distances.");
}

static int add_chart(dj_context *context, dj_document *document, const dj_profile *profile,
                     const dj_sharing *sharing)
{
    enum { DRAWN = 4 };
    bool bytes = profile->provenance.unit_bytes > 0;
    double unit = bytes ? (double)profile->lanes[0].id.block_bytes : 1;
    dj_chart *chart = dj_document_chart(document, "miss ratios", "alone, and in one cache for all");
    chart->x_unit = bytes ? "bytes" : dj_document_format(document, "%ss", profile->provenance.unit);
    chart->x_name = "cache size";
    chart->y_name = "miss ratio";
    chart->first = unit;
    chart->last = 2 * unit;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < sharing->count && i < DRAWN; i++) {
        const dj_sharer_profile *s = &sharing->sharers[i];
        dj_moments m = dj_lane_moments(&s->concurrent.lane), alone = dj_lane_moments(&s->standalone.lane);
        double last = (double)(m.max > alone.max ? m.max : alone.max);
        chart->last = fmax(chart->last, 2 * (last + 1) * unit);
        err = dj_add_lru(context, chart, &s->standalone.lane,
                         dj_document_format(document, "%s alone", s->name), unit);
        if (!err)
            err = dj_add_lru(context, chart, &s->concurrent.lane,
                             dj_document_format(document, "%s sharing", s->name), unit);
    }
    for (size_t i = 0; bytes && i < sharing->cache_count; i++)
        dj_chart_add_mark(chart, sharing->caches[i].name, (double)sharing->caches[i].bytes);
    return err;
}

// The sharer that suffers most in the largest cache that several share.
static int say_verdict(dj_context *context, dj_document *document, const dj_sharing *sharing, uint64_t block)
{
    const dj_shared_cache *cache = NULL;
    const char *name = "";
    double worst = -1, before = 0, after = 0;
    for (size_t c = 0; c < sharing->cache_count; c++)
        if (sharing->caches[c].sharers > 1)
            cache = &sharing->caches[c];
    for (size_t i = 0; cache && i < sharing->count; i++) {
        const dj_sharer_profile *s = &sharing->sharers[i];
        sharer_misses misses;
        int err = count_misses(context, sharing, i, cache, block, &misses);
        if (err || !misses.here)
            return err;
        double change = fabs((double)misses.all - (double)misses.alone) / accesses_of(s);
        if (change > worst) {
            worst = change;
            name = s->name;
            before = (double)misses.alone / accesses_of(s);
            after = (double)misses.all / accesses_of(s);
        }
    }
    if (sharing->count == 1)
        document->summary = "There is only one sharer: nothing is shared.";
    else if (!cache || worst < 0 || sharing->sharers[0].standalone.lane.binned)
        document->summary = dj_document_format(
            document, "%zu sharers, measured alone, in one cache for all, and in private caches.",
            sharing->count);
    else if (worst < LEAST_CHANGE)
        document->summary = dj_document_format(
            document, "Sharing the %s changes the miss ratio of no sharer by as much as 0.01%%.",
            cache->name);
    else
        document->summary = dj_document_format(
            document, "Sharing the %s changes most for %s: it misses %.2f%% instead of %.2f%% alone.",
            cache->name, name, 100 * after, 100 * before);
    return DJ_OK;
}

int dj_document_sharing(dj_context *context, const dj_profile *profile, const dj_attribution_view *view,
                        dj_document **out)
{
    const dj_sharing *sharing = dj_profile_sharing(profile);
    const uint64_t block = profile->lanes[0].id.block_bytes;
    dj_document *document = NULL;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    err = say_verdict(context, document, sharing, block);
    dj_add_title(document, profile);
    dj_document_say(document, DJ_TEXT_PROVENANCE, 0, "order: %s", sharing->order);
    if (sharing->sharers[0].standalone.lane.binned)
        dj_document_say(document, DJ_TEXT_PROVENANCE, 0, "distances saved in bins");
    if (!err)
        dj_say_schedules(document, sharing);
    if (!err)
        err = add_misses(context, document, sharing, block);
    dj_add_schedules(document, profile, sharing);
    dj_add_given_speeds(document, sharing);
    add_sharers(document, sharing);
    add_sharing_misses(document, profile, sharing);
    if (!err && dj_profile_attribution(profile))
        err = dj_add_sharing_places(context, document, profile, view);
    if (!err)
        err = dj_add_speeds(context, document, sharing);
    add_predictions(document, sharing);
    if (!err)
        err = add_chart(context, document, profile, sharing);
    return dj_document_finish(context, err, document, out);
}
