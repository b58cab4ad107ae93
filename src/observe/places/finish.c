// SPDX-License-Identifier: MIT
// Converts the counts of observer `places` to an attribution without names.
#include "observe/places/places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bins are allocated eight at a time.
static void trim(dj_tally *t)
{
    uint32_t empty = 0;
    while (empty < t->bin_count && t->bins[empty] == 0)
        empty++;
    while (t->bin_count > empty && t->bins[t->bin_count - 1] == 0)
        t->bin_count--;
    t->bin_first += empty;
    t->bin_count -= empty;
    if (empty > 0)
        memmove(t->bins, t->bins + empty, t->bin_count * sizeof *t->bins);
}

// A copy, completed with the sums that `count` postpones.
static int close_tally(const dj_tally *t, dj_context *context, dj_tally *to)
{
    dj_tally out = *t;
    // Rows that count nothing are dropped later, and own nothing.
    out.bins = t->bin_count ? malloc(t->bin_count * sizeof *out.bins) : NULL;
    if (t->bin_count && !out.bins)
        return dj_fail_memory(context, "the places", t->bin_count * sizeof *out.bins);
    if (t->bin_count)
        memcpy(out.bins, t->bins, t->bin_count * sizeof *out.bins);
    out.accesses = out.cold;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < out.bin_count; i++) {
        uint64_t n = out.bins[i], value = out.bin_first + i;
        out.accesses += n;
        if (n == 0 || value >= DJ_BINS_SINGLE)
            continue;
        least = value < least ? value : least;
        out.sum += n * value;
        unsigned __int128 squares = (unsigned __int128)n * (value * value);
        out.square_low += (uint64_t)squares;
        out.square_high += (uint64_t)(squares >> 64) + (out.square_low < (uint64_t)squares);
    }
    out.min = least != UINT64_MAX ? least : out.min;
    trim(&out);
    *to = out;
    return DJ_OK;
}

int dj_places_add_short(dj_tally *t, dj_context *context, const dj_place_short *s)
{
    uint64_t reuses[DJ_PLACE_SHORT], writes = 0, any = 0;
    for (unsigned d = 0; d <= DJ_PLACE_SHORT; d++)
        writes += s->accesses[1][d];
    for (unsigned d = 0; d < DJ_PLACE_SHORT; d++)
        any |= reuses[d] = (uint64_t)s->accesses[0][d] + s->accesses[1][d];
    int err = any ? dj_tally_widen(t, context, 0, DJ_BINS_SINGLE) : DJ_OK;
    if (err)
        return err;
    for (unsigned d = 0; any && d < DJ_PLACE_SHORT; d++) {
        t->bins[d] += reuses[d];
        t->max = reuses[d] && d > t->max ? d : t->max;
    }
    t->writes += writes;
    return DJ_OK;
}

int dj_places_spill(dj_places *p, dj_context *context)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < p->row_capacity; i++) {
        err = dj_places_add_short(&p->rows[i].tally, context, &p->shorts[i]);
        if (!err)
            p->shorts[i] = (dj_place_short){0};
    }
    return err;
}

static int by_places(const void *a, const void *b)
{
    const dj_place_count *x = *(dj_place_count *const *)a, *y = *(dj_place_count *const *)b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->carrier < y->carrier ? -1 : x->carrier > y->carrier;
}

// Also adds the pair to its place.
static int finish_pair(const dj_place_count *r, dj_context *context, dj_attribution *a)
{
    dj_pair_row *pair = &a->pairs[a->pair_count];
    *pair = (dj_pair_row){.from = r->from,
                          .to = r->to,
                          .carried = dj_carrier_kind(r->carrier),
                          .carrier = dj_carrier_site(r->carrier)};
    int err = close_tally(&r->tally, context, &pair->tally);
    if (err)
        return err;
    a->pair_count++;
    dj_place_row *place = &a->places[r->to];
    dj_place_note(&place->tally, &place->address, pair->tally.max, r->example);
    uint64_t writes = place->tally.writes; // includes those of the pair
    err = dj_tally_add(&place->tally, context, &pair->tally);
    place->tally.writes = writes;
    return err;
}

// In an order that does not depend on which pair was met first.
static int finish_pairs(const dj_places *p, dj_context *context, dj_attribution *a)
{
    const dj_place_count **order = malloc((p->pair_count + 1) * sizeof *order);
    a->pairs = calloc(p->pair_count + 1, sizeof *a->pairs);
    int err = order && a->pairs ? DJ_OK : dj_fail_memory(context, "the reuse pairs", 0);
    for (size_t i = 0; !err && i < p->pair_count; i++)
        order[i] = &p->pairs[i];
    if (!err)
        qsort(order, p->pair_count, sizeof *order, by_places);
    for (size_t i = 0; !err && i < p->pair_count; i++)
        err = finish_pair(order[i], context, a);
    free(order);
    return err;
}

static int finish_places(dj_places *p, dj_context *context, dj_attribution *a)
{
    uint32_t n = p->table->count;
    int err = dj_places_spill(p, context);
    if (err)
        return err;
    a->places = calloc((size_t)n + 1, sizeof *a->places);
    if (!a->places)
        return dj_fail_memory(context, "the places", n * sizeof *a->places);
    a->place_count = n;
    for (uint32_t i = 0; !err && i < n; i++) {
        const dj_place *place = dj_place_get(p->table, i);
        a->places[i] =
            (dj_place_row){.site = place->site, .cct_node = place->cct_node, .object = place->object};
        if (i < p->row_capacity) {
            err = close_tally(&p->rows[i].tally, context, &a->places[i].tally);
            a->places[i].address = p->rows[i].example;
            if (!err && p->rows[i].misses)
                err = dj_places_copy_misses(p->rows[i].misses, context, &a->places[i].tally.missed);
        }
    }
    if (!err)
        err = finish_pairs(p, context, a);
    for (uint32_t i = 0; i < n; i++)
        a->places[i].address = a->places[i].address ? ~a->places[i].address : 0;
    return err;
}

static int copy_sketch(dj_context *context, const dj_sketch *from, dj_sketch **to)
{
    *to = from ? malloc(sizeof *from) : NULL;
    if (*to)
        **to = *from;
    return *to || !from ? DJ_OK : dj_fail_memory(context, "a sketch", sizeof *from);
}

// Up to the last entry in use; the capacity depends on the order in which entries came.
static size_t group_count(const dj_place_group *g)
{
    size_t n = g->capacity;
    while (n > 0 && g->distinct[n - 1] == 0)
        n--;
    return n;
}

static size_t sketch_count(const dj_place_sketches *s)
{
    size_t n = s->capacity;
    while (n > 0 && !s->list[n - 1].sketch)
        n--;
    return n;
}

static int finish_distinct(const dj_places *p, dj_context *context, dj_attribution *a)
{
    a->objects = calloc(p->objects.capacity + 1, sizeof *a->objects);
    a->threads = calloc(p->threads.capacity + 1, sizeof *a->threads);
    a->sites = calloc(p->sites.capacity + 1, sizeof *a->sites);
    a->cct = calloc(p->cct.capacity + 1, sizeof *a->cct);
    if (!a->objects || !a->threads || !a->sites || !a->cct)
        return dj_fail_memory(context, "the places", 0);
    a->object_count = group_count(&p->objects);
    a->thread_count = group_count(&p->threads);
    a->site_count = sketch_count(&p->sites);
    a->cct_count = sketch_count(&p->cct);
    for (size_t i = 0; i < a->object_count; i++)
        a->objects[i].distinct = p->objects.distinct[i];
    for (size_t i = 0; i < a->thread_count; i++)
        a->threads[i].distinct = p->threads.distinct[i];
    int err = DJ_OK;
    for (size_t i = 0; !err && i < a->site_count; i++)
        err = copy_sketch(context, p->sites.list[i].sketch, &a->sites[i].sketch);
    for (size_t i = 0; !err && i < a->cct_count; i++)
        err = copy_sketch(context, p->cct.list[i].sketch, &a->cct[i].sketch);
    return err;
}

static int finish_bins(const dj_places *p, dj_context *context, dj_attribution *a)
{
    a->cuts = calloc(p->cut_count + 1, sizeof *a->cuts);
    if (!a->cuts)
        return dj_fail_memory(context, "the places", 0);
    for (a->cut_count = 0; a->cut_count < p->cut_count; a->cut_count++) {
        a->cuts[a->cut_count].blocks = p->cuts[a->cut_count];
        a->cuts[a->cut_count].name = strdup("");
        if (!a->cuts[a->cut_count].name)
            return dj_fail_memory(context, "the places", 0);
    }
    a->edges = malloc((p->bins.count + 1) * sizeof *a->edges);
    if (!a->edges)
        return dj_fail_memory(context, "the places", 0);
    memcpy(a->edges, p->bins.edges, p->bins.count * sizeof *a->edges);
    a->edge_count = p->bins.count;
    a->pair_from = p->pair_from;
    return DJ_OK;
}

// Each access in a sample of the blocks stands for as many as its block. Its distance is that among all.
static void weigh_tally(dj_tally *t, unsigned log2)
{
    t->accesses <<= log2;
    t->cold <<= log2;
    t->writes <<= log2;
    t->sum <<= log2;
    t->square_high = log2 ? t->square_high << log2 | t->square_low >> (64 - log2) : t->square_high;
    t->square_low <<= log2;
    for (uint32_t i = 0; i < t->bin_count; i++)
        t->bins[i] <<= log2;
}

static void weigh(dj_attribution *a, unsigned log2)
{
    for (size_t i = 0; i < a->place_count; i++)
        weigh_tally(&a->places[i].tally, log2);
    for (size_t i = 0; i < a->pair_count; i++)
        weigh_tally(&a->pairs[i].tally, log2);
    for (size_t i = 0; i < a->object_count; i++)
        a->objects[i].distinct <<= log2;
    for (size_t i = 0; i < a->thread_count; i++)
        a->threads[i].distinct <<= log2;
}

int dj_places_finish(void *state, dj_context *context, dj_profile *profile)
{
    dj_places *p = state;
    dj_attribution *a = NULL;
    int err = dj_profile_add_section(context, profile, &dj_section_attribution, &a);
    if (!err)
        err = finish_bins(p, context, a);
    if (!err)
        err = finish_distinct(p, context, a);
    if (!err)
        err = finish_places(p, context, a);
    if (!err)
        weigh(a, (unsigned)-lround(log2(profile->lanes[0].id.sampling)));
    return err;
}
