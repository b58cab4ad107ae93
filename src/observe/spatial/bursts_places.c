// SPDX-License-Identifier: MIT
#include "observe/spatial/bursts_places.h"

#include <math.h>
#include <stdlib.h>

uint64_t dj_spatial_accesses(const dj_spatial_pair *pair)
{
    uint64_t all = pair->cold_both + dj_spatial_whole(pair).reuses;
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++)
        all += pair->cold[i];
    return all;
}

typedef struct share {
    double reuses, effective;
} share;

// What becomes of an unknown access of a pair: how many accesses of all it stands for.
typedef struct shares {
    share bins[DJ_SPATIAL_BINS];
    share *own, *all;    // by cache
    unsigned first, end; // bins that are not empty
} shares;

static share share_of(const dj_spatial_estimate *e, dj_spatial_count all, dj_spatial_count first,
                      dj_spatial_count known, double unknown)
{
    const double reuses = (double)all.reuses - (double)first.reuses - e->weight * (double)known.reuses;
    const double effective =
        (double)all.effective - (double)first.effective - e->weight * (double)known.effective;
    return unknown > 0 ? (share){fmax(reuses, 0) / unknown, fmax(effective, 0) / unknown} : (share){0, 0};
}

static void find_shares(const dj_spatial_estimate *e, size_t pair, shares *to)
{
    static const dj_spatial_cache no_cache = {{0, 0}, {0, 0}};
    const dj_spatial_count none = {0, 0};
    const dj_spatial_pair *all = &e->all->pairs[pair], *known = &e->known->pairs[pair];
    const dj_spatial_pair *first = e->first ? &e->first->pairs[pair] : NULL;
    const double unknown = (double)dj_spatial_accesses(known) - (double)dj_spatial_whole(known).reuses;
    to->first = DJ_SPATIAL_BINS;
    to->end = 0;
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++) {
        to->bins[i] = share_of(e, dj_spatial_row(all, i), first ? dj_spatial_row(first, i) : none,
                               dj_spatial_row(known, i), unknown);
        if (to->bins[i].reuses > 0) {
            to->first = i < to->first ? i : to->first;
            to->end = i + 1;
        }
    }
    for (size_t k = 0; k < e->all->cache_count; k++) {
        const dj_spatial_cache *before = first ? &first->caches[k] : &no_cache;
        to->own[k] = share_of(e, all->caches[k].own, before->own, known->caches[k].own, unknown);
        to->all[k] = share_of(e, all->caches[k].all, before->all, known->caches[k].all, unknown);
    }
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static dj_spatial_count grow(const dj_spatial_estimate *e, dj_spatial_count known, share of, double unknown)
{
    const uint64_t reuses = (uint64_t)llround(e->weight * (double)known.reuses + unknown * of.reuses);
    return (dj_spatial_count){reuses, at_most(reuses, (uint64_t)llround(e->weight * (double)known.effective +
                                                                        unknown * of.effective))};
}

// Keeps sums of rounded numbers within `most`. Returns what is left of it.
static uint64_t limit(dj_spatial_count *count, uint64_t most)
{
    count->reuses = at_most(count->reuses, most);
    count->effective = at_most(count->effective, count->reuses);
    return most - count->reuses;
}

static void grow_caches(const dj_spatial_estimate *e, const shares *s, double unknown, uint64_t reuses,
                        dj_spatial_cache *caches)
{
    uint64_t left = reuses;
    for (size_t k = e->all->cache_count; k-- > 0;) {
        dj_spatial_cache *c = &caches[k];
        c->own = grow(e, c->own, s->own[k], unknown);
        c->all = grow(e, c->all, s->all[k], unknown);
        left = limit(&c->own, left);
        c->all.reuses = reuses - left;
        c->all.effective = at_most(c->all.effective, c->all.reuses);
        c->own.effective = at_most(c->own.effective, c->all.effective);
    }
}

static int grow_pair(const dj_spatial_estimate *e, const shares *s, dj_context *context, uint64_t accesses,
                     dj_spatial_counts *counts)
{
    uint64_t known = 0, left = accesses;
    for (uint32_t i = 0; i < counts->bin_count; i++)
        known += counts->bins[i].reuses;
    const double unknown = fmax((double)accesses / e->weight - (double)known, 0);
    int err = unknown > 0 && s->end > 0 ? dj_spatial_counts_widen(counts, context, s->first, s->end) : DJ_OK;
    if (err)
        return err;
    for (uint32_t i = 0; i < counts->bin_count; i++) {
        counts->bins[i] = grow(e, counts->bins[i], s->bins[counts->bin_first + i], unknown);
        left = limit(&counts->bins[i], left);
    }
    grow_caches(e, s, unknown, accesses - left, counts->caches);
    return DJ_OK;
}

// Rounded down, so that strides do not exceed steps, nor used bytes those of their blocks.
static void grow_usage(const dj_spatial_estimate *e, uint64_t accesses, dj_usage *u)
{
    const double most = fmax(fmax((double)u->steps, (double)u->fetched), 1);
    const double weight = fmin(e->weight, (double)accesses / most);
    for (unsigned i = 0; i < DJ_STRIDES; i++)
        u->stride_count[i] = (uint64_t)(weight * (double)u->stride_count[i]);
    u->steps = (uint64_t)(weight * (double)u->steps);
    u->step_sum = (uint64_t)fmin(weight * (double)u->step_sum, 0x1p63);
    const uint64_t fetched = u->fetched;
    u->fetched = (uint64_t)(weight * (double)fetched);
    u->used = fetched > 0 ? (uint64_t)((double)u->fetched * ((double)u->used / (double)fetched)) : 0;
}

int dj_spatial_estimate_places(const dj_spatial_estimate *e, dj_context *context, dj_attribution *a)
{
    const size_t caches = e->all->cache_count;
    shares s = {.own = calloc(caches + 1, sizeof *s.own), .all = calloc(caches + 1, sizeof *s.all)};
    int err = s.own && s.all ? DJ_OK : dj_fail_memory(context, "the places", caches * sizeof *s.own);
    for (size_t pair = 0; !err && pair < e->all->pair_count; pair++) {
        find_shares(e, pair, &s);
        for (size_t i = e->first_place; !err && i < a->place_count; i++) {
            const dj_tally *tally = &a->places[i].tally;
            if (tally->spatial)
                err = grow_pair(e, &s, context, tally->accesses, &tally->spatial->pairs[pair]);
        }
    }
    for (size_t i = e->first_place; !err && i < a->place_count; i++)
        if (a->places[i].tally.spatial)
            grow_usage(e, a->places[i].tally.accesses, &a->places[i].tally.spatial->usage);
    free(s.own);
    free(s.all);
    return err;
}
