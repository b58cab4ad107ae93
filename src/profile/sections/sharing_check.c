// SPDX-License-Identifier: MIT
#include "profile/sections/sharing_check.h"

#include <inttypes.h>
#include <math.h>

// Accuracies and correlations are rounded.
static const double ROUNDING = 1e-9;
enum { CLASS_SHARERS_MOST = 64 };

typedef struct checked {
    dj_context *context;
    const dj_sharing *sharing;
    const dj_sharer_profile *sharer; // and its number
    size_t number;
    uint64_t blocks; // of all sharers together, at most
} checked;

static int refuse(const checked *c, const char *where, const char *why)
{
    return dj_fail(c->context, DJ_ERR_INPUT, "sharers[%zu]%s%s: %s", c->number, *where ? "." : "", where,
                   why);
}

static bool is_count(double value)
{
    return isfinite(value) && value >= 0;
}

static bool is_part(double value, double least)
{
    return value >= least - ROUNDING && value <= 1 + ROUNDING;
}

// The moments are those of the file if there are bins, otherwise of the histogram.
static bool are_moments(const dj_lane_profile *lane)
{
    const dj_moments m = dj_lane_moments(lane);
    uint64_t shortest = 0;
    return m.count == 0 || (dj_histogram_next(lane->distance, &shortest) > 0 && m.min <= shortest &&
                            m.min <= m.max && m.mean >= (double)m.min - ROUNDING * (double)m.max &&
                            m.mean <= (double)m.max * (1 + ROUNDING) && m.median >= (double)m.min &&
                            m.median <= (double)m.max && is_count(m.std) && m.std <= (double)m.max);
}

// A cache that holds all `blocks` misses only on first accesses and after invalidations.
static int check_distances(const checked *c, const char *where, const dj_sharer_distances *d, uint64_t blocks,
                           bool invalidates)
{
    const dj_lane_profile *lane = &d->lane;
    if (lane->accesses != c->sharer->standalone.lane.accesses)
        return refuse(c, where, "the accesses are not those of the sharer alone");
    if (d->sharers_per_cache == 0)
        return refuse(c, where, "a cache of no sharers");
    if (lane->cold > lane->accesses || d->invalidated > (invalidates ? lane->cold : 0) ||
        lane->distinct > lane->cold - d->invalidated)
        return refuse(c, where, "'cold', 'distinct' and 'invalidated' do not add up");
    if (!are_moments(lane))
        return refuse(c, where, "'distance' contradicts the histogram");
    if (dj_lane_moments(lane).count > 0 && dj_lane_moments(lane).max >= blocks)
        return refuse(c, where, "a distance is not below the number of blocks");
    return DJ_OK;
}

static int check_lanes(const checked *c)
{
    const dj_sharer_profile *s = c->sharer;
    int err = check_distances(c, "standalone", &s->standalone, s->blocks, false);
    if (!err)
        err = check_distances(c, "concurrent", &s->concurrent, c->blocks, false);
    if (!err)
        err = check_distances(c, "private", &s->separate, s->blocks, true);
    for (size_t i = 0; !err && i < s->group_count; i++)
        err = check_distances(c, "groups", &s->groups[i], c->blocks, true);
    return err;
}

static int check_counts(const checked *c)
{
    const dj_sharer_profile *s = c->sharer;
    const dj_sharing_counts *n = &s->counts;
    const dj_lane_profile *alone = &s->standalone.lane;
    const uint64_t reuses = alone->accesses - alone->cold, lost = s->separate.invalidated;
    if (s->blocks > alone->cold || s->blocks != alone->distinct || s->shared > s->blocks)
        return refuse(c, "", "'blocks' and 'shared' do not add up");
    if (s->shared_accesses > alone->accesses || s->shared_accesses < s->shared ||
        (s->shared == 0 && s->shared_accesses > 0))
        return refuse(c, "", "'shared_accesses' does not fit 'accesses' and 'shared'");
    if (n->broken > reuses)
        return refuse(c, "", "'broken' exceeds the number of reuses");
    if (n->shortened > reuses || n->stretched > reuses - n->shortened)
        return refuse(c, "", "'shortened' and 'stretched' exceed the number of reuses");
    if (n->found > alone->cold || n->found > s->shared)
        return refuse(c, "", "'found' exceeds the number of shared blocks");
    if (n->true_sharing > lost || n->false_sharing != lost - n->true_sharing)
        return refuse(c, "",
                      "'true_sharing' and 'false_sharing' do not add up to 'invalidated' of 'private'");
    if (!is_count(s->speed))
        return refuse(c, "speed", "it is negative or not finite");
    return is_count(s->cpu_seconds) && is_count(s->native_cpu_seconds)
               ? DJ_OK
               : refuse(c, "", "a CPU time is negative or not finite");
}

static int check_prediction(const checked *c, const dj_prediction *p)
{
    bool good = is_part(p->accuracy, 0) && is_part(p->accuracy_coarse, 0) && is_part(p->correlation, -1) &&
                is_count(p->cold) && is_count(p->reuses) && is_count(p->broken);
    for (size_t i = 0; good && i < p->bin_count; i++)
        good = p->bins[i].lo <= p->bins[i].hi && is_count(p->bins[i].count) &&
               (i == 0 || p->bins[i].lo > p->bins[i - 1].hi);
    return good ? DJ_OK : refuse(c, "predicted", "a number is impossible, or bins do not increase");
}

static int check_caches(dj_context *context, const dj_sharing *s)
{
    for (size_t i = 0; i < s->cache_count; i++) {
        const dj_shared_cache *cache = &s->caches[i];
        const char *why = cache->bytes == 0                                ? "the cache has no bytes"
                          : i > 0 && cache->bytes < s->caches[i - 1].bytes ? "the caches do not increase"
                          : cache->sharers == 0                            ? "the cache has no sharers"
                          : !dj_sharer_in_cache(s, 0, cache->sharers)      ? "no sharer was measured in it"
                                                                           : NULL;
        for (size_t k = 1; !why && k < s->count; k++)
            why = dj_sharer_in_cache(s, k, cache->sharers) ? NULL : "a sharer was not measured in it";
        if (why)
            return dj_fail(context, DJ_ERR_INPUT, "shared_caches[%zu]: %s", i, why);
    }
    return DJ_OK;
}

static int check_classes(dj_context *context, const dj_sharing *s)
{
    const uint64_t all = s->count >= CLASS_SHARERS_MOST ? UINT64_MAX : (UINT64_C(1) << s->count) - 1;
    for (size_t i = 0; i < s->class_count; i++)
        if (s->count > CLASS_SHARERS_MOST || s->classes[i].sharers == 0 ||
            (s->classes[i].sharers & ~all) != 0)
            return dj_fail(context, DJ_ERR_INPUT,
                           "sharing_classes[%zu]: a bit of 'sharers' is none of the "
                           "%zu sharers, or all are 0",
                           i, s->count);
    for (size_t i = 0; s->class_count > 0 && i < s->count; i++) {
        uint64_t left = s->sharers[i].blocks;
        for (size_t k = 0; k < s->class_count; k++) {
            const uint64_t blocks = s->classes[k].sharers >> i & 1 ? s->classes[k].blocks : 0;
            if (blocks > left)
                return dj_fail(
                    context, DJ_ERR_INPUT,
                    "sharing_classes[%zu]: the classes have more blocks of sharers[%zu] than it has", k, i);
            left -= blocks;
        }
    }
    return DJ_OK;
}

static bool is_range(const dj_count_range *r, uint64_t most)
{
    return r->minimum <= r->median && r->median <= r->maximum && r->maximum <= most;
}

// A mean distance is below the number of blocks.
static bool is_mean_range(const dj_mean_range *r, uint64_t blocks)
{
    return r->minimum >= 0 && r->minimum <= r->median && r->median <= r->maximum &&
           r->maximum <= (double)blocks;
}

// The sums of the extremes of the sharers enclose those of all.
static bool are_misses(const dj_sharing *s, const dj_schedule_misses *m, uint64_t accesses)
{
    uint64_t least = 0, most = 0;
    if (m->count != s->count || !is_range(&m->all, accesses))
        return false;
    for (size_t i = 0; i < s->count; i++) {
        if (!is_range(&m->sharers[i], s->sharers[i].standalone.lane.accesses))
            return false;
        least += m->sharers[i].minimum; // at most all accesses
        most += m->sharers[i].maximum;
    }
    return m->all.minimum >= least && m->all.maximum <= most;
}

static int check_schedules(dj_context *context, const dj_profile *profile, const dj_sharing *s,
                           uint64_t blocks)
{
    const dj_schedules *of = s->schedules;
    if (of->count == 0 || of->count > UINT32_MAX || of->quantum == 0)
        return dj_fail(context, DJ_ERR_INPUT, "schedules: 'count' or 'quantum' is 0 or too large");
    if (!(of->forced >= 0 && of->forced <= 1))
        return dj_fail(context, DJ_ERR_INPUT, "schedules: 'forced' is not between 0 and 1");
    // There are no misses of caches that were not measured.
    if ((of->cache_count > 0 && of->cache_count != s->cache_count) || of->distance_count != s->count)
        return dj_fail(context, DJ_ERR_INPUT,
                       "schedules: there is not one row for each of the shared caches and the sharers");
    if (!is_mean_range(&of->distance, blocks))
        return dj_fail(context, DJ_ERR_INPUT,
                       "schedules.distance: the values are impossible, or not in order");
    for (size_t i = 0; i < s->count; i++)
        if (!is_mean_range(&of->distances[i], blocks))
            return dj_fail(context, DJ_ERR_INPUT,
                           "schedules.distances[%zu]: the values are impossible, or not in order", i);
    for (size_t i = 0; i < of->cache_count; i++)
        if (!are_misses(s, &of->caches[i], profile->accesses))
            return dj_fail(context, DJ_ERR_INPUT,
                           "schedules.misses[%zu]: the values are impossible, or not in order", i);
    return DJ_OK;
}

int dj_sharing_check(dj_context *context, const dj_profile *profile, const dj_sharing *s)
{
    checked c = {.context = context, .sharing = s};
    uint64_t left = profile->accesses;
    int err = DJ_OK;
    if (s->count == 0 || s->word_bytes == 0)
        return dj_fail(context, DJ_ERR_INPUT,
                       s->count ? "word_bytes: words have at least 1 byte" : "sharers: there are none");
    for (size_t i = 0; i < s->count; i++)
        if (__builtin_add_overflow(c.blocks, s->sharers[i].blocks, &c.blocks))
            c.blocks = UINT64_MAX;
    for (c.number = 0; !err && c.number < s->count; c.number++) {
        c.sharer = &s->sharers[c.number];
        const uint64_t accesses = c.sharer->standalone.lane.accesses;
        if (accesses > left)
            return dj_fail(context, DJ_ERR_INPUT,
                           "sharers[%zu]: the sharers have more than all %" PRIu64 " accesses", c.number,
                           profile->accesses);
        left -= accesses;
        err = check_lanes(&c);
        if (!err)
            err = check_counts(&c);
        for (size_t k = 0; !err && k < c.sharer->prediction_count; k++)
            err = check_prediction(&c, &c.sharer->predictions[k]);
    }
    if (!err)
        err = check_caches(context, s);
    if (!err)
        err = check_classes(context, s);
    return !err && s->schedules ? check_schedules(context, profile, s, c.blocks) : err;
}
