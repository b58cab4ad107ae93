// SPDX-License-Identifier: MIT
#include "observe/sharing/places.h"

#include <stdlib.h>

#include "base/grow.h"
#include "observe/observers.h"

enum { CUTS_MOST = 64, LAST_BIT = 63 };

static int find_lane(dj_context *context, const dj_sharing_options *o, uint32_t sharers, uint32_t *lane)
{
    *lane = DJ_LANE_SHARED;
    for (uint32_t i = 0; i < o->count; i++)
        if (o->sharers_per_cache[i] == sharers)
            *lane = DJ_LANE_COHERENT + i;
    return sharers > 0 && *lane == DJ_LANE_SHARED
               ? dj_fail(context, DJ_ERR_USAGE, "observer sharing has no lane for caches of %u sharers",
                         sharers)
               : DJ_OK;
}

int dj_sharing_places_create(dj_sharing_places *p, dj_context *context, const dj_sharing_options *o)
{
    if (!o->places)
        return DJ_OK;
    if (o->cut_count > CUTS_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "observer sharing counts misses of at most %d caches by place",
                       CUTS_MOST);
    p->table = o->places;
    p->cuts = calloc(o->cut_count + 1, sizeof *p->cuts);
    int err = p->cuts ? DJ_OK : dj_fail_memory(context, "the sharing of places", 0);
    for (; !err && p->cut_count < o->cut_count; p->cut_count++) {
        p->cuts[p->cut_count].blocks = o->cuts[p->cut_count].blocks;
        err = find_lane(context, o, o->cuts[p->cut_count].sharers_per_cache, &p->cuts[p->cut_count].lane);
    }
    if (!err)
        err = dj_map_create(&p->pair_ids, context, &p->footprint, 0);
    return err ? err : dj_triples_create(&p->mixed, context);
}

void dj_sharing_places_free(dj_sharing_places *p)
{
    free(p->cuts);
    free(p->rows);
    free(p->misses);
    free(p->pairs);
    if (p->pair_ids.entries)
        dj_map_destroy(&p->pair_ids);
    dj_triples_destroy(&p->mixed);
}

int dj_sharing_places_reserve(dj_sharing_places *p, dj_context *context, const dj_view *view)
{
    const uint32_t *place = view->batch->column.place;
    if (!place || !view->lanes[DJ_LANE_SHARED].prev_tag)
        return dj_fail(context, DJ_ERR_USAGE,
                       "observer sharing saw an access without a place, or without the previous one");
    size_t most = 0;
    for (uint32_t i = 0; i < view->batch->count; i++)
        most = place[i] > most ? place[i] : most;
    int err =
        dj_grow(context, "the sharing of places", &p->rows, &p->row_capacity, most + 1, sizeof *p->rows);
    return err ? err
               : dj_grow(context, "the sharing of places", &p->misses, &p->miss_capacity,
                         (most + 1) * p->cut_count + 1, sizeof *p->misses);
}

// Without branches where distances are unpredictable.
static void count_misses(dj_sharing_places *p, const dj_view *view, uint32_t i, uint32_t place)
{
    const uint64_t alone = view->lanes[DJ_LANE_OWN].distance[i];
    dj_sharing_misses *to = &p->misses[place * p->cut_count];
    for (size_t c = 0; c < p->cut_count; c++, to++) {
        const dj_lane_view *lane = &view->lanes[p->cuts[c].lane];
        const uint64_t distance = lane->distance[i], blocks = p->cuts[c].blocks;
        to->misses += distance >= blocks;
        to->alone += alone >= blocks;
        if (distance != DJ_COLD)
            continue;
        const bool lost = lane->lost_to && lane->lost_to[i];
        to->cold += !lost;
        to->invalidated += lost;
    }
}

static int add_mixed(dj_sharing_places *p, dj_context *context, uint32_t object, uint64_t key)
{
    uint32_t *at = dj_triples_at(&p->mixed, context, object, (uint32_t)key, (uint32_t)(key >> 32));
    if (at)
        *at = 0;
    return at ? DJ_OK : DJ_ERR_MEMORY;
}

// Notes both objects if the block was last accessed as a part of another one.
static int compare_objects(dj_sharing_places *p, dj_context *context, const dj_lane_view *lane, uint32_t i,
                           uint32_t place, dj_block_user *user)
{
    const uint32_t before = lane->distance[i] == DJ_COLD ? place : lane->prev_tag[i];
    const uint32_t object = dj_place_get(p->table, place)->object,
                   other = dj_place_get(p->table, before)->object;
    if (object == other)
        return DJ_OK;
    user->mixed = true;
    int err = add_mixed(p, context, object, lane->key[i]);
    return err ? err : add_mixed(p, context, other, lane->key[i]);
}

int dj_sharing_places_count(dj_sharing_places *p, dj_context *context, const dj_view *view, uint32_t i,
                            dj_sharing_change change, dj_block_user *user)
{
    const uint32_t place = view->batch->column.place[i];
    dj_sharing_row *row = &p->rows[place];
    row->sharers |= UINT64_C(1) << (user->sharer < LAST_BIT ? user->sharer : LAST_BIT);
    dj_sharing_count(&row->counts, change);
    count_misses(p, view, i, place);
    return compare_objects(p, context, &view->lanes[DJ_LANE_SHARED], i, place, user);
}

int dj_sharing_places_classify(dj_sharing_places *p, dj_context *context, const dj_block_user *user,
                               const dj_block_loss *loss)
{
    dj_sharing_counts *counts = &p->rows[user->place].counts;
    *(user->essential ? &counts->true_sharing : &counts->false_sharing) += 1;
    uint64_t *id = dj_map_at(&p->pair_ids, context, (uint64_t)loss->writer << 32 | user->place);
    if (!id)
        return DJ_ERR_MEMORY;
    if (*id == 0) {
        *id = p->pair_count + 1; // never 0 in the map, even if the next step fails
        int err = dj_grow(context, "the invalidations", &p->pairs, &p->pair_capacity, p->pair_count + 1,
                          sizeof *p->pairs);
        if (err)
            return err;
        p->pairs[p->pair_count++] = (dj_invalidation_row){.from = loss->writer, .to = user->place};
    }
    // The example is the first miss, but one of false sharing if there is any.
    dj_invalidation_row *pair = &p->pairs[*id - 1];
    if (pair->false_sharing == 0 && (!user->essential || pair->true_sharing == 0)) {
        pair->written_at = loss->written_at;
        pair->missed_at = loss->missed_at;
    }
    *(user->essential ? &pair->true_sharing : &pair->false_sharing) += 1;
    return DJ_OK;
}

static int by_places(const void *a, const void *b)
{
    const dj_invalidation_row *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static int finish_rows(const dj_sharing_places *p, dj_context *context, dj_sharing *to)
{
    size_t count = p->table->count < p->row_capacity ? p->table->count : p->row_capacity;
    to->places = calloc(count + 1, sizeof(dj_sharing_tally *));
    if (!to->places)
        return dj_fail_memory(context, "the sharing of places", count * sizeof(dj_sharing_tally *));
    to->place_count = count;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < count; i++) {
        if (p->rows[i].sharers == 0)
            continue;
        err = dj_sharing_tally_create(context, p->cut_count, &to->places[i]);
        if (err)
            continue;
        to->places[i]->counts = p->rows[i].counts;
        to->places[i]->sharers = p->rows[i].sharers;
        for (size_t c = 0; c < p->cut_count; c++)
            to->places[i]->caches[c] = p->misses[i * p->cut_count + c];
    }
    return err;
}

static bool is_mixed(const dj_directory *d, uint32_t latest)
{
    for (uint32_t at = latest; at; at = dj_directory_next(d, latest, at))
        if (d->users[at].mixed)
            return true;
    return false;
}

static int count_object(dj_context *context, dj_sharing *to, size_t *capacity, uint32_t object)
{
    int err = dj_grow(context, "the shared blocks", &to->shared_blocks, capacity, (size_t)object + 1,
                      sizeof *to->shared_blocks);
    if (err)
        return err;
    to->shared_block_count = *capacity;
    to->shared_blocks[object]++;
    return DJ_OK;
}

// A block that no two objects share belongs to the object of any of its accesses.
static int finish_blocks(const dj_sharing_places *p, dj_context *context, const dj_directory *d,
                         dj_sharing *to)
{
    size_t capacity = 0;
    int err = DJ_OK;
    for (uint64_t i = 0; !err && i <= d->blocks.mask; i++) {
        const uint32_t latest = dj_directory_latest(d->blocks.entries[i].value);
        if (latest && d->users[latest].next != latest && !is_mixed(d, latest))
            err =
                count_object(context, to, &capacity, dj_place_get(p->table, d->users[latest].place)->object);
    }
    for (uint64_t i = 0; !err && i <= p->mixed.mask; i++) {
        const dj_triple_entry *e = &p->mixed.entries[i];
        if (e->value == DJ_TRIPLE_FREE)
            continue;
        const uint32_t latest = dj_directory_latest(dj_map_get(&d->blocks, (uint64_t)e->c << 32 | e->b));
        if (latest && d->users[latest].next != latest)
            err = count_object(context, to, &capacity, e->a);
    }
    return err;
}

int dj_sharing_places_finish(dj_sharing_places *p, dj_context *context, const dj_directory *d, dj_sharing *to)
{
    if (!p->table)
        return DJ_OK;
    int err = finish_rows(p, context, to);
    if (!err)
        err = finish_blocks(p, context, d, to);
    if (err)
        return err;
    if (p->pair_count > 0)
        qsort(p->pairs, p->pair_count, sizeof *p->pairs, by_places);
    to->invalidations = p->pairs;
    to->invalidation_count = p->pair_count;
    p->pairs = NULL;
    p->pair_count = p->pair_capacity = 0;
    return DJ_OK;
}
