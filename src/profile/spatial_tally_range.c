// SPDX-License-Identifier: MIT
// The ranges of the reuses of a tally, found as those of the whole trace are. A count is a part of all
// accesses, whose number is known.
#include <deja/tracing.h>

#include <math.h>
#include <stdint.h>

#include "profile/spatial_range.h"

enum { LEAST_GROUPS = 3, ERRORS = 3 };

// What each group counted.
typedef struct counted {
    dj_spatial_bounds in[DJ_SPATIAL_GROUPS_MOST];
    bool saw[DJ_SPATIAL_GROUPS_MOST];
} counted;

// Levels are numbers of caches. Of an unknown distance, any cache may be too small.
static void add_by_cache(const dj_spatial_part_key *key, uint64_t count, size_t cache, dj_spatial_bounds *to)
{
    const bool effective = key->there <= cache;
    if (key->seen == DJ_SPATIAL_SEEN_POOR || key->seen == DJ_SPATIAL_SEEN_EFFECTIVE) {
        to->reuses += key->here > cache ? count : 0;
        to->effective += key->here > cache && effective ? count : 0;
    } else if (!effective) {
        to->if_not += count;
    } else if (key->seen == DJ_SPATIAL_SEEN_DOUBLE) {
        to->if_effective += count;
    } else {
        to->either += count;
    }
}

static void count_parts(const dj_spatial_parts *parts, size_t pair, unsigned bin, size_t cache, counted *to)
{
    for (size_t i = 0; parts && i < parts->count; i++) {
        const dj_spatial_part_key key = dj_spatial_unpack_key(parts->list[i].key);
        const uint64_t count = parts->list[i].count;
        const dj_spatial_part part = {key.group, (uint32_t)key.seen, key.here, key.there, count};
        if (key.pair != pair)
            continue;
        to->saw[key.group] |= !key.by_cache;
        if (key.by_cache && cache != SIZE_MAX)
            add_by_cache(&key, count, cache, &to->in[key.group]);
        else if (!key.by_cache && cache == SIZE_MAX)
            dj_spatial_add_part(&part, bin, DJ_SPATIAL_BINS, &to->in[key.group]);
    }
}

static double reuses_at_least(const dj_spatial_bounds *b)
{
    return (double)b->reuses;
}

static double reuses_at_most(const dj_spatial_bounds *b)
{
    return (double)b->reuses + (double)b->if_effective + (double)b->if_not + (double)b->either;
}

static double poor_at_least(const dj_spatial_bounds *b)
{
    return (double)b->reuses - 2 * (double)b->effective - (double)b->if_effective - (double)b->either;
}

static double poor_at_most(const dj_spatial_bounds *b)
{
    return (double)b->reuses - 2 * (double)b->effective + (double)b->if_not + (double)b->either;
}

// One end of a count; without enough groups, `otherwise`.
static double end_of(const dj_spatial *s, const dj_tracing *t, const counted *c,
                     double (*of)(const dj_spatial_bounds *), double side, double otherwise)
{
    dj_spatial_quotient q = {0};
    double all = 0, ratio;
    for (size_t g = 0; g < s->group_count; g++) {
        q.above[g] = of(&c->in[g]);
        q.below[g] = (double)s->group_accesses[g];
        all += (g == 0 ? 1 : s->group_weight) * q.below[g];
    }
    if (!dj_spatial_end(s, &q, side, 1, &ratio))
        return otherwise;
    // All accesses are estimated, too.
    const double end = ratio * all, error = ERRORS * t->error * fabs(end);
    return end + side * error;
}

// All reuses of the trace, at most.
static double most_of_all(const dj_profile *profile, const dj_tracing *t, size_t pair, unsigned bin,
                          size_t cache)
{
    const dj_spatial *s = dj_profile_spatial(profile);
    const double accesses = (double)profile->accesses * (1 + ERRORS * t->error);
    counted c = {0};
    dj_spatial_pair_bounds(&s->pairs[pair], bin, cache, c.in);
    return fmin(end_of(s, t, &c, reuses_at_most, 1, accesses), accesses);
}

// What fewer than three groups have seen may still happen between two bursts: in up to the longest interval
// and another.
static double most_unseen(const dj_profile *profile, const dj_tracing *t, const counted *c, double of_all)
{
    size_t groups = 0;
    for (size_t g = 1; g < DJ_SPATIAL_GROUPS_MOST; g++)
        groups += c->saw[g];
    const double share = t->longest + 1 / fmax((double)t->bursts - 1, 1);
    return groups < LEAST_GROUPS ? fmin(share * (double)profile->accesses * (1 + ERRORS * t->error), of_all)
                                 : 0;
}

static dj_spatial_count estimate_of(const dj_tally *tally, size_t pair, unsigned bin, size_t cache)
{
    const dj_spatial_counts *counts = tally->spatial ? &tally->spatial->pairs[pair] : NULL;
    if (!counts)
        return (dj_spatial_count){0, 0};
    return cache == SIZE_MAX ? dj_spatial_counts_from(counts, bin) : counts->caches[cache].all;
}

bool dj_tally_spatial_range(const dj_profile *profile, const dj_tally *tally, size_t pair, unsigned bin,
                            size_t cache, dj_spatial_tally_range *out)
{
    const dj_spatial *s = dj_profile_spatial(profile);
    const dj_tracing *t = dj_lane_tracing(&profile->lanes[0]);
    const dj_attribution *a = dj_profile_attribution(profile);
    dj_row_range accesses;
    counted c = {0};
    if (!a || !t || !s || !s->by_place || !dj_spatial_is_estimate(s) ||
        !dj_tally_range(profile, tally, a->cut_count, &accesses))
        return false;
    const dj_spatial_count found = estimate_of(tally, pair, bin, cache);
    const double reuses = (double)found.reuses, poor = reuses - 2 * (double)found.effective;
    count_parts(tally->spatial ? tally->spatial->parts : NULL, pair, bin, cache, &c);
    double certain = 0, most = accesses.high;
    for (size_t g = 0; g < s->group_count; g++)
        certain += reuses_at_least(&c.in[g]);
    const double unseen = fmin(most_unseen(profile, t, &c, most_of_all(profile, t, pair, bin, cache)), most);
    out->reuses.low = fmin(fmax(end_of(s, t, &c, reuses_at_least, -1, 0), certain), reuses);
    out->reuses.high = fmax(fmin(end_of(s, t, &c, reuses_at_most, 1, most), most), fmax(reuses, unseen));
    out->poor.low = fmin(fmax(end_of(s, t, &c, poor_at_least, -1, -most), -most), fmin(poor, -unseen));
    out->poor.high = fmax(fmin(end_of(s, t, &c, poor_at_most, 1, most), most), fmax(poor, unseen));
    out->score = dj_spatial_bounds_score(s, c.in, found);
    return true;
}
