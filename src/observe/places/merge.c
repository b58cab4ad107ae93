// SPDX-License-Identifier: MIT
// Adds the counts of observer `places` for one part of a trace to those for the part before it. All counts
// are sums and sets; blocks that the later part accessed first are observed again when they are resolved.
#include "base/grow.h"
#include "observe/places/places.h"

#include <stdlib.h>
#include <string.h>

// Adds unfinished rows: they have no sum of accesses, and a minimum of 0 means none.
static int merge_row(dj_place_count *to, dj_context *context, const dj_place_count *from)
{
    const dj_tally *other = &from->tally;
    uint64_t min = to->tally.min;
    if (other->min > 0 && (min == 0 || other->min < min))
        min = other->min;
    dj_place_note(&to->tally, &to->example, other->max, from->example);
    uint64_t max = to->tally.max;
    int err = dj_tally_add(&to->tally, context, other);
    to->tally.min = min;
    to->tally.max = max;
    return err;
}

static int merge_rows(dj_places *p, dj_context *context, const dj_places *other)
{
    int err = dj_places_reserve(p, context, other->row_capacity);
    for (size_t i = 0; !err && i < other->row_capacity; i++) {
        err = merge_row(&p->rows[i], context, &other->rows[i]);
        if (!err)
            err = dj_places_add_short(&p->rows[i].tally, context, &other->shorts[i]);
    }
    for (size_t i = 0; !err && i < other->pair_count; i++) {
        dj_place_count *to;
        err = dj_places_pair(p, context, other->pairs[i].from, other->pairs[i].to, other->pairs[i].carrier,
                             &to);
        if (!err)
            err = merge_row(to, context, &other->pairs[i]);
    }
    return err;
}

static int merge_group(dj_place_group *g, dj_context *context, const dj_place_group *other)
{
    int err = dj_grow(context, "the counts of blocks", &g->distinct, &g->capacity, other->capacity,
                      sizeof *g->distinct);
    for (uint64_t i = 0; !err && i <= other->met.mask; i++) {
        const dj_triple_entry *e = &other->met.entries[i];
        if (e->value == DJ_TRIPLE_FREE)
            continue;
        uint32_t *met = dj_triples_at(&g->met, context, e->a, e->b, e->c);
        if (!met)
            return DJ_ERR_MEMORY;
        if (*met == DJ_MET_COUNTED)
            continue;
        *met = e->value;
        g->distinct[e->a] += e->value == DJ_MET_COUNTED;
    }
    return err;
}

static int merge_sketches(dj_place_sketches *s, dj_context *context, const dj_place_sketches *other)
{
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < other->capacity; i++) {
        dj_place_sketch *to;
        if (!other->list[i].sketch)
            continue;
        err = dj_places_sketch(s, context, i, &to);
        if (err)
            return err;
        dj_sketch_merge(to->sketch, other->list[i].sketch);
        to->last = other->list[i].last;
    }
    return err;
}

// Gives the state its own table, like a loaded part has.
static int detach(dj_places *p, dj_context *context)
{
    const dj_place_table *table = p->table;
    if (p->own)
        return DJ_OK;
    int err = dj_places_identify(p, context, &p->identities);
    if (!err && !(p->own = calloc(1, sizeof *p->own)))
        err = dj_fail_memory(context, "the places", sizeof *p->own);
    for (uint32_t i = 0; !err && i < table->count; i++)
        err = dj_places_own(p, context, dj_place_get(table, i));
    if (!err)
        p->table = p->own;
    return err;
}

static int refuse(dj_context *context)
{
    return dj_fail(
        context, DJ_ERR_INPUT,
        "the parts do not come from one recording that was read from its beginning in the same way");
}

static int merge_identities(dj_place_identities *to, dj_context *context, const dj_place_identities *other)
{
    int err = DJ_OK;
    for (unsigned part = 0; !err && part < DJ_PLACE_PARTS; part++) {
        dj_place_identity_list *a = &to->part[part];
        const dj_place_identity_list *b = &other->part[part];
        size_t both = a->count < b->count ? a->count : b->count, capacity = a->count;
        if (both > 0 && memcmp(a->list, b->list, both * sizeof *a->list) != 0)
            return refuse(context);
        if (b->count <= a->count)
            continue;
        err = dj_grow(context, "the places", &a->list, &capacity, b->count, sizeof *a->list);
        if (!err)
            memcpy(a->list + both, b->list + both, (b->count - both) * sizeof *a->list);
        a->count = err ? a->count : b->count;
    }
    return err;
}

// Of two loaded parts, the longer one contains the places of the other.
static int merge_tables(dj_places *p, dj_context *context, const dj_places *other)
{
    dj_place_identities fresh = {0};
    if (p->pair_from != other->pair_from || p->cut_count != other->cut_count ||
        (p->cut_count > 0 && memcmp(p->cuts, other->cuts, p->cut_count * sizeof *p->cuts) != 0))
        return dj_fail(context, DJ_ERR_INPUT, "the caches of the parts differ");
    if (!p->own && !other->own)
        return DJ_OK;
    int err = detach(p, context);
    if (!err && !other->own)
        err = dj_places_identify(other, context, &fresh);
    if (!err)
        err = merge_identities(&p->identities, context, other->own ? &other->identities : &fresh);
    for (uint32_t i = 0; !err && i < other->table->count; i++) {
        const dj_place *place = dj_place_get(other->table, i);
        if (i >= p->own->count)
            err = dj_places_own(p, context, place);
        else if (memcmp(place, dj_place_get(p->own, i), sizeof *place) != 0)
            err = refuse(context);
    }
    dj_place_identities_free(&fresh);
    return err;
}

int dj_places_merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)position;
    dj_places *p = state;
    const dj_places *o = other;
    dj_places_forget_misses(p);
    int err = merge_tables(p, context, o);
    if (!err)
        err = merge_rows(p, context, o);
    if (!err)
        err = merge_group(&p->objects, context, &o->objects);
    if (!err)
        err = merge_group(&p->threads, context, &o->threads);
    if (!err)
        err = merge_sketches(&p->sites, context, &o->sites);
    return err ? err : merge_sketches(&p->cct, context, &o->cct);
}
