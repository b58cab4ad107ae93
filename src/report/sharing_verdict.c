// SPDX-License-Identifier: MIT
#include "report/sharing_verdict.h"

#include <deja/attribution.h>
#include <deja/breakdown.h>
#include <deja/sharing.h>

#include <math.h>

#include "base/human.h"
#include "report/sharing_misses.h"

// Of a miss ratio; less is not visible in a table.
static const double LEAST_CHANGE = 0.0001;

// What sharing changes for one sharer in one cache.
typedef struct effect {
    const dj_shared_cache *cache; // NULL: none
    const dj_sharer_profile *sharer;
    dj_cache_misses misses;
    uint64_t change; // in misses
} effect;

typedef struct effects {
    effect harm, help; // the largest of each
    double most;       // change of a miss ratio
    bool exact;        // no number is an upper bound
} effects;

static void keep_larger(effect *largest, const effect *other)
{
    if (other->change > largest->change)
        *largest = *other;
}

static int find_effects(dj_context *context, const dj_sharing *sharing, uint64_t block, effects *out)
{
    *out = (effects){.exact = true};
    for (size_t c = 0; c < sharing->cache_count; c++)
        for (size_t i = 0; i < sharing->count; i++) {
            effect e = {.cache = &sharing->caches[c], .sharer = &sharing->sharers[i]};
            int err = dj_count_cache_misses(context, sharing, i, e.cache, block, &e.misses);
            if (err)
                return err;
            if (!e.misses.here || e.sharer->standalone.lane.accesses == 0)
                continue;
            const bool more = e.misses.all > e.misses.alone;
            e.change = more ? e.misses.all - e.misses.alone : e.misses.alone - e.misses.all;
            keep_larger(more ? &out->harm : &out->help, &e);
            out->most = fmax(out->most, (double)e.change / (double)e.sharer->standalone.lane.accesses);
            out->exact = out->exact && e.misses.all_exact && e.misses.alone_exact;
        }
    return DJ_OK;
}

// "41 misses in its private L1 (100.00%), instead of 2 alone (4.88%)"
static const char *name_effect(dj_document *document, const dj_sharing *sharing, const effect *e)
{
    char all[DJ_HUMAN_BYTES], alone[DJ_HUMAN_BYTES];
    const double accesses = (double)e->sharer->standalone.lane.accesses;
    const uint32_t width = e->cache->sharers;
    const bool shared = width >= sharing->count, group = width > 1 && !shared;
    const char *of = group ? dj_document_format(document, " of %u sharers", width) : "";
    return dj_document_format(document, "%s miss%s in %s %s%s (%.2f%%), instead of %s alone (%.2f%%)",
                              dj_human_count(all, e->misses.all), e->misses.all == 1 ? "" : "es",
                              group    ? "the"
                              : shared ? "the shared"
                                       : "its private",
                              e->cache->name, of, 100 * (double)e->misses.all / accesses,
                              dj_human_count(alone, e->misses.alone),
                              100 * (double)e->misses.alone / accesses);
}

static uint64_t sharing_misses(const dj_sharing_tally *tally)
{
    return tally ? tally->counts.true_sharing + tally->counts.false_sharing : 0;
}

// The object with the most misses after writes of others; "" if that is not known.
static int name_object(dj_context *context, dj_document *document, const dj_profile *profile,
                       const char **out)
{
    dj_breakdown *b = NULL;
    char most[DJ_HUMAN_BYTES], all[DJ_HUMAN_BYTES];
    *out = "";
    const dj_attribution *a = dj_profile_attribution(profile);
    int err = a ? dj_breakdown_create(context, a, DJ_BY_OBJECT, &b) : DJ_OK;
    const dj_entity *worst = NULL;
    for (size_t i = 0; !err && b && i < b->count; i++) {
        const dj_entity *e = &b->entities[i];
        if (sharing_misses(e->exclusive.sharing) > (worst ? sharing_misses(worst->exclusive.sharing) : 0))
            worst = e;
    }
    if (worst)
        *out = dj_document_format(document,
                                  " The object with the most such misses, over all sharers, is %s: %s of %s.",
                                  worst->name, dj_human_count(most, sharing_misses(worst->exclusive.sharing)),
                                  dj_human_count(all, sharing_misses(b->total.sharing)));
    dj_breakdown_destroy(b);
    return err;
}

// What in a cache that others write to is due to these writes. True and false sharing are known for private
// caches.
static int name_invalidations(dj_context *context, dj_document *document, const dj_profile *profile,
                              const effect *e, const char **out)
{
    char lost[DJ_HUMAN_BYTES], all[DJ_HUMAN_BYTES], needed[DJ_HUMAN_BYTES], useless[DJ_HUMAN_BYTES];
    const uint64_t invalidated = e->misses.here->invalidated;
    const char *object = "", *kinds = "";
    *out = "";
    if (invalidated == 0)
        return DJ_OK;
    const bool private = e->misses.here == &e->sharer->separate;
    if (private)
        kinds = dj_document_format(document, ": %s true and %s false sharing",
                                   dj_human_count(needed, e->sharer->counts.true_sharing),
                                   dj_human_count(useless, e->sharer->counts.false_sharing));
    int err = private ? name_object(context, document, profile, &object) : DJ_OK;
    *out = dj_document_format(document, " %s of the %s follow%s writes of others%s.%s",
                              dj_human_count(lost, invalidated), dj_human_count(all, e->misses.all),
                              invalidated == 1 ? "s" : "", kinds, object);
    return err;
}

static int say_effects(dj_context *context, dj_document *document, const dj_profile *profile,
                       const effects *of)
{
    const dj_sharing *sharing = dj_profile_sharing(profile);
    const char *first = sharing->schedules ? " (first schedule)" : "", *cause = "", *saved = "";
    const effect *harm = &of->harm, *help = &of->help;
    int err = DJ_OK;
    if (help->change > harm->change)
        saved = dj_document_format(
            document, "%s %s most%s: %s.",
            harm->change > 0 ? " It saves" : "Sharing costs no sharer a miss in these caches. It saves",
            help->sharer->name, harm->change > 0 ? "" : first, name_effect(document, sharing, help));
    if (harm->change > 0)
        err = name_invalidations(context, document, profile, harm, &cause);
    if (harm->change > 0)
        document->summary =
            dj_document_format(document, "Sharing costs %s most%s: %s.%s%s", harm->sharer->name, first,
                               name_effect(document, sharing, harm), cause, saved);
    else
        document->summary = saved;
    return err;
}

int dj_say_sharing_verdict(dj_context *context, dj_document *document, const dj_profile *profile)
{
    const dj_sharing *sharing = dj_profile_sharing(profile);
    effects of;
    int err = find_effects(context, sharing, profile->lanes[0].id.block_bytes, &of);
    if (err)
        return err;
    if (sharing->count == 1)
        document->summary = "There is only one sharer: nothing is shared.";
    else if (sharing->cache_count == 0 || !of.exact)
        document->summary = dj_document_format(
            document, "%zu sharers, measured alone, in one cache for all, and in private caches.",
            sharing->count);
    else if (of.most < LEAST_CHANGE)
        document->summary = "Sharing changes the miss ratio of no sharer by as much as 0.01%.";
    else
        err = say_effects(context, document, profile, &of);
    return err;
}
