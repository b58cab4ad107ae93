// SPDX-License-Identifier: MIT
// The ranges of counts of an estimate: of a run that was traced in bursts, or of a sample of the blocks. A
// count is a sum over groups, and stands for the run in proportion to their length: that of the bursts, or
// the same for each slice of the sample. How much the groups differ gives its standard error.
#include "profile/spread.h"

#include <deja/sample.h>
#include <deja/tracing.h>

#include <math.h>
#include <stdint.h>

#include "base/ratio.h"
#include "base/sample.h"
#include "profile/sample_reach.h"

enum {
    LATER = DJ_SPREAD_GROUPS - 1,
    LEAST_GROUPS = 3,
    ERRORS = 3,
    ABSENT = 3, // a sample has one or more of so many blocks, times their weight, in 19 of 20 cases
};

_Static_assert((int)LATER == (int)DJ_SAMPLE_SLICES, "a group for each slice");

size_t dj_spread_edges(const dj_spread_kind *kind, uint64_t cut, uint64_t edges[DJ_SPREAD_EDGES])
{
    if (kind->weight_log2 == 0) {
        edges[0] = cut;
        return 1;
    }
    const double shift = dj_sample_shift(kind->weight_log2, cut, kind->together);
    const uint64_t most = UINT64_MAX - cut, by = shift < (double)most ? (uint64_t)shift : most;
    edges[0] = cut > by ? cut - by : 0;
    edges[1] = cut + by;
    return DJ_SPREAD_EDGES;
}

// An estimate with groups.
typedef struct grouped {
    const dj_profile *profile;
    const dj_attribution *a;
    const dj_tracing *tracing; // NULL: a sample of the blocks
    dj_spread_kind kind;
    double weight;
    size_t levels;
} grouped;

static bool find_estimate(const dj_profile *profile, const dj_attribution *a, grouped *e)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    const dj_sample *sample = dj_lane_sample(lane);
    *e = (grouped){.profile = profile, .a = a, .tracing = dj_lane_tracing(lane)};
    if (e->tracing)
        e->weight = e->tracing->weight;
    else if (sample)
        e->weight = (double)(UINT64_C(1) << sample->weight_log2);
    if (!e->tracing && sample)
        e->kind = (dj_spread_kind){sample->weight_log2, dj_sample_together(profile, lane)};
    e->levels = a ? dj_spread_levels(&e->kind, a->cut_count) : 0;
    return a && (e->tracing ? e->tracing->group_count == LATER : e->kind.weight_log2 > 0);
}

static uint64_t traced_accesses(const grouped *e)
{
    return e->tracing ? e->tracing->accesses : dj_lane_sample(&e->profile->lanes[0])->accesses;
}

int dj_spreads_check(dj_context *context, const dj_profile *profile, const dj_attribution *a)
{
    grouped e;
    const bool known = find_estimate(profile, a, &e);
    uint64_t left = known ? traced_accesses(&e) : 0; // of all places
    for (size_t i = 0; i < a->place_count; i++) {
        const dj_spread *s = a->places[i].tally.spread;
        if (!s)
            continue;
        bool fits = known && s->count <= 2 * e.levels * DJ_SPREAD_GROUPS;
        for (size_t j = 0; fits && j < s->count; j++) {
            fits = s->counts[j] <= left;
            left -= fits ? s->counts[j] : 0;
        }
        if (!fits)
            return dj_fail(context, DJ_ERR_INPUT, "places[%zu]: its groups do not fit those of the run", i);
    }
    return DJ_OK;
}

static uint64_t count_at(const dj_spread *s, size_t i)
{
    return i < s->count ? s->counts[i] : 0;
}

// The levels of what misses for certain, and of what may miss. At no cut: of accesses.
typedef struct levels {
    size_t certain, possible;
} levels;

// Edges may overlap, so a level is the number of edges that are not above its first distance.
static size_t level_from(const grouped *e, uint64_t distance)
{
    size_t level = 0;
    for (size_t i = 0; i < e->a->cut_count; i++) {
        uint64_t edges[DJ_SPREAD_EDGES];
        const size_t count = dj_spread_edges(&e->kind, e->a->cuts[i].blocks, edges);
        for (size_t k = 0; k < count; k++)
            level += edges[k] <= distance;
    }
    return level;
}

static levels find_levels(const grouped *e, size_t cut)
{
    uint64_t edges[DJ_SPREAD_EDGES];
    if (cut >= e->a->cut_count)
        return (levels){0, 0};
    const size_t count = dj_spread_edges(&e->kind, e->a->cuts[cut].blocks, edges);
    return (levels){level_from(e, edges[count - 1]), level_from(e, edges[0])};
}

// Misses at the cut, or accesses, of one group: at least, and at most.
static dj_row_range count_group(const grouped *e, const dj_spread *s, size_t group, levels from)
{
    const size_t known = 2 * e->levels * group, unknown = known + e->levels;
    dj_row_range r = {0, 0};
    for (size_t level = 0; level < e->levels; level++) {
        const double seen = (double)count_at(s, known + level), open = (double)count_at(s, unknown + level);
        r.low += level >= from.certain ? seen + open : 0;
        r.high += level >= from.possible ? seen + open : open;
    }
    return r;
}

typedef struct groups {
    double length[LATER];
    double sum, squares;
    size_t count;      // of those with bursts
    double correction; // the part that was traced is known
} groups;

static groups list_groups(const grouped *e)
{
    groups g = {.correction = sqrt(fmax(1 - 1 / e->weight, 0))};
    for (size_t i = 0; i < LATER; i++) {
        g.length[i] = e->tracing ? (double)e->tracing->groups[i] : 1;
        g.sum += g.length[i];
        g.squares += g.length[i] * g.length[i];
        g.count += g.length[i] > 0;
    }
    return g;
}

// Three standard errors of the ratio of a sum over groups to their length (Cochran, Sampling
// Techniques, 6.4), by Student's distribution. Long groups count more, so that there are fewer degrees of
// freedom than groups.
static double error_of(const groups *g, const double *counts, double sum)
{
    const double ratio = sum / g->sum, n = (double)g->count;
    double squares = 0;
    for (size_t i = 0; i < LATER; i++) {
        const double off = counts[i] - ratio * g->length[i];
        squares += off * off;
    }
    const double freedom = fmax(g->sum * g->sum / g->squares - 1, 1);
    return dj_ratio_student(freedom) * g->correction * sqrt(squares * n / (n - 1));
}

static double miss_ratio(const dj_lane_profile *lane, uint64_t size)
{
    const uint64_t misses = lane->cold + dj_histogram_sum(lane->distance, size, UINT64_MAX);
    return lane->accesses ? (double)misses / (double)lane->accesses : 0;
}

// The band of the curve at a size.
static dj_row_range band_at(const grouped *e, uint64_t size)
{
    const dj_lane_profile *lane = &e->profile->lanes[0];
    dj_row_range band = {0, 1};
    for (size_t i = 0; e->tracing && i < e->tracing->band_count && e->tracing->bands[i].size <= size; i++)
        band = (dj_row_range){e->tracing->bands[i].low, e->tracing->bands[i].high};
    if (e->tracing)
        return band;
    const dj_sample_reach reach = dj_sample_reach_at(e->profile, lane, size);
    return (dj_row_range){fmax(miss_ratio(lane, reach.larger) - reach.below, 0),
                          fmin(miss_ratio(lane, reach.smaller) + reach.above, 1)};
}

// Misses at the cut, or accesses, of the whole run: at least, and at most.
static dj_row_range range_of_all(const grouped *e, size_t cut)
{
    const dj_row_range ratio =
        cut < e->a->cut_count ? band_at(e, e->a->cuts[cut].blocks) : (dj_row_range){1, 1};
    const double error = e->tracing ? ERRORS * e->tracing->error : 0, all = (double)e->profile->accesses;
    return (dj_row_range){ratio.low * all * fmax(1 - error, 0), ratio.high * all * (1 + error)};
}

// A block misses in a cache of c blocks once in c + 1 accesses at most.
static double misses_of_block(const grouped *e, size_t cut)
{
    const double accesses = (double)e->profile->accesses;
    return cut < e->a->cut_count ? accesses / ((double)e->a->cuts[cut].blocks + 1) + 1 : accesses;
}

// What no group has seen may still happen: between two later bursts, in up to the longest interval and
// another, or in blocks that are not in the sample. Those have no more misses than what is not known of all.
static double most_unseen(const grouped *e, size_t cut)
{
    const dj_row_range all = range_of_all(e, cut);
    if (e->tracing)
        return fmin(e->tracing->longest + 1 / fmax((double)e->tracing->bursts - 1, 1), 1) * all.high;
    // In the head of the curve the sum is known from bursts, and says nothing about the sample. In bins, the
    // low end is not known.
    const dj_lane_profile *lane = &e->profile->lanes[0];
    const bool head = cut >= e->a->cut_count || e->a->cuts[cut].blocks < dj_lane_sample(lane)->head;
    const double unknown = head || lane->binned ? all.high : all.high - all.low;
    return fmin(ABSENT * e->weight * misses_of_block(e, cut), unknown);
}

// How many later groups have seen anything that counts.
static size_t groups_that_saw(const grouped *e, const dj_spread *s, levels from)
{
    size_t count = 0;
    for (size_t g = 1; g < DJ_SPREAD_GROUPS; g++)
        count += count_group(e, s, g, from).high > 0;
    return count;
}

// Without the first burst, which stands for itself.
static dj_row_range range_later(const grouped *e, const dj_spread *s, size_t cut)
{
    const groups g = list_groups(e);
    const levels from = find_levels(e, cut), any = {0, 0};
    double low[LATER], high[LATER], lows = 0, highs = 0;
    for (size_t i = 0; i < LATER; i++) {
        const dj_row_range r = count_group(e, s, i + 1, from);
        lows += low[i] = r.low;
        highs += high[i] = r.high;
    }
    // A sample may lack the most frequent blocks of a place, or have them: nothing else is known of its
    // accesses.
    if (g.count < LEAST_GROUPS || (!e->tracing && cut >= e->a->cut_count))
        return (dj_row_range){lows, INFINITY};
    // How many accesses one of a burst stands for is estimated, too.
    const double weight_error = e->tracing ? ERRORS * e->tracing->error : 0;
    dj_row_range range = {fmax(lows, e->weight * (1 - weight_error) * (lows - error_of(&g, low, lows))),
                          e->weight * (1 + weight_error) * (highs + error_of(&g, high, highs))};
    if (groups_that_saw(e, s, e->tracing ? any : from) < LEAST_GROUPS)
        range.high = e->tracing ? fmax(range.high, most_unseen(e, cut)) : range.high + most_unseen(e, cut);
    else if (!e->tracing) // a few with very many accesses
        range.high += ABSENT * misses_of_block(e, cut);
    return range;
}

bool dj_tally_range(const dj_profile *profile, const dj_tally *tally, size_t cut, dj_row_range *out)
{
    grouped e;
    if (!find_estimate(profile, dj_profile_attribution(profile), &e))
        return false;
    if (!tally->spread) {
        *out = (dj_row_range){0, most_unseen(&e, cut)};
        return !e.tracing || tally->accesses == 0;
    }
    // The first accesses of the first burst are those of the program.
    const double first = count_group(&e, tally->spread, 0, find_levels(&e, cut)).high;
    const dj_row_range later = range_later(&e, tally->spread, cut);
    out->low = first + later.low;
    out->high = fmax(out->low, fmin(first + later.high, range_of_all(&e, cut).high));
    return true;
}

bool dj_rows_are_estimates(const dj_profile *profile)
{
    grouped e;
    return find_estimate(profile, dj_profile_attribution(profile), &e) || dj_lane_tracing(&profile->lanes[0]);
}

bool dj_range_is_weak(const dj_row_range *range, double estimate, double whole)
{
    return range->high - range->low > fmax(estimate, 0.1 * whole);
}
