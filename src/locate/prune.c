// SPDX-License-Identifier: MIT
#include "locate/prune.h"

#include "base/dictionary.h"
#include "base/map.h"
#include "base/triple.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct weight {
    double share; // of the accesses, plus that of the misses in the smallest cache, including callees
    uint32_t node;
} weight;

static int heavier_first(const void *a, const void *b)
{
    const weight *x = a, *y = b;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    return x->node < y->node ? -1 : 1; // callers come before their callees
}

static uint64_t misses(const dj_tally *t, const dj_attribution *a)
{
    return a->cut_count ? (uint64_t)dj_tally_misses(t, a, a->cuts[0].blocks) : t->cold;
}

static void weigh(const dj_located *located, const dj_attribution *a, weight *list)
{
    double accesses = 0, missed = 0;
    for (size_t i = 0; i < a->place_count; i++) {
        accesses += (double)a->places[i].tally.accesses;
        missed += (double)misses(&a->places[i].tally, a);
    }
    for (uint32_t n = 0; n < located->cct_count; n++)
        list[n] = (weight){0, n};
    for (size_t i = 0; i < a->place_count; i++) {
        const dj_tally *t = &a->places[i].tally;
        list[a->places[i].cct_node].share +=
            (double)t->accesses / (accesses + 1) + (double)misses(t, a) / (missed + 1);
    }
    for (size_t n = located->cct_count; n-- > 0;)
        if (located->cct[n].parent != DJ_NOWHERE)
            list[located->cct[n].parent].share += list[n].share;
}

// Maps each context to itself, or to the nearest caller that is kept.
static void settle(const dj_located *located, const weight *list, size_t kept, uint32_t *to)
{
    memset(to, 0, located->cct_count * sizeof *to);
    for (size_t i = 0; i < kept; i++)
        to[list[i].node] = 1;
    for (uint32_t n = 0; n < located->cct_count; n++) {
        uint32_t parent = located->cct[n].parent;
        to[n] = to[n] || parent == DJ_NOWHERE ? n : to[parent];
    }
}

static int merge_places(dj_context *context, const uint32_t *to, dj_attribution *a, uint32_t *place_to)
{
    dj_triples known;
    int err = dj_triples_create(&known, context);
    for (size_t i = 0; !err && i < a->place_count; i++) {
        dj_place_row *p = &a->places[i];
        p->cct_node = to[p->cct_node];
        uint32_t *first = dj_triples_at(&known, context, p->site, p->cct_node, p->object);
        if (!first) {
            err = DJ_ERR_MEMORY;
            break;
        }
        if (*first == DJ_TRIPLE_FREE)
            *first = (uint32_t)i;
        place_to[i] = *first;
        if (*first == i)
            continue;
        dj_place_row *into = &a->places[*first];
        if (p->tally.max > into->tally.max)
            into->address = p->address;
        err = dj_tally_add(&into->tally, context, &p->tally);
        dj_tally_free(&p->tally);
        p->tally = (dj_tally){0};
    }
    dj_triples_destroy(&known);
    return err;
}

int dj_merge_pairs(dj_context *context, const uint32_t *place_to, dj_attribution *a)
{
    dj_dictionary known;
    size_t count = 0;
    int err = dj_dictionary_create(&known, context);
    for (size_t i = 0; !err && i < a->pair_count; i++) {
        dj_pair_row pair = a->pairs[i];
        pair.from = place_to ? place_to[pair.from] : pair.from;
        pair.to = place_to ? place_to[pair.to] : pair.to;
        const uint32_t key[] = {pair.from, pair.to, pair.carried, pair.carrier};
        bool fresh;
        uint32_t index;
        err = dj_dictionary_value(&known, context, XXH3_64bits(key, sizeof key), &index, &fresh);
        if (err)
            break;
        a->pairs[i].tally = (dj_tally){0};
        if (fresh) {
            a->pairs[count++] = pair;
            continue;
        }
        err = dj_tally_add(&a->pairs[index].tally, context, &pair.tally);
        dj_tally_free(&pair.tally);
    }
    a->pair_count = err ? a->pair_count : count;
    dj_dictionary_destroy(&known);
    return err;
}

static int merge_invalidations(dj_context *context, const uint32_t *place_to, dj_attribution *a)
{
    dj_map known;
    dj_footprint footprint = {0};
    size_t count = 0;
    int err = dj_map_create(&known, context, &footprint, a->invalidation_count);
    for (size_t i = 0; !err && i < a->invalidation_count; i++) {
        dj_invalidation_row row = a->invalidations[i];
        row.from = place_to[row.from];
        row.to = place_to[row.to];
        uint64_t *index = dj_map_at(&known, context, (uint64_t)row.from << 32 | row.to);
        if (!index) {
            err = DJ_ERR_MEMORY;
        } else if (*index == 0) {
            a->invalidations[count++] = row;
            *index = count;
        } else {
            dj_invalidation_row *into = &a->invalidations[*index - 1];
            if (into->false_sharing == 0 && row.false_sharing > 0) {
                into->written_at = row.written_at;
                into->missed_at = row.missed_at;
            }
            into->true_sharing += row.true_sharing;
            into->false_sharing += row.false_sharing;
        }
    }
    a->invalidation_count = err ? a->invalidation_count : count;
    dj_map_destroy(&known);
    return err;
}

// The attribution may have more rows for contexts than were seen.
static void merge_sketches(const dj_located *located, const uint32_t *to, dj_attribution *a)
{
    for (uint32_t n = 0; n < a->cct_count && n < located->cct_count; n++) {
        dj_sketch **from = &a->cct[n].sketch, **into = &a->cct[to[n]].sketch;
        if (to[n] == n || !*from)
            continue;
        if (*into) {
            dj_sketch_merge(*into, *from);
            free(*from);
        } else {
            *into = *from;
        }
        *from = NULL;
    }
}

int dj_prune_cct(dj_context *context, const dj_located *located, size_t kept, dj_attribution *a)
{
    if (located->cct_count <= kept)
        return DJ_OK;
    weight *list = calloc(located->cct_count, sizeof *list);
    uint32_t *to = malloc(located->cct_count * sizeof *to);
    uint32_t *place_to = malloc((a->place_count + 1) * sizeof *place_to);
    int err = list && to && place_to ? DJ_OK : dj_fail_memory(context, "the calling contexts", 0);
    if (!err) {
        weigh(located, a, list);
        qsort(list, located->cct_count, sizeof *list, heavier_first);
        settle(located, list, kept, to);
        err = merge_places(context, to, a, place_to);
    }
    if (!err)
        err = dj_merge_pairs(context, place_to, a);
    if (!err)
        err = merge_invalidations(context, place_to, a);
    if (!err)
        merge_sketches(located, to, a);
    for (uint32_t n = 0; !err && n < located->cct_count; n++)
        a->cct_folded += to[n] != n;
    free(list);
    free(to);
    free(place_to);
    return err;
}
