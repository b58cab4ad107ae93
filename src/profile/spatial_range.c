// SPDX-License-Identifier: MIT
// The error of estimates of spatial locality, from how much groups of bursts differ and from what they leave
// open. Accesses whose distance is unknown count against the estimate at either end.
#include "profile/spatial_range.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/ratio.h"

enum { FEWEST = 3 }; // groups, for a standard error

static double weight_of(const dj_spatial *s, size_t group)
{
    return group == 0 ? 1 : s->group_weight;
}

// The number of groups of the same size that would be as precise.
static double effective_groups(const dj_spatial *s, const dj_spatial_quotient *q)
{
    double sum = 0, squares = 0;
    for (size_t g = 1; g < s->group_count; g++) {
        sum += q->below[g];
        squares += q->below[g] * q->below[g];
    }
    return squares > 0 ? sum * sum / squares : 0;
}

// Deviations of the groups from the ratio are themselves ratios, to their accesses: how many accesses all
// groups stand for is known.
bool dj_spatial_end(const dj_spatial *s, const dj_spatial_quotient *q, double side, double most, double *end)
{
    double above = 0, below = 0, off = 0, accesses = 0;
    for (size_t g = 0; g < s->group_count; g++) {
        above += weight_of(s, g) * q->above[g];
        below += weight_of(s, g) * q->below[g];
    }
    const double ratio = below > 0 ? above / below : 0, groups = effective_groups(s, q);
    if (!(groups >= FEWEST))
        return false;
    dj_ratio_sums sums = {0};
    for (size_t g = 1; g < s->group_count; g++) {
        const double deviation = q->above[g] - ratio * q->below[g], n = (double)s->group_accesses[g];
        off += deviation;
        accesses += n;
        sums.squares += deviation * deviation;
        sums.products += deviation * n;
        sums.lengths += n * n;
    }
    const double count = (double)(s->group_count - 1);
    const double error = dj_ratio_error(&sums, off / accesses, count, accesses) * accesses;
    // A burst ends anywhere in what repeats, so groups that do not differ may still be wrong by an access.
    const double all = (dj_ratio_student(groups - 1) * error + most * count) * s->group_weight / below;
    *end = ratio + side * all;
    return true;
}

// Of a ratio from 0 to `most`.
static double end_of(const dj_spatial *s, const dj_spatial_quotient *q, double side, double most)
{
    double end;
    if (!dj_spatial_end(s, q, side, most, &end))
        return side < 0 ? 0 : most;
    return fmin(fmax(end, 0), most);
}

// Bounds of a range, by group.
typedef struct counted {
    dj_spatial_bounds in[DJ_SPATIAL_GROUPS_MOST]; // the range
    dj_spatial_bounds all[DJ_SPATIAL_GROUPS_MOST];
} counted;

void dj_spatial_add_part(const dj_spatial_part *part, unsigned from, unsigned end, dj_spatial_bounds *to)
{
    const unsigned least = part->here > from ? part->here : from;
    if (part->here >= end)
        return;
    switch ((enum dj_spatial_seen)part->seen) {
    case DJ_SPATIAL_SEEN_POOR:
    case DJ_SPATIAL_SEEN_EFFECTIVE:
        to->reuses += part->here >= from ? part->count : 0;
        to->effective += part->here >= from && part->seen == DJ_SPATIAL_SEEN_EFFECTIVE ? part->count : 0;
        return;
    case DJ_SPATIAL_SEEN_DOUBLE:
        if (part->there + DJ_SPATIAL_STEP <= least)
            to->if_effective += part->count;
        else if (part->there + DJ_SPATIAL_STEP >= end)
            to->if_not += part->count;
        else
            to->either += part->count;
        return;
    case DJ_SPATIAL_SEEN_NEITHER:
        // Blocks of 2b are at least half as many, so the bin at 2b is at most one lower.
        if (part->here + DJ_SPATIAL_STEP > end)
            to->if_not += part->count;
        else
            to->either += part->count;
        return;
    }
}

static void count_bins(const dj_spatial_pair *pair, unsigned from, unsigned end, counted *c)
{
    *c = (counted){0};
    for (size_t i = 0; i < pair->part_count; i++) {
        dj_spatial_add_part(&pair->parts[i], from, end, &c->in[pair->parts[i].group]);
        dj_spatial_add_part(&pair->parts[i], 0, DJ_SPATIAL_BINS, &c->all[pair->parts[i].group]);
    }
}

static void count_cache(const dj_spatial_pair *pair, size_t cache, bool own, counted *c)
{
    count_bins(pair, 0, DJ_SPATIAL_BINS, c);
    for (size_t i = 0; i < pair->part_cache_count; i++)
        if (pair->part_caches[i].cache == cache)
            c->in[pair->part_caches[i].group] = own ? pair->part_caches[i].own : pair->part_caches[i].all;
}

static double unknown(const dj_spatial_bounds *b)
{
    return (double)b->if_effective + (double)b->if_not + (double)b->either;
}

static dj_spatial_range around(dj_spatial_range range, double estimate)
{
    return (dj_spatial_range){fmin(range.low, estimate), fmax(range.high, estimate)};
}

void dj_spatial_pair_bounds(const dj_spatial_pair *pair, unsigned bin, size_t cache, dj_spatial_bounds *in)
{
    counted c;
    if (cache == SIZE_MAX)
        count_bins(pair, bin, DJ_SPATIAL_BINS, &c);
    else
        count_cache(pair, cache, false, &c);
    memcpy(in, c.in, sizeof c.in);
}

// At the low end those that may be effective are not, or are no reuses; at the high end they are.
dj_spatial_range dj_spatial_bounds_score(const dj_spatial *s, const dj_spatial_bounds *in,
                                         dj_spatial_count estimate)
{
    enum { MOST = 2 };
    dj_spatial_quotient low = {0}, high = {0};
    for (size_t g = 0; g < s->group_count; g++) {
        const dj_spatial_bounds *b = &in[g];
        const double more = (double)b->if_effective + (double)b->either;
        low.above[g] = 2 * (double)b->effective;
        low.below[g] = (double)b->reuses + (double)b->if_not + (double)b->either;
        high.above[g] = 2 * ((double)b->effective + more);
        high.below[g] = (double)b->reuses + more;
    }
    const dj_spatial_range range = {end_of(s, &low, -1, MOST), end_of(s, &high, 1, MOST)};
    return estimate.reuses ? around(range, dj_spatial_score(estimate.reuses, estimate.effective)) : range;
}

// Those that may belong to the range are other reuses at the low end; at the high end they belong to it, and
// nothing else that is unknown is a reuse.
static dj_spatial_range share_range(const dj_spatial *s, const counted *c, uint64_t estimate, uint64_t whole)
{
    dj_spatial_quotient low = {0}, high = {0};
    for (size_t g = 0; g < s->group_count; g++) {
        low.above[g] = (double)c->in[g].reuses;
        low.below[g] = (double)c->all[g].reuses + unknown(&c->all[g]);
        high.above[g] = (double)c->in[g].reuses + unknown(&c->in[g]);
        high.below[g] = (double)c->all[g].reuses + unknown(&c->in[g]);
    }
    const dj_spatial_range range = {end_of(s, &low, -1, 1), end_of(s, &high, 1, 1)};
    return whole ? around(range, (double)estimate / (double)whole) : range;
}

static dj_spatial_count sum_rows(const dj_spatial_pair *pair, unsigned from, unsigned end)
{
    dj_spatial_count sum = {0, 0};
    for (unsigned bin = from; bin < end; bin++) {
        const dj_spatial_count row = dj_spatial_row(pair, bin);
        sum.reuses += row.reuses;
        sum.effective += row.effective;
    }
    return sum;
}

static dj_spatial_count cache_count(const dj_spatial_pair *pair, size_t cache, bool own)
{
    return own ? pair->caches[cache].own : pair->caches[cache].all;
}

dj_spatial_range dj_spatial_score_range(const dj_spatial *spatial, size_t pair, unsigned from, unsigned end)
{
    counted c;
    count_bins(&spatial->pairs[pair], from, end, &c);
    return dj_spatial_bounds_score(spatial, c.in, sum_rows(&spatial->pairs[pair], from, end));
}

dj_spatial_range dj_spatial_share_range(const dj_spatial *spatial, size_t pair, unsigned from, unsigned end)
{
    counted c;
    const dj_spatial_pair *p = &spatial->pairs[pair];
    count_bins(p, from, end, &c);
    return share_range(spatial, &c, sum_rows(p, from, end).reuses, dj_spatial_whole(p).reuses);
}

dj_spatial_range dj_spatial_cache_score_range(const dj_spatial *spatial, size_t pair, size_t cache, bool own)
{
    counted c;
    count_cache(&spatial->pairs[pair], cache, own, &c);
    return dj_spatial_bounds_score(spatial, c.in, cache_count(&spatial->pairs[pair], cache, own));
}

dj_spatial_range dj_spatial_cache_share_range(const dj_spatial *spatial, size_t pair, size_t cache, bool own)
{
    counted c;
    const dj_spatial_pair *p = &spatial->pairs[pair];
    count_cache(p, cache, own, &c);
    return share_range(spatial, &c, cache_count(p, cache, own).reuses, dj_spatial_whole(p).reuses);
}

dj_spatial_range dj_spatial_all_blocks_range(const dj_spatial *spatial)
{
    dj_spatial_range sum = {0, 0};
    double weights = 0;
    for (size_t i = 0; i < spatial->pair_count; i++) {
        const double weight = 1.0 / (double)spatial->pairs[i].block_bytes;
        const dj_spatial_range range = dj_spatial_score_range(spatial, i, 0, DJ_SPATIAL_BINS);
        sum.low += weight * range.low;
        sum.high += weight * range.high;
        weights += weight;
    }
    return weights > 0 ? (dj_spatial_range){sum.low / weights, sum.high / weights} : sum;
}
