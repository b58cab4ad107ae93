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
#include "base/map.h"
#include "base/triple.h"
#include "observe/observers.h"
#include <deja/observer_options.h>

#include <stdlib.h>
#include <string.h>

typedef struct row {
    dj_tally tally;
    uint64_t address; // of the access with the longest distance
} row;

typedef struct group { // objects, or threads
    uint64_t *distinct;
    size_t capacity;
    dj_triples left; // id and block: came and went
} group;

typedef struct sketches {
    dj_sketch **list;
    size_t capacity;
} sketches;

typedef struct places {
    const dj_place_table *table;
    dj_binning_table bins;
    uint64_t *cuts;
    size_t cut_count;
    uint64_t pair_from;
    row *rows;
    size_t row_capacity;
    dj_map pair_ids; // from << 32 | to → index + 1
    dj_footprint footprint;
    dj_pair_row *pairs;
    size_t pair_count, pair_capacity;
    group objects, threads;
    sketches sites, contexts;
} places;

static void destroy(void *state)
{
    places *p = state;
    if (!p)
        return;
    for (size_t i = 0; i < p->row_capacity; i++)
        dj_tally_free(&p->rows[i].tally);
    for (size_t i = 0; i < p->pair_count; i++)
        dj_tally_free(&p->pairs[i].tally);
    for (size_t i = 0; i < p->sites.capacity; i++)
        free(p->sites.list[i]);
    for (size_t i = 0; i < p->contexts.capacity; i++)
        free(p->contexts.list[i]);
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
    places *p = calloc(1, sizeof *p);
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

// Sums of distances that are alone in their bin are made at the end.
static inline int count(const places *p, dj_context *context, dj_tally *t, uint64_t distance)
{
    unsigned bin = distance < DJ_BINS_SINGLE ? (unsigned)distance : dj_bin_of(&p->bins, distance);
    if (bin - t->bin_first >= t->bin_count) {
        uint32_t first = t->bin_count == 0 ? bin & ~7u : t->bin_first;
        dj_tally room = {.bin_first = bin < first ? bin & ~7u : first};
        uint32_t end = t->bin_first + t->bin_count;
        room.bin_count = (bin < end ? end : (bin | 7u) + 1) - room.bin_first;
        int err = dj_tally_widen(t, context, room.bin_first, room.bin_first + room.bin_count);
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
    return DJ_OK;
}

static int count_pair(places *p, dj_context *context, uint32_t from, uint32_t to, uint64_t distance,
                      bool write)
{
    uint64_t *index = dj_map_at(&p->pair_ids, context, (uint64_t)from << 32 | to);
    if (!index)
        return DJ_ERR_MEMORY;
    if (*index == 0) {
        *index = 1; // a value, should memory be out
        int err = dj_grow(context, "the reuse pairs", &p->pairs, &p->pair_capacity, p->pair_count + 1,
                          sizeof *p->pairs);
        if (err)
            return err;
        *index = ++p->pair_count;
        p->pairs[p->pair_count - 1] = (dj_pair_row){.from = from, .to = to};
    }
    dj_tally *t = &p->pairs[*index - 1].tally;
    t->writes += write;
    t->max = distance > t->max ? distance : t->max;
    return count(p, context, t, distance);
}

// A block that `id` comes to; it was at `from` before, or nowhere.
static int come(group *g, dj_context *context, uint32_t id, uint32_t from, uint64_t key, bool cold)
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

static int sketch(sketches *s, dj_context *context, uint32_t id, uint64_t key)
{
    if (id >= s->capacity) {
        int err =
            dj_grow(context, "the sketches", &s->list, &s->capacity, (size_t)id + 1, sizeof(dj_sketch *));
        if (err)
            return err;
    }
    if (!s->list[id] && !(s->list[id] = calloc(1, sizeof(dj_sketch))))
        return dj_fail_memory(context, "a sketch", sizeof(dj_sketch));
    dj_sketch_add(s->list[id], key);
    return DJ_OK;
}

// A block whose last access was at another place, or never.
static int move(places *p, dj_context *context, uint32_t to, uint32_t from, uint64_t key, bool cold)
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
    places *p = state;
    const dj_batch *batch = view->batch;
    const dj_lane_view *lane = &view->lanes[0];
    const uint32_t *place = batch->column.place;
    const uint8_t *kind = batch->column.kind;
    if (!place)
        return dj_fail(context, DJ_ERR_USAGE, "observer places saw an access without a place");
    for (uint32_t i = 0; i < batch->count; i++) {
        uint32_t here = place[i];
        uint64_t distance = lane->distance[i];
        bool write = kind && kind[i] != DJ_KIND_READ;
        int err = DJ_OK;
        if (here >= p->row_capacity)
            err =
                dj_grow(context, "the places", &p->rows, &p->row_capacity, (size_t)here + 1, sizeof *p->rows);
        if (err)
            return err;
        row *r = &p->rows[here];
        r->tally.writes += write;
        bool cold = distance == DJ_COLD;
        if (cold) {
            r->tally.cold++;
        } else {
            err = count(p, context, &r->tally, distance);
            if (distance > r->tally.max || r->address == 0) {
                r->tally.max = distance;
                r->address = batch->column.address[i];
            }
            if (!err && distance >= p->pair_from)
                err = count_pair(p, context, lane->prev_tag[i], here, distance, write);
        }
        if (!err && (cold || lane->prev_tag[i] != here))
            err = move(p, context, here, lane->prev_tag[i], lane->key[i], cold);
        if (err)
            return err;
    }
    return DJ_OK;
}

// Bins were made eight at a time.
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

// Completes what `count` left out.
static dj_tally close_tally(dj_tally *t)
{
    dj_tally out = *t;
    *t = (dj_tally){0};
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
    return out;
}

static int finish_places(places *p, dj_context *context, dj_attribution *a)
{
    uint32_t n = p->table->count;
    a->places = calloc((size_t)n + 1, sizeof *a->places);
    if (!a->places)
        return dj_fail_memory(context, "the places", n * sizeof *a->places);
    a->place_count = n;
    for (uint32_t i = 0; i < n; i++) {
        const dj_place *place = dj_place_get(p->table, i);
        a->places[i] =
            (dj_place_row){.site = place->site, .context = place->context, .object = place->object};
        if (i < p->row_capacity) {
            a->places[i].tally = close_tally(&p->rows[i].tally);
            a->places[i].address = p->rows[i].address;
        }
    }
    for (size_t i = 0; i < p->pair_count; i++)
        p->pairs[i].tally = close_tally(&p->pairs[i].tally);
    a->pairs = p->pairs;
    a->pair_count = p->pair_count;
    p->pairs = NULL;
    p->pair_count = 0;
    return DJ_OK;
}

static int finish_distinct(places *p, dj_context *context, dj_attribution *a)
{
    a->objects = calloc(p->objects.capacity + 1, sizeof *a->objects);
    a->threads = calloc(p->threads.capacity + 1, sizeof *a->threads);
    a->sites = calloc(p->sites.capacity + 1, sizeof *a->sites);
    a->contexts = calloc(p->contexts.capacity + 1, sizeof *a->contexts);
    if (!a->objects || !a->threads || !a->sites || !a->contexts)
        return dj_fail_memory(context, "the places", 0);
    a->object_count = p->objects.capacity;
    a->thread_count = p->threads.capacity;
    a->site_count = p->sites.capacity;
    a->context_count = p->contexts.capacity;
    for (size_t i = 0; i < a->object_count; i++)
        a->objects[i].distinct = p->objects.distinct[i];
    for (size_t i = 0; i < a->thread_count; i++)
        a->threads[i].distinct = p->threads.distinct[i];
    for (size_t i = 0; i < a->site_count; i++)
        a->sites[i].sketch = p->sites.list[i];
    for (size_t i = 0; i < a->context_count; i++)
        a->contexts[i].sketch = p->contexts.list[i];
    p->sites.capacity = p->contexts.capacity = 0; // they went over
    return DJ_OK;
}

static int finish_bins(places *p, dj_context *context, dj_attribution *a)
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
    a->edges = p->bins.edges;
    a->edge_count = p->bins.count;
    p->bins.edges = NULL;
    a->pair_from = p->pair_from;
    return DJ_OK;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    places *p = state;
    int err = dj_attribution_create(context, &profile->attribution);
    if (!err)
        err = finish_bins(p, context, profile->attribution);
    if (!err)
        err = finish_distinct(p, context, profile->attribution);
    return err ? err : finish_places(p, context, profile->attribution);
}

const dj_observer_ops dj_observer_places = {
    .name = "places",
    .summary = "distances by place: instruction, calling context and data object",
    .needs = DJ_NEED_PER_ACCESS | DJ_NEED_TAGS,
    .create = create,
    .destroy = destroy,
    .see = see,
    .finish = finish,
};
