// SPDX-License-Identifier: MIT
// Distances by place, long reuses by pairs of places, and the number of blocks that each object, thread,
// site and context touched. The engine returns the previous place of a block as its tag.
//
// The number of blocks of an object is exact without a set of all blocks: a block is counted when the
// object accesses it after another object did, unless the object is known to have left it before; only
// blocks that were ever left are stored. In a part of a trace, whose first accesses are resolved later,
// arrivals are stored too, since a departure may be seen before its arrival.
#include "observe/places/places.h"

#include "base/grow.h"
#include "observe/observers.h"
#include <deja/observer_options.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void destroy(void *state)
{
    dj_places *p = state;
    if (!p)
        return;
    dj_places_forget_misses(p);
    for (size_t i = 0; i < p->row_capacity; i++)
        dj_tally_free(&p->rows[i].tally);
    for (size_t i = 0; i < p->pair_count; i++)
        dj_tally_free(&p->pairs[i].tally);
    for (size_t i = 0; i < p->sites.capacity; i++)
        free(p->sites.list[i].sketch);
    for (size_t i = 0; i < p->cct.capacity; i++)
        free(p->cct.list[i].sketch);
    free(p->rows);
    free(p->shorts);
    free(p->arrivals);
    free(p->pairs);
    free(p->sites.list);
    free(p->cct.list);
    free(p->objects.distinct);
    free(p->threads.distinct);
    dj_triples_destroy(&p->objects.met);
    dj_triples_destroy(&p->threads.met);
    dj_triples_destroy(&p->pair_ids);
    dj_carriers_free(&p->carriers);
    dj_binning_destroy(&p->bins);
    dj_counted_free(&p->counted);
    dj_counted_free(&p->present);
    free(p->keys.buffer);
    free(p->cuts);
    for (size_t i = 0; p->own && i < DJ_PLACE_CHUNKS && p->own->chunks[i]; i++)
        free(p->own->chunks[i]);
    free(p->own);
    dj_place_identities_free(&p->identities);
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
    p->is_part = setup->is_part;
    p->identify = o->identify;
    p->user = o->user;
    p->cut_count = o->cut_count;
    p->pair_from = o->pair_from ? o->pair_from : o->cut_count ? o->cuts[0] : 0;
    // A sample does not tell distances below the weight of a block apart.
    const uint64_t weight = (uint64_t)llround(1 / setup->lanes[0].sampling);
    p->pair_from = weight > 1 && p->pair_from < weight ? weight : p->pair_from;
    const uint64_t block = setup->lanes[0].block_bytes;
    p->classifies = !p->is_part && weight == 1 && block == DJ_MISS_BLOCK;
    p->short_end = p->pair_from < DJ_PLACE_SHORT ? p->pair_from : DJ_PLACE_SHORT;
    p->cuts = calloc(o->cut_count + 1, sizeof *p->cuts);
    int err = p->cuts ? DJ_OK : dj_fail_memory(context, "the places", 0);
    if (!err && o->cut_count)
        memcpy(p->cuts, o->cuts, o->cut_count * sizeof *p->cuts);
    if (!err)
        err = dj_binning_create(&p->bins, context, o->cuts, o->cut_count);
    if (!err)
        err = dj_triples_create(&p->pair_ids, context);
    if (!err)
        err = dj_triples_create(&p->objects.met, context);
    if (!err)
        err = dj_triples_create(&p->threads.met, context);
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

// Sums over bins with a single distance are computed at the end.
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
    dj_place_note(t, &r->example, distance, ~address);
    return DJ_OK;
}

int dj_places_pair(dj_places *p, dj_context *context, uint32_t from, uint32_t to, uint32_t carrier,
                   dj_place_count **out)
{
    dj_place_count *place = &p->rows[to];
    if (place->last_pair == 0 || place->last_from != from || place->last_carrier != carrier) {
        uint32_t *index = dj_triples_at(&p->pair_ids, context, from, to, carrier);
        if (!index)
            return DJ_ERR_MEMORY;
        if (*index == DJ_TRIPLE_FREE) {
            *index = 0; // any value, if out of memory
            int err = dj_grow(context, "the reuse pairs", &p->pairs, &p->pair_capacity, p->pair_count + 1,
                              sizeof *p->pairs);
            if (err)
                return err;
            p->pairs[p->pair_count] = (dj_place_count){.from = from, .to = to, .carrier = carrier};
            *index = (uint32_t)p->pair_count++;
        }
        place->last_from = from;
        place->last_carrier = carrier;
        place->last_pair = *index + 1;
    }
    *out = &p->pairs[place->last_pair - 1];
    return DJ_OK;
}

// Object `id` arrives at a block that was at `from` before, or at none.
static int come(const dj_places *p, dj_place_group *g, dj_context *context, uint32_t id, uint32_t from,
                uint64_t key, bool cold)
{
    uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);
    int err = dj_grow(context, "the counts of blocks", &g->distinct, &g->capacity, (size_t)id + 1,
                      sizeof *g->distinct);
    if (err)
        return err;
    if (!cold) {
        uint32_t *left = dj_triples_at(&g->met, context, from, low, high);
        if (!left)
            return DJ_ERR_MEMORY;
        if (*left == DJ_TRIPLE_FREE)
            *left = p->is_part ? DJ_MET_LEFT : DJ_MET_COUNTED;
    }
    bool counted = (!cold || p->is_part) && dj_triples_probe(&g->met, id, low, high)->value == DJ_MET_COUNTED;
    if (p->is_part && !cold && !counted) {
        uint32_t *met = dj_triples_at(&g->met, context, id, low, high);
        if (!met)
            return DJ_ERR_MEMORY;
        *met = DJ_MET_COUNTED;
    }
    g->distinct[id] += !counted;
    return DJ_OK;
}

int dj_places_sketch(dj_place_sketches *s, dj_context *context, uint32_t id, dj_place_sketch **out)
{
    if (id >= s->capacity) {
        int err = dj_grow(context, "the sketches", &s->list, &s->capacity, (size_t)id + 1, sizeof *s->list);
        if (err)
            return err;
    }
    *out = &s->list[id];
    if (!(*out)->sketch && !((*out)->sketch = calloc(1, sizeof *(*out)->sketch)))
        return dj_fail_memory(context, "a sketch", sizeof *(*out)->sketch);
    return DJ_OK;
}

static int sketch(dj_place_sketches *s, dj_context *context, uint32_t id, uint64_t key)
{
    dj_place_sketch *to;
    if (id < s->capacity && s->list[id].sketch && s->list[id].last == key)
        return DJ_OK;
    int err = dj_places_sketch(s, context, id, &to);
    if (err)
        return err;
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
        err = come(p, &p->objects, context, here->object, there->object, key, cold);
    if (!err && (cold || here->thread != there->thread))
        err = come(p, &p->threads, context, here->thread, there->thread, key, cold);
    if (!err && (cold || here->site != there->site))
        err = sketch(&p->sites, context, here->site, key);
    if (!err && (cold || here->cct_node != there->cct_node))
        err = sketch(&p->cct, context, here->cct_node, key);
    return err;
}

static int resize(dj_places *p, dj_context *context, size_t old)
{
    dj_place_arrival *arrivals = realloc(p->arrivals, p->row_capacity * sizeof *arrivals);
    dj_place_short *shorts = aligned_alloc(sizeof *shorts / 2, p->row_capacity * sizeof *shorts);
    p->arrivals = arrivals ? arrivals : p->arrivals;
    if (!arrivals || !shorts) {
        free(shorts);
        return dj_fail_memory(context, "the places", p->row_capacity * sizeof *shorts);
    }
    for (size_t i = old; i < p->row_capacity; i++)
        arrivals[i].from = DJ_NOWHERE;
    memset(shorts + old, 0, (p->row_capacity - old) * sizeof *shorts);
    if (old > 0)
        memcpy(shorts, p->shorts, old * sizeof *shorts);
    free(p->shorts);
    p->shorts = shorts;
    return DJ_OK;
}

int dj_places_reserve(dj_places *p, dj_context *context, size_t count)
{
    if (count <= p->row_capacity)
        return DJ_OK;
    size_t old = p->row_capacity;
    int err = dj_grow(context, "the places", &p->rows, &p->row_capacity, count, sizeof *p->rows);
    if (!err)
        err = resize(p, context, old);
    if (err)
        p->row_capacity = old;
    return err;
}

// Allocates all places of a batch.
static int reserve(dj_places *p, dj_context *context, const uint32_t *place, uint32_t n)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = place[i] > most ? place[i] : most;
    return dj_places_reserve(p, context, (size_t)most + 1);
}

// A summary file may contain anything.
static bool is_known(const dj_places *p, const dj_view *view)
{
    const dj_lane_view *lane = &view->lanes[0];
    for (uint32_t i = 0; i < view->batch->count; i++)
        if (view->batch->column.place[i] >= p->own->count ||
            (lane->distance[i] != DJ_COLD && lane->prev_tag[i] >= p->own->count))
            return false;
    return true;
}

// Counts short reuses and writes, and lists the other accesses; branchless, since branches would be
// mispredicted.
static uint32_t count_short(dj_places *p, const dj_batch *batch, const dj_lane_view *lane)
{
    static const uint8_t reads[DJ_BATCH_CAPACITY];
    const uint32_t *restrict place = batch->column.place;
    const uint8_t *restrict kind = batch->column.kind ? batch->column.kind : reads;
    const uint64_t *restrict distances = lane->distance;
    dj_place_short *restrict shorts = p->shorts;
    uint16_t *restrict longer = p->longer;
    uint64_t end = p->short_end;
    uint32_t found = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        bool is_short = distances[i] < end;
        shorts[place[i]].accesses[kind[i] != DJ_KIND_READ][is_short ? distances[i] : DJ_PLACE_SHORT]++;
        longer[found] = (uint16_t)i;
        found += !is_short;
    }
    return found;
}

// Lists the accesses to blocks that were last used at another place, or never, unless the place's previous
// arrival was the same.
static uint32_t list_arrivals(dj_places *p, const dj_batch *batch, const dj_lane_view *lane,
                              const uint64_t *restrict keys)
{
    const uint32_t *restrict place = batch->column.place, *restrict previous = lane->prev_tag;
    const uint64_t *restrict distances = lane->distance;
    dj_place_arrival *restrict arrivals = p->arrivals;
    uint16_t *restrict moved = p->moved;
    uint32_t found = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        uint32_t from = distances[i] == DJ_COLD ? DJ_NOWHERE : previous[i];
        dj_place_arrival *last = &arrivals[place[i]];
        bool arrives = from != place[i];
        moved[found] = (uint16_t)i;
        found += arrives & ((last->key != keys[i]) | (last->from != from) | (from == DJ_NOWHERE));
        last->key = arrives ? keys[i] : last->key;
        last->from = arrives ? from : last->from;
    }
    return found;
}

static int count_longer(dj_places *p, dj_context *context, const dj_batch *batch, const dj_lane_view *lane,
                        uint32_t i, uint32_t carrier)
{
    uint32_t here = batch->column.place[i];
    uint64_t distance = lane->distance[i];
    dj_place_count *r = &p->rows[here];
    if (p->classifies && distance >= DJ_MISS_FROM) {
        const bool writes = batch->column.kind && batch->column.kind[i] != DJ_KIND_READ;
        int err = dj_places_miss(context, r, &(dj_miss){lane->key[i], distance, writes});
        if (err)
            return err;
    }
    if (distance == DJ_COLD) {
        r->tally.cold++;
        return DJ_OK;
    }
    if (distance >= p->pair_from) {
        int err = dj_places_pair(p, context, lane->prev_tag[i], here, carrier, &r);
        if (err)
            return err;
        r->tally.writes += batch->column.kind && batch->column.kind[i] != DJ_KIND_READ;
    }
    return count(p, context, r, distance, batch->column.address[i]);
}

// Lists the accesses with long distances, by their index in the view before those that do not count were left
// out.
static uint32_t list_long(dj_places *p, const dj_lane_view *lane, bool compact, uint32_t longer)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < longer; k++) {
        const uint64_t distance = lane->distance[p->longer[k]];
        p->carriers.listed[count] = compact ? p->counted.at[p->longer[k]] : p->longer[k];
        count += distance >= p->pair_from && distance != DJ_COLD;
    }
    return count;
}

static int count_accesses(dj_places *p, dj_context *context, const dj_view *counted, const dj_view *view)
{
    const dj_batch *batch = counted->batch;
    const dj_lane_view *lane = &counted->lanes[0];
    int err = DJ_OK;
    p->unspilled += batch->count;
    if (p->unspilled > UINT32_MAX) {
        err = dj_places_spill(p, context);
        p->unspilled = batch->count;
    }
    uint32_t longer = err ? 0 : count_short(p, batch, lane);
    if (!err)
        err = dj_carriers_see(&p->carriers, context, view, p->table,
                              list_long(p, lane, counted != view, longer));
    for (uint32_t k = 0, listed = 0; !err && k < longer; k++) {
        const uint32_t i = p->longer[k];
        const bool pairs = lane->distance[i] >= p->pair_from && lane->distance[i] != DJ_COLD;
        err = count_longer(p, context, batch, lane, i, pairs ? p->carriers.codes[listed++] : 0);
    }
    return err;
}

// Arrivals at a block matter even if the access only fills the stack.
static int count_blocks(dj_places *p, dj_context *context, const dj_view *view)
{
    const dj_batch *batch = view->batch;
    const dj_lane_view *lane = &view->lanes[0];
    const uint64_t *keys;
    int err = dj_part_keys_of(&p->keys, context, lane, batch->count, &keys);
    uint32_t moved = err ? 0 : list_arrivals(p, batch, lane, keys);
    for (uint32_t k = 0; !err && k < moved; k++) {
        uint32_t i = p->moved[k];
        err = move(p, context, batch->column.place[i], lane->prev_tag[i], keys[i],
                   lane->distance[i] == DJ_COLD);
    }
    return err;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    dj_places *p = state;
    const dj_view *counted = view, *present = view;
    if (!view->batch->column.place)
        return dj_fail(context, DJ_ERR_USAGE, "observer places saw an access without a place");
    int err = dj_counted_view(&p->counted, context, view, DJ_SELECT_COUNTED, &counted);
    if (!err && view->lanes[0].filled)
        err = dj_counted_view(&p->present, context, view, DJ_SELECT_COUNTED | DJ_SELECT_FILLED, &present);
    else
        present = counted;
    if (!err && p->own && !is_known(p, present))
        return dj_fail(context, DJ_ERR_INPUT,
                       "an access refers to a place that does not exist; the file is damaged");
    if (!err)
        err = reserve(p, context, present->batch->column.place, present->batch->count);
    if (!err)
        err = count_accesses(p, context, counted, view);
    return err ? err : count_blocks(p, context, present);
}

const dj_observer_ops dj_observer_places = {
    .name = "places",
    .summary = "distances by place: instruction, calling context and data object",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS | DJ_NEED_TAGS,
    .fills = &dj_section_attribution,
    .create = create,
    .destroy = destroy,
    .see = see,
    .merge = dj_places_merge,
    .finish = dj_places_finish,
    .weighs = true,
    .save = dj_places_save,
    .load = dj_places_load,
};
