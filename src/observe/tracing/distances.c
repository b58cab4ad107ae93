// SPDX-License-Identifier: MIT
#include "observe/tracing/traced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Unknown accesses of a burst are at least at distances 0, 1, 2 and so on.
typedef struct cut_off {
    uint64_t *limits; // sorted
    size_t count, passed;
    uint64_t passed_sum;
} cut_off;

// How many of them are only known to be at a distance below this one. Distances must not decrease.
static uint64_t cut_below(cut_off *c, uint64_t distance)
{
    while (c->passed < c->count && c->limits[c->passed] <= distance)
        c->passed_sum += c->limits[c->passed++];
    return c->passed_sum + (c->count - c->passed) * distance;
}

int dj_traced_distances(const dj_traced_bursts *all, dj_context *context, const dj_histogram *seen,
                        uint64_t accesses, dj_histogram **out, uint64_t *cold)
{
    cut_off cut = {.limits = malloc((all->limit_count + 1) * sizeof *cut.limits), .count = all->limit_count};
    if (!cut.limits)
        return dj_fail_memory(context, "the bursts", all->limit_count * sizeof *cut.limits);
    if (all->limit_count)
        memcpy(cut.limits, all->limits, all->limit_count * sizeof *cut.limits);
    qsort(cut.limits, cut.count, sizeof *cut.limits, by_value);
    double longer = 1; // share of accesses with a longer distance
    uint64_t before = 0, placed = 0;
    int err = dj_histogram_create(context, out);
    for (uint64_t d = 0, n; !err && (n = dj_histogram_next(seen, &d)) != 0; d++) {
        const uint64_t followed = all->accesses - before - cut_below(&cut, d);
        longer *= 1 - (double)n / (double)followed;
        const uint64_t end = (uint64_t)llround((double)accesses * (1 - longer));
        if (end > placed)
            err = dj_histogram_add(*out, context, d, end - placed);
        placed = end > placed ? end : placed;
        before += n;
    }
    *cold = accesses - placed;
    free(cut.limits);
    if (err) {
        dj_histogram_destroy(*out);
        *out = NULL;
    }
    return err;
}

// What becomes of an unknown access: how many accesses of all it stands for, by bin.
typedef struct shares {
    double *reuses, *mean; // by bin; `mean` is the mean distance
    uint64_t *longest;
    double cold;
} shares;

static int find_shares(const dj_traced_estimate *e, dj_context *context, const dj_attribution *a, shares *to)
{
    const double unknown = e->unknown ? (double)e->unknown : 1;
    *to = (shares){.reuses = calloc(a->edge_count, sizeof *to->reuses),
                   .mean = calloc(a->edge_count, sizeof *to->mean),
                   .longest = calloc(a->edge_count, sizeof *to->longest),
                   .cold = (double)e->cold / unknown};
    if (!to->reuses || !to->mean || !to->longest)
        return dj_fail_memory(context, "the places", a->edge_count * sizeof *to->reuses);
    for (size_t i = 0; i < a->edge_count; i++) {
        const uint64_t from = a->edges[i], end = i + 1 < a->edge_count ? a->edges[i + 1] : UINT64_MAX;
        double count = 0, sum = 0;
        for (uint64_t d = from, n; (n = dj_histogram_next(e->estimated, &d)) != 0 && d < end; d++) {
            count += (double)n;
            sum += (double)n * (double)d;
            to->longest[i] = d;
        }
        to->mean[i] = count > 0 ? sum / count : (double)from;
        const double known = e->weight * (double)dj_histogram_sum(e->seen, from, end);
        to->reuses[i] = fmax(count - known, 0) / unknown;
    }
    return DJ_OK;
}

static void free_shares(shares *s)
{
    free(s->reuses);
    free(s->mean);
    free(s->longest);
}

static void set_square(dj_tally *t, double square)
{
    const double word = 18446744073709551616.0;
    t->square_high = (uint64_t)(square / word);
    t->square_low = (uint64_t)fmin(square - (double)t->square_high * word, nextafter(word, 0));
}

static int estimate_tally(const dj_traced_estimate *e, const shares *s, dj_context *context, size_t edges,
                          dj_tally *t)
{
    const double unknown = (double)t->cold;
    double sum = e->weight * (double)t->sum,
           square = e->weight * ((double)t->square_high * 18446744073709551616.0 + (double)t->square_low);
    int err = t->cold ? dj_tally_widen(t, context, 0, (uint32_t)edges) : DJ_OK;
    if (err)
        return err;
    t->cold = (uint64_t)llround(unknown * s->cold);
    t->accesses = t->cold;
    for (uint32_t i = 0; i < t->bin_count; i++) {
        const uint32_t bin = t->bin_first + i;
        const double more = unknown * s->reuses[bin];
        t->bins[i] = (uint64_t)llround(e->weight * (double)t->bins[i] + more);
        t->accesses += t->bins[i];
        sum += more * s->mean[bin];
        square += more * s->mean[bin] * s->mean[bin];
        if (t->bins[i] && more > 0 && s->longest[bin] > t->max)
            t->max = s->longest[bin];
    }
    t->writes = (uint64_t)llround(e->weight * (double)t->writes);
    t->writes = t->writes < t->accesses ? t->writes : t->accesses;
    t->sum = (uint64_t)sum;
    set_square(t, square);
    return DJ_OK;
}

int dj_traced_places(const dj_traced_estimate *e, dj_context *context, dj_attribution *a)
{
    shares s;
    int err = find_shares(e, context, a, &s);
    for (size_t i = e->first_place; !err && i < a->place_count; i++)
        err = estimate_tally(e, &s, context, a->edge_count, &a->places[i].tally);
    for (size_t i = 0; !err && i < a->pair_count; i++)
        if (a->pairs[i].to >= e->first_place)
            err = estimate_tally(e, &s, context, a->edge_count, &a->pairs[i].tally);
    free_shares(&s);
    return err;
}
