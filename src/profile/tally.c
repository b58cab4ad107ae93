// SPDX-License-Identifier: MIT
#include <deja/attribution.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/missed.h"

// Extends the tally to bins first to end - 1; counts are kept.
int dj_tally_widen(dj_tally *tally, dj_context *context, uint32_t first, uint32_t end)
{
    if (tally->bin_count > 0) {
        uint32_t old_end = tally->bin_first + tally->bin_count;
        first = first < tally->bin_first ? first : tally->bin_first;
        end = end > old_end ? end : old_end;
        if (first == tally->bin_first && end == old_end)
            return DJ_OK;
    }
    uint64_t *bins = calloc(end - first, sizeof *bins);
    if (!bins)
        return dj_fail(context, DJ_ERR_MEMORY, "out of memory for a histogram of %u bins", end - first);
    if (tally->bin_count > 0)
        memcpy(bins + (tally->bin_first - first), tally->bins, tally->bin_count * sizeof *bins);
    free(tally->bins);
    tally->bins = bins;
    tally->bin_first = first;
    tally->bin_count = end - first;
    return DJ_OK;
}

static uint64_t reuses(const dj_tally *tally)
{
    return tally->accesses - tally->cold;
}

static int add_spatial(dj_tally *tally, dj_context *context, const dj_spatial_tally *other)
{
    int err = tally->spatial
                  ? DJ_OK
                  : dj_spatial_tally_create(context, other->pair_count, other->cache_count, &tally->spatial);
    return err ? err : dj_spatial_tally_add(tally->spatial, context, other);
}

int dj_sharing_tally_create(dj_context *context, size_t cache_count, dj_sharing_tally **out)
{
    dj_sharing_tally *tally = calloc(1, sizeof *tally);
    dj_sharing_misses *caches = calloc(cache_count + 1, sizeof *caches);
    if (!tally || !caches) {
        free(tally);
        free(caches);
        return dj_fail_memory(context, "the sharing of a place", cache_count * sizeof *caches);
    }
    tally->caches = caches;
    tally->cache_count = cache_count;
    *out = tally;
    return DJ_OK;
}

void dj_sharing_tally_add(dj_sharing_tally *tally, const dj_sharing_tally *other)
{
    dj_sharing_counts *to = &tally->counts;
    const dj_sharing_counts *from = &other->counts;
    to->broken += from->broken;
    to->shortened += from->shortened;
    to->stretched += from->stretched;
    to->found += from->found;
    to->true_sharing += from->true_sharing;
    to->false_sharing += from->false_sharing;
    tally->sharers |= other->sharers;
    for (size_t i = 0; i < tally->cache_count && i < other->cache_count; i++) {
        tally->caches[i].misses += other->caches[i].misses;
        tally->caches[i].cold += other->caches[i].cold;
        tally->caches[i].invalidated += other->caches[i].invalidated;
        tally->caches[i].alone += other->caches[i].alone;
    }
}

static int add_sharing(dj_tally *tally, dj_context *context, const dj_sharing_tally *other)
{
    int err = tally->sharing ? DJ_OK : dj_sharing_tally_create(context, other->cache_count, &tally->sharing);
    if (!err)
        dj_sharing_tally_add(tally->sharing, other);
    return err;
}

int dj_spread_create(dj_context *context, size_t count, dj_spread **out)
{
    dj_spread *spread = calloc(1, sizeof *spread);
    uint64_t *counts = calloc(count + 1, sizeof *counts);
    if (!spread || !counts) {
        free(spread);
        free(counts);
        return dj_fail_memory(context, "the bursts of a place", count * sizeof *counts);
    }
    spread->counts = counts;
    spread->count = count;
    *out = spread;
    return DJ_OK;
}

void dj_spread_destroy(dj_spread *spread)
{
    if (spread)
        free(spread->counts);
    free(spread);
}

static int add_spread(dj_tally *tally, dj_context *context, const dj_spread *other)
{
    dj_spread *to = tally->spread;
    if (!to || to->count < other->count) {
        int err = dj_spread_create(context, other->count, &tally->spread);
        if (err)
            return err;
        for (size_t i = 0; to && i < to->count; i++)
            tally->spread->counts[i] = to->counts[i];
        dj_spread_destroy(to);
    }
    for (size_t i = 0; i < other->count; i++)
        tally->spread->counts[i] += other->counts[i];
    return DJ_OK;
}

static int add_levels(dj_tally *tally, dj_context *context, const dj_level_tally *other)
{
    dj_level_tally *to = tally->levels;
    if (!to) {
        int err = dj_level_tally_create(context, other->level_count, &to);
        if (err)
            return err;
        tally->levels = to;
    }
    for (size_t i = 0; i < to->level_count && i < other->level_count; i++)
        dj_level_counts_add(&to->levels[i], &other->levels[i]);
    return DJ_OK;
}

int dj_tally_add(dj_tally *tally, dj_context *context, const dj_tally *other)
{
    if (other->bin_count > 0) {
        int err = dj_tally_widen(tally, context, other->bin_first, other->bin_first + other->bin_count);
        if (err)
            return err;
        uint64_t *to = tally->bins + (other->bin_first - tally->bin_first);
        for (uint32_t i = 0; i < other->bin_count; i++)
            to[i] += other->bins[i];
    }
    if (other->spatial) {
        int err = add_spatial(tally, context, other->spatial);
        if (err)
            return err;
    }
    if (other->sharing) {
        int err = add_sharing(tally, context, other->sharing);
        if (err)
            return err;
    }
    if (other->spread) {
        int err = add_spread(tally, context, other->spread);
        if (err)
            return err;
    }
    if (other->levels) {
        int err = add_levels(tally, context, other->levels);
        if (err)
            return err;
    }
    if (other->missed) {
        int err = dj_miss_counts_add(&tally->missed, context, other->missed);
        if (err)
            return err;
    }
    if (reuses(other) > 0) {
        bool first = reuses(tally) == 0;
        tally->min = first || other->min < tally->min ? other->min : tally->min;
        tally->max = first || other->max > tally->max ? other->max : tally->max;
    }
    tally->accesses += other->accesses;
    tally->cold += other->cold;
    tally->writes += other->writes;
    tally->sum += other->sum;
    tally->square_low += other->square_low;
    tally->square_high += other->square_high + (tally->square_low < other->square_low);
    return DJ_OK;
}

// The range of distances [*lo, *end) of bin `bin` that a tally can contain.
static void bin_range(const dj_tally *tally, const dj_attribution *a, uint32_t bin, double *lo, double *end)
{
    *lo = (double)a->edges[bin];
    *end = bin + 1 < a->edge_count ? (double)a->edges[bin + 1] : (double)tally->max + 1;
    *lo = fmax(*lo, (double)tally->min);
    *end = fmin(*end, (double)tally->max + 1);
}

static double median(const dj_tally *tally, const dj_attribution *a)
{
    double half = (double)reuses(tally) / 2, below = 0;
    for (uint32_t i = 0; i < tally->bin_count; i++) {
        double in_bin = (double)tally->bins[i];
        if (below + in_bin >= half && in_bin > 0) {
            double lo, end;
            bin_range(tally, a, tally->bin_first + i, &lo, &end);
            return end - lo <= 1 ? lo : lo + (end - 1 - lo) * (half - below) / in_bin;
        }
        below += in_bin;
    }
    return (double)tally->max;
}

dj_moments dj_tally_moments(const dj_tally *tally, const dj_attribution *a)
{
    dj_moments m = {.count = reuses(tally)};
    if (m.count == 0)
        return m;
    double n = (double)m.count;
    double squares = ldexp((double)tally->square_high, 64) + (double)tally->square_low;
    m.min = tally->min;
    m.max = tally->max;
    m.mean = (double)tally->sum / n;
    m.std = sqrt(fmax(0, squares / n - m.mean * m.mean));
    m.median = median(tally, a);
    return m;
}

// The first edge that is not below `blocks`.
static size_t edge_at(const dj_attribution *a, uint64_t blocks)
{
    size_t lo = 0, hi = a->edge_count;
    while (lo < hi) {
        size_t middle = (lo + hi) / 2;
        if (a->edges[middle] < blocks)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

double dj_tally_misses(const dj_tally *tally, const dj_attribution *a, uint64_t blocks)
{
    size_t edge = edge_at(a, blocks);
    uint64_t whole = tally->cold;
    for (size_t bin = edge > tally->bin_first ? edge - tally->bin_first : 0; bin < tally->bin_count; bin++)
        whole += tally->bins[bin];
    size_t cut = edge - 1; // the bin that contains `blocks`, unless it is an edge
    if (edge == 0 || (edge < a->edge_count && a->edges[edge] == blocks) || cut < tally->bin_first ||
        cut - tally->bin_first >= tally->bin_count)
        return (double)whole;
    double lo, end;
    bin_range(tally, a, (uint32_t)cut, &lo, &end);
    double share = end > lo ? (end - (double)blocks) / (end - lo) : 0;
    return (double)whole + (double)tally->bins[cut - tally->bin_first] * fmin(1, fmax(0, share));
}
