// SPDX-License-Identifier: MIT
// Distances by place, long reuses by pairs of places, and how many blocks each
// object, thread, site and context touched. The previous place of a block is
// what the engine returns as its tag.
//
// How many blocks an object touched is exact and needs no set of all of them: a
// block is counted for an object that comes to it from another one, unless that
// object was seen to leave it before; only blocks that were ever left are kept.
#include "observe/places.h"

#include "base/grow.h"
#include "observe/observers.h"
#include <deja/observer_options.h>

#include <stdlib.h>
#include <string.h>

static void destroy(void *state)
{
    dj_places *p = state;
    if (!p)
        return;
    for (size_t i = 0; i < p->row_capacity; i++)
        dj_tally_free(&p->rows[i].tally);
    for (size_t i = 0; i < p->pair_count; i++)
        dj_tally_free(&p->pairs[i].tally);
    for (size_t i = 0; i < p->sites.capacity; i++)
        free(p->sites.list[i].sketch);
    for (size_t i = 0; i < p->contexts.capacity; i++)
        free(p->contexts.list[i].sketch);
    free(p->rows);
    free(p->pairs);
    free(p->sites.list);
    free(p->contexts.list);
    free(p->objects.distinct);
    free(p->threads.distinct);
    dj_triples_destroy(&p->objects.left);
    dj_triples_destroy(&p->threads.left);
    dj_map_destroy(&p->pair_ids);
    dj_binning_destroy(&p->bins);
    free(p->cuts);
    free(p);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    const dj_places_options *o = setup->options;
    if (!o || !o->places)
        return dj_fail(context, DJ_ERR_USAGE, "observer places needs a table of places");
    dj_places *p = calloc(1, sizeof *p);
    if (!p)
        return dj_fail_memory(context, "the places", sizeof *p);
    p->table = o->places;
    p->cut_count = o->cut_count;
    p->pair_from = o->pair_from ? o->pair_from : o->cut_count ? o->cuts[0] : 0;
    p->cuts = calloc(o->cut_count + 1, sizeof *p->cuts);
    int err = p->cuts ? DJ_OK : dj_fail_memory(context, "the places", 0);
    if (!err && o->cut_count)
        memcpy(p->cuts, o->cuts, o->cut_count * sizeof *p->cuts);
    if (!err)
        err = dj_binning_create(&p->bins, context, o->cuts, o->cut_count);
    if (!err)
        err = dj_map_create(&p->pair_ids, context, &p->footprint, 0);
    if (!err)
        err = dj_triples_create(&p->objects.left, context);
    if (!err)
        err = dj_triples_create(&p->threads.left, context);
    if (err) {
        destroy(p);
        return err;
    }
    *state = p;
    return DJ_OK;
}

static int widen(dj_tally *t, dj_context *context, unsigned bin)
{
    unsigned first = bin & ~7u, end = (bin | 7u) + 1;
    return dj_tally_widen(t, context, first, end);
}

// Sums of distances that are alone in their bin are made at the end.
static inline int count(const dj_places *p, dj_context *context, dj_place_count *r, uint64_t distance,
                        uint64_t address)
{
    dj_tally *t = &r->tally;
    unsigned bin = distance < DJ_BINS_SINGLE ? (unsigned)distance : dj_bin_of(&p->bins, distance);
    if (bin - t->bin_first >= t->bin_count) {
        int err = widen(t, context, bin);
        if (err)
            return err;
    }
    t->bins[bin - t->bin_first]++;
    if (distance >= DJ_BINS_SINGLE) {
        t->sum += distance;
        unsigned __int128 square = (unsigned __int128)distance * distance;
        t->square_low += (uint64_t)square;
        t->square_high += (uint64_t)(square >> 64) + (t->square_low < (uint64_t)square);
        t->min = distance < t->min || t->min == 0 ? distance : t->min;
    }
    if (distance > t->max || r->address == 0) {
        t->max = distance;
        r->address = address;
    }
    return DJ_OK;
}

// The row of a pair of places.
static int find_pair(dj_places *p, dj_context *context, uint32_t from, uint32_t to, dj_place_count **out)
{
    dj_place_count *place = &p->rows[to];
    if (place->last_pair == 0 || place->last_from != from) {
        uint64_t *index = dj_map_at(&p->pair_ids, context, (uint64_t)from << 32 | to);
        if (!index)
            return DJ_ERR_MEMORY;
        if (*index == 0) {
            *index = 1; // a value, should memory be out
            int err = dj_grow(context, "the reuse pairs", &p->pairs, &p->pair_capacity, p->pair_count + 1,
                              sizeof *p->pairs);
            if (err)
                return err;
            p->pairs[p->pair_count] = (dj_place_count){.from = from, .to = to};
            *index = ++p->pair_count;
        }
        place->last_from = from;
        place->last_pair = (uint32_t)*index;
    }
    *out = &p->pairs[place->last_pair - 1];
    return DJ_OK;
}

// A block that `id` comes to; it was at `from` before, or nowhere.
static int come(dj_place_group *g, dj_context *context, uint32_t id, uint32_t from, uint64_t key, bool cold)
{
    int err = dj_grow(context, "the counts of blocks", &g->distinct, &g->capacity, (size_t)id + 1,
                      sizeof *g->distinct);
    if (err)
        return err;
    if (!cold) {
        uint32_t *left = dj_triples_at(&g->left, context, from, (uint32_t)key, (uint32_t)(key >> 32));
        if (!left)
            return DJ_ERR_MEMORY;
        *left = 0;
        if (dj_triples_probe(&g->left, id, (uint32_t)key, (uint32_t)(key >> 32))->value != DJ_TRIPLE_FREE)
            return DJ_OK;
    }
    g->distinct[id]++;
    return DJ_OK;
}

static int sketch(dj_place_sketches *s, dj_context *context, uint32_t id, uint64_t key)
{
    if (id >= s->capacity) {
        int err = dj_grow(context, "the sketches", &s->list, &s->capacity, (size_t)id + 1, sizeof *s->list);
        if (err)
            return err;
    }
    dj_place_sketch *to = &s->list[id];
    if (to->last == key && to->sketch)
        return DJ_OK;
    if (!to->sketch && !(to->sketch = calloc(1, sizeof *to->sketch)))
        return dj_fail_memory(context, "a sketch", sizeof *to->sketch);
    to->last = key;
    dj_sketch_add(to->sketch, key);
    return DJ_OK;
}

// A block whose last access was at another place, or never.
static int move(dj_places *p, dj_context *context, uint32_t to, uint32_t from, uint64_t key, bool cold)
{
    const dj_place *here = dj_place_get(p->table, to), *there = cold ? here : dj_place_get(p->table, from);
    int err = DJ_OK;
    if (cold || here->object != there->object)
        err = come(&p->objects, context, here->object, there->object, key, cold);
    if (!err && (cold || here->thread != there->thread))
        err = come(&p->threads, context, here->thread, there->thread, key, cold);
    if (!err && (cold || here->site != there->site))
        err = sketch(&p->sites, context, here->site, key);
    if (!err && (cold || here->context != there->context))
        err = sketch(&p->contexts, context, here->context, key);
    return err;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    dj_places *p = state;
    const dj_batch *batch = view->batch;
    const dj_lane_view *lane = &view->lanes[0];
    const uint32_t *place = batch->column.place;
    const uint8_t *kind = batch->column.kind;
    if (!place)
        return dj_fail(context, DJ_ERR_USAGE, "observer places saw an access without a place");
    for (uint32_t i = 0; i < batch->count; i++) {
        uint32_t here = place[i];
        uint64_t distance = lane->distance[i];
        int err = DJ_OK;
        if (here >= p->row_capacity)
            err =
                dj_grow(context, "the places", &p->rows, &p->row_capacity, (size_t)here + 1, sizeof *p->rows);
        if (err)
            return err;
        dj_place_count *r = &p->rows[here];
        bool cold = distance == DJ_COLD;
        if (!cold && distance >= p->pair_from)
            err = find_pair(p, context, lane->prev_tag[i], here, &r);
        r->tally.writes += kind && kind[i] != DJ_KIND_READ;
        if (cold)
            r->tally.cold++;
        else if (!err)
            err = count(p, context, r, distance, batch->column.address[i]);
        if (!err && (cold || lane->prev_tag[i] != here))
            err = move(p, context, here, lane->prev_tag[i], lane->key[i], cold);
        if (err)
            return err;
    }
    return DJ_OK;
}

const dj_observer_ops dj_observer_places = {
    .name = "places",
    .summary = "distances by place: instruction, calling context and data object",
    .needs = DJ_NEED_PER_ACCESS | DJ_NEED_TAGS,
    .create = create,
    .destroy = destroy,
    .see = see,
    .finish = dj_places_finish,
};
