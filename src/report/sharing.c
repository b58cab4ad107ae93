// SPDX-License-Identifier: MIT
// The report of programs or threads that share caches.
#include <deja/corun.h>

#include <math.h>

#include "report/parts.h"
#include "report/schedules.h"
#include "report/sharing_misses.h"
#include "report/sharing_places.h"
#include "report/sharing_speeds.h"
#include "report/sharing_verdict.h"
#include "report/speeds_given.h"

static double accesses_of(const dj_sharer_profile *s)
{
    return (double)s->standalone.lane.accesses;
}

// "block", or "key" if each is one.
static const char *name_unit(const dj_profile *profile)
{
    const bool keys = profile->provenance.unit_bytes == 0 && profile->lanes[0].id.block_bytes == 1;
    return keys ? profile->provenance.unit : "block";
}

static void add_sharers(dj_document *document, const dj_profile *profile, const dj_sharing *sharing)
{
    const char *unit = name_unit(profile), *units = dj_document_format(document, "%ss", unit);
    const dj_sheet_column columns[] = {
        {.title = "", .name = "sharer"},
        {.title = "accesses", .name = "accesses", .width = 8},
        {.title = units, .name = "blocks", .width = 8},
        {.name = "shared_blocks"},
        {.name = "shared_accesses"},
        {.name = "broken"},
        {.name = "shortened"},
        {.name = "stretched"},
        {.name = "found"},
        {.name = "true_sharing"},
        {.name = "false_sharing"},
        {.title = "shared", .name = "shared_blocks_share", .width = 6},
        {.name = "shared_accesses_share"},
        {.title = "broken", .name = "broken_share", .width = 6, .rank = 3},
        {.title = "shorter", .name = "shortened_share", .width = 7, .rank = 2},
        {.title = "longer", .name = "stretched_share", .width = 6},
        {.title = "found", .name = "found_share", .width = 5, .rank = 1},
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
            dj_datum_count(s->shared),
            dj_datum_count(s->shared_accesses),
            dj_datum_count(s->counts.broken),
            dj_datum_count(s->counts.shortened),
            dj_datum_count(s->counts.stretched),
            dj_datum_count(s->counts.found),
            dj_datum_count(s->counts.true_sharing),
            dj_datum_count(s->counts.false_sharing),
            dj_datum_part(DJ_DATUM_SHARE, (double)s->shared, (double)s->blocks),
            dj_datum_part(DJ_DATUM_SHARE, (double)s->shared_accesses, accesses_of(s)),
            dj_datum_part(DJ_DATUM_SHARE, (double)s->counts.broken, reuses),
            dj_datum_part(DJ_DATUM_SHARE, (double)s->counts.shortened, reuses),
            dj_datum_part(DJ_DATUM_SHARE, (double)s->counts.stretched, reuses),
            dj_datum_part(DJ_DATUM_SHARE, (double)s->counts.found, (double)s->standalone.lane.cold)};
        DJ_CELLS(table, cells);
    }
    dj_document_say(
        document, DJ_TEXT_LEGEND, 0,
        "shared: %s that another sharer accesses too. Of the reuses: broken, another sharer accessed the %s "
        "in "
        "between; shorter, the distance in one cache for all is shorter than alone; longer, it is longer. "
        "found: first accesses to %s that another sharer had accessed before.",
        units, unit, units);
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
                        "No sharer misses in a private cache because another one wrote to the %s.",
                        name_unit(profile));
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
    dj_document_say(document, DJ_TEXT_LEGEND, 0,
                    "misses: of a private cache of any size, on %ss that another sharer wrote to since the "
                    "last access. "
                    "true: true sharing, the miss delivers a word of %llu byte%s that another sharer wrote. "
                    "false: false sharing, it delivers none, so padding would avoid it. %% false: false "
                    "sharing among all accesses.",
                    name_unit(profile), (unsigned long long)sharing->word_bytes,
                    sharing->word_bytes == 1 ? "" : "s");
}

static void add_predictions(dj_document *document, const dj_profile *profile, const dj_sharing *sharing)
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
        dj_document_say(document, DJ_TEXT_SENTENCES, 0,
                        "Not predictable: sharers do not access the %ss they share independently, but in the "
                        "same order, in step or with a delay, or mostly a few of them. Use the measured "
                        "distances.",
                        name_unit(profile));
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

static bool has_bins(const dj_sharing *sharing)
{
    bool binned = false;
    for (size_t i = 0; i < sharing->count; i++) {
        const dj_sharer_profile *s = &sharing->sharers[i];
        binned |= s->standalone.lane.binned || s->concurrent.lane.binned || s->separate.lane.binned;
        for (size_t k = 0; k < s->group_count; k++)
            binned |= s->groups[k].lane.binned;
    }
    return binned;
}

// What varies comes first, then what the first schedule shows.
static void say_schedules(dj_document *document, const dj_sharing *sharing)
{
    const char *verdict = document->summary;
    dj_say_schedules(document, sharing);
    if (sharing->schedules && sharing->count > 1)
        document->summary = dj_document_format(document, "%s %s", document->summary, verdict);
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
    err = dj_say_sharing_verdict(context, document, profile);
    dj_add_title(document, profile);
    dj_document_say(document, DJ_TEXT_PROVENANCE, 0, "order: %s", sharing->order);
    if (has_bins(sharing))
        dj_document_say(document, DJ_TEXT_PROVENANCE, 0, "distances saved in bins");
    if (!err)
        say_schedules(document, sharing);
    if (!err)
        err = dj_add_cache_misses(context, document, sharing, block);
    dj_add_schedules(document, profile, sharing);
    dj_add_given_speeds(document, sharing);
    add_sharers(document, profile, sharing);
    add_sharing_misses(document, profile, sharing);
    if (!err && dj_profile_attribution(profile))
        err = dj_add_sharing_places(context, document, profile, view);
    if (!err)
        err = dj_add_speeds(context, document, sharing);
    add_predictions(document, profile, sharing);
    if (!err)
        err = add_chart(context, document, profile, sharing);
    return dj_document_finish(context, err, document, out);
}
