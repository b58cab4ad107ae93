// SPDX-License-Identifier: MIT
// Loads observer `places` from a summary file. The file is untrusted: every index of a site, context,
// object, thread or place is checked, and lists grow only as they are read.
#include "observe/places/places.h"

#include "base/grow.h"
#include "base/pack.h"
#include "observe/observers.h"

#include <deja/observer_options.h>

#include <stdlib.h>

enum { CUTS_MOST = 64 };

typedef struct loading {
    dj_context *context;
    dj_unpacker *from;
    dj_places *p;
} loading;

int dj_places_own(dj_places *p, dj_context *context, const dj_place *place)
{
    dj_place **chunk = &p->own->chunks[p->own->count / DJ_PLACE_CHUNK];
    if (!*chunk && !(*chunk = malloc(DJ_PLACE_CHUNK * sizeof **chunk)))
        return dj_fail_memory(context, "the places", DJ_PLACE_CHUNK * sizeof **chunk);
    (*chunk)[p->own->count++ % DJ_PLACE_CHUNK] = *place;
    return DJ_OK;
}

static int number(loading *l, uint64_t *out)
{
    return dj_unpack_number(l->from, l->context, out);
}

// An index below `count`.
static int index_of(loading *l, uint64_t count, const char *what, uint32_t *out)
{
    uint64_t value = 0;
    int err = count ? dj_unpack_below(l->from, l->context, count - 1, what, &value)
                    : dj_fail(l->context, DJ_ERR_INPUT, "%s does not exist; the file is damaged", what);
    *out = (uint32_t)value;
    return err;
}

static int load_identities(loading *l)
{
    int err = DJ_OK;
    for (unsigned part = 0; !err && part < DJ_PLACE_PARTS; part++) {
        dj_place_identity_list *list = &l->p->identities.part[part];
        uint64_t count = 0;
        size_t capacity = 0;
        err = dj_unpack_below(l->from, l->context, DJ_NOWHERE - 1, "the number of identities", &count);
        while (!err && list->count < count) {
            err = dj_grow(l->context, "the places", &list->list, &capacity, list->count + 1,
                          sizeof *list->list);
            if (!err)
                err = number(l, &list->list[list->count]);
            list->count += !err;
        }
    }
    return err;
}

static int load_table(loading *l)
{
    const dj_place_identity_list *known = l->p->identities.part;
    uint64_t count = 0;
    int err = dj_unpack_below(l->from, l->context, (uint64_t)DJ_PLACE_CHUNK * DJ_PLACE_CHUNKS,
                              "the number of places", &count);
    while (!err && l->p->own->count < count) {
        dj_place place;
        err = index_of(l, known[DJ_PLACE_SITE].count, "a site", &place.site);
        if (!err)
            err = index_of(l, known[DJ_PLACE_CCT_NODE].count, "a context", &place.cct_node);
        if (!err)
            err = index_of(l, known[DJ_PLACE_OBJECT].count, "an object", &place.object);
        if (!err)
            err = index_of(l, known[DJ_PLACE_THREAD].count, "a thread", &place.thread);
        if (!err)
            err = dj_places_own(l->p, l->context, &place);
    }
    return err;
}

static int load_tally(loading *l, dj_place_count *r)
{
    dj_tally *t = &r->tally;
    uint64_t first = 0, count = 0, bins = l->p->bins.count;
    uint64_t *const numbers[] = {&t->cold,        &t->writes, &t->sum, &t->square_low,
                                 &t->square_high, &t->min,    &t->max, &r->example};
    int err = DJ_OK;
    for (size_t i = 0; !err && i < sizeof numbers / sizeof numbers[0]; i++)
        err = number(l, numbers[i]);
    if (!err)
        err = dj_unpack_below(l->from, l->context, bins, "the first bin of a place", &first);
    if (!err)
        err = dj_unpack_below(l->from, l->context, bins - first, "the bins of a place", &count);
    if (!err && count > 0)
        err = dj_tally_widen(t, l->context, (uint32_t)first, (uint32_t)(first + count));
    for (uint64_t i = 0; !err && i < count; i++)
        err = number(l, &t->bins[i]);
    return err;
}

static int load_shorts(loading *l, dj_tally *tally)
{
    dj_place_short counts = {0};
    uint64_t any = 0;
    int err = dj_unpack_below(l->from, l->context, 1, "a flag", &any);
    for (unsigned i = 0; !err && any && i < 2 * (DJ_PLACE_SHORT + 1); i++) {
        uint64_t value = 0;
        err = dj_unpack_below(l->from, l->context, UINT32_MAX, "a count", &value);
        counts.accesses[i / (DJ_PLACE_SHORT + 1)][i % (DJ_PLACE_SHORT + 1)] = (uint32_t)value;
    }
    return err || !any ? err : dj_places_add_short(tally, l->context, &counts);
}

static int load_rows(loading *l)
{
    dj_places *p = l->p;
    uint64_t rows = 0, pairs = 0;
    int err = dj_unpack_below(l->from, l->context, p->own->count, "the number of places", &rows);
    for (uint64_t i = 0; !err && i < rows; i++) {
        err = dj_places_reserve(p, l->context, (size_t)i + 1);
        if (!err)
            err = load_tally(l, &p->rows[i]);
        if (!err)
            err = load_shorts(l, &p->rows[i].tally);
    }
    if (!err)
        err = number(l, &pairs);
    for (uint64_t i = 0; !err && i < pairs; i++) {
        uint32_t from, to;
        dj_place_count *row = NULL;
        err = index_of(l, p->own->count, "a place", &from);
        if (!err)
            err = index_of(l, p->own->count, "a place", &to);
        if (!err)
            err = dj_places_reserve(p, l->context, (size_t)to + 1);
        if (!err)
            err = dj_places_pair(p, l->context, from, to, 0, &row);
        if (!err && row->tally.bins)
            err = dj_fail(l->context, DJ_ERR_INPUT, "a pair of places appears twice; the file is damaged");
        if (!err)
            err = load_tally(l, row);
    }
    return err;
}

static int load_group(loading *l, dj_place_group *g, enum dj_place_part part)
{
    uint64_t count = 0;
    int err = number(l, &count);
    for (uint64_t i = 0; !err && i < count; i++) {
        uint32_t id, *met;
        uint64_t key = 0, value = 0;
        err = index_of(l, l->p->identities.part[part].count, "an object or thread", &id);
        if (!err)
            err = number(l, &key);
        if (!err)
            err = dj_unpack_below(l->from, l->context, DJ_MET_COUNTED, "a mark", &value);
        if (!err)
            err = dj_grow(l->context, "the counts of blocks", &g->distinct, &g->capacity, (size_t)id + 1,
                          sizeof *g->distinct);
        if (err)
            return err;
        met = dj_triples_at(&g->met, l->context, id, (uint32_t)key, (uint32_t)(key >> 32));
        if (!met)
            return DJ_ERR_MEMORY;
        g->distinct[id] += value == DJ_MET_COUNTED && *met != DJ_MET_COUNTED;
        *met = (uint32_t)value;
    }
    return err;
}

static int load_sketches(loading *l, dj_place_sketches *s, enum dj_place_part part)
{
    uint64_t count = 0;
    int err = number(l, &count);
    for (uint64_t i = 0; !err && i < count; i++) {
        uint32_t id;
        dj_place_sketch *to = NULL;
        err = index_of(l, l->p->identities.part[part].count, "a sketch", &id);
        if (!err)
            err = dj_places_sketch(s, l->context, id, &to);
        if (!err)
            err = number(l, &to->last);
        for (unsigned k = 0; !err && k < DJ_SKETCH_REGISTERS; k++) {
            uint64_t rank = 0;
            err = dj_unpack_below(l->from, l->context, 64, "a rank", &rank);
            to->sketch->rank[k] = (uint8_t)rank;
        }
    }
    return err;
}

static int load_body(loading *l)
{
    int err = load_identities(l);
    if (!err)
        err = load_table(l);
    if (!err)
        err = load_rows(l);
    if (!err)
        err = load_group(l, &l->p->objects, DJ_PLACE_OBJECT);
    if (!err)
        err = load_group(l, &l->p->threads, DJ_PLACE_THREAD);
    if (!err)
        err = load_sketches(l, &l->p->sites, DJ_PLACE_SITE);
    return err ? err : load_sketches(l, &l->p->cct, DJ_PLACE_CCT_NODE);
}

int dj_places_load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    static const dj_place_table none;
    uint64_t cuts[CUTS_MOST], count = 0;
    dj_places_options options = {.places = &none, .cuts = cuts};
    dj_setup own = *setup;
    void *made = NULL;
    own.options = &options;
    int err = dj_unpack_below(from, context, CUTS_MOST, "the number of caches", &count);
    for (; !err && options.cut_count < count; options.cut_count++) {
        err = dj_unpack_number(from, context, &cuts[options.cut_count]);
        if (!err && options.cut_count > 0 && cuts[options.cut_count] <= cuts[options.cut_count - 1])
            err = dj_fail(context, DJ_ERR_INPUT, "the caches do not increase; the file is damaged");
    }
    if (!err)
        err = dj_unpack_number(from, context, &options.pair_from);
    if (!err)
        err = dj_observer_places.create(context, &own, &made);
    if (err)
        return err;
    loading l = {context, from, made};
    l.p->own = calloc(1, sizeof *l.p->own);
    l.p->table = l.p->own;
    err = l.p->own ? load_body(&l) : dj_fail_memory(context, "the places", sizeof *l.p->own);
    if (err)
        dj_observer_places.destroy(made);
    else
        *state = made;
    return err;
}
