// SPDX-License-Identifier: MIT
// Invariants that readers of an attribution rely on: chains of parents end, tallies add up.
#include "profile/attribution_check.h"

#include <inttypes.h>
#include <stdlib.h>

#include "profile/missed.h"
#include "profile/spatial_check.h"

static int check_tally(dj_context *context, const dj_attribution *a, const char *table, size_t row,
                       const dj_tally *tally)
{
    uint64_t reuses = 0;
    if (tally->bin_first > a->edge_count || tally->bin_count > a->edge_count - tally->bin_first)
        return dj_fail(context, DJ_ERR_INPUT, "%s[%zu] has bins beyond the %zu edges", table, row,
                       a->edge_count);
    for (uint32_t i = 0; i < tally->bin_count; i++)
        if (__builtin_add_overflow(reuses, tally->bins[i], &reuses))
            return dj_fail(context, DJ_ERR_INPUT, "%s[%zu]: the bins add up to more than 2^64 - 1", table,
                           row);
    if (tally->accesses < reuses || tally->accesses - reuses != tally->cold)
        return dj_fail(context, DJ_ERR_INPUT,
                       "%s[%zu]: %" PRIu64 " reuses and %" PRIu64 " cold accesses do not add up to %" PRIu64,
                       table, row, reuses, tally->cold, tally->accesses);
    if (tally->min > tally->max || tally->writes > tally->accesses)
        return dj_fail(
            context, DJ_ERR_INPUT,
            "%s[%zu]: the shortest distance exceeds the longest, or there are more writes than accesses",
            table, row);
    const char *wrong = tally->spatial ? dj_spatial_tally_wrong(tally->spatial, tally->accesses) : NULL;
    return wrong ? dj_fail(context, DJ_ERR_INPUT, "%s[%zu]: %s", table, row, wrong) : DJ_OK;
}

static int check_missed(dj_context *context, size_t row, const dj_tally *tally)
{
    return !tally->missed || dj_miss_counts_fit(tally->missed, tally->accesses)
               ? DJ_OK
               : dj_fail(context, DJ_ERR_INPUT, "places[%zu]: the classes of its misses do not add up", row);
}

// A table whose rows refer to an enclosing row in the same table by the index at `parent`.
typedef struct chain {
    const char *table, *cell;
    const char *parent; // of the first row
    size_t bytes, count;
} chain;

static uint32_t parent_of(const chain *c, uint32_t row)
{
    return *(const uint32_t *)(const void *)(c->parent + row * c->bytes);
}

// Fails if a chain never ends. Visits every row at most twice.
static int check_chain(dj_context *context, const chain *c)
{
    if (!c->parent)
        return DJ_OK;
    uint32_t *walk = calloc(c->count + 1, sizeof *walk); // the pass that visited the row, from 1
    if (!walk)
        return dj_fail_memory(context, "checking an attribution", c->count * sizeof *walk);
    int err = DJ_OK;
    for (uint32_t first = 0; err == DJ_OK && first < c->count; first++) {
        uint32_t at = first;
        for (; at != DJ_NOWHERE && walk[at] == 0; at = parent_of(c, at))
            walk[at] = first + 1;
        if (at != DJ_NOWHERE && walk[at] == first + 1)
            err = dj_fail(context, DJ_ERR_INPUT, "%s[%" PRIu32 "] is its own %s, directly or through others",
                          c->table, at, c->cell);
    }
    free(walk);
    return err;
}

static int check_chains(dj_context *context, const dj_attribution *a)
{
    const chain loops = {"loops", "parent", a->loops ? (const char *)&a->loops->parent : NULL,
                         sizeof *a->loops, a->loop_count};
    const chain inlined = {"inlined", "inlined", a->inlined ? (const char *)&a->inlined->inlined : NULL,
                           sizeof *a->inlined, a->inlined_count};
    int err = check_chain(context, &loops);
    return err ? err : check_chain(context, &inlined);
}

int dj_attribution_check_order(dj_context *context, const dj_attribution *a)
{
    if (a->edge_count > 0 && a->edges[0] != 0)
        return dj_fail(context, DJ_ERR_INPUT, "edges[0] is not 0");
    for (size_t i = 1; i < a->edge_count; i++)
        if (a->edges[i] <= a->edges[i - 1])
            return dj_fail(context, DJ_ERR_INPUT, "edges[%zu] is not greater than the previous one", i);
    for (size_t i = 1; i < a->cut_count; i++)
        if (a->cuts[i].blocks < a->cuts[i - 1].blocks)
            return dj_fail(context, DJ_ERR_INPUT, "cuts[%zu] is less than the previous one", i);
    for (uint32_t i = 0; i < a->cct_count; i++)
        if (a->cct[i].parent != DJ_NOWHERE && a->cct[i].parent >= i)
            return dj_fail(context, DJ_ERR_INPUT, "contexts[%" PRIu32 "] precedes its parent", i);
    return DJ_OK;
}

// Tallies are added to each other, so they must have the same pairs and caches.
static int check_alike(dj_context *context, const dj_attribution *a)
{
    const dj_spatial_tally *first = NULL;
    for (size_t i = 0; i < a->place_count; i++) {
        const dj_spatial_tally *tally = a->places[i].tally.spatial;
        first = first ? first : tally;
        if (tally && (tally->pair_count != first->pair_count || tally->cache_count != first->cache_count))
            return dj_fail(context, DJ_ERR_INPUT,
                           "places[%zu] has different pairs or caches than the previous ones", i);
    }
    for (size_t i = 0; i < a->pair_count; i++)
        if (a->pairs[i].tally.spatial)
            return dj_fail(context, DJ_ERR_INPUT, "pairs[%zu] has a spatial part, but only places can", i);
    return DJ_OK;
}

// More than `most` of all, in two numbers whose sum may overflow.
static bool exceed(uint64_t a, uint64_t b, uint64_t most)
{
    return a > most || b > most - a;
}

static bool adds_up(const dj_sharing_tally *s, uint64_t accesses)
{
    const dj_sharing_counts *c = &s->counts;
    bool good = !exceed(c->broken, c->found, accesses) && !exceed(c->shortened, c->stretched, accesses) &&
                !exceed(c->true_sharing, c->false_sharing, accesses);
    for (size_t i = 0; good && i < s->cache_count; i++) {
        const dj_sharing_misses *m = &s->caches[i];
        good = m->misses <= accesses && m->alone <= accesses && !exceed(m->cold, m->invalidated, m->misses);
    }
    return good;
}

static int check_invalidations(dj_context *context, const dj_attribution *a, uint64_t true_sharing,
                               uint64_t false_sharing)
{
    for (size_t i = 0; i < a->invalidation_count; i++) {
        const dj_invalidation_row *row = &a->invalidations[i];
        if (row->true_sharing > true_sharing || row->false_sharing > false_sharing)
            return dj_fail(context, DJ_ERR_INPUT, "invalidations[%zu]: there are more than the places have",
                           i);
        true_sharing -= row->true_sharing;
        false_sharing -= row->false_sharing;
    }
    return DJ_OK;
}

// Places have valid tallies, and together less than 2^64 accesses.
static int check_sharing(dj_context *context, const dj_attribution *a)
{
    const dj_sharing_tally *first = NULL;
    uint64_t true_sharing = 0, false_sharing = 0;
    for (size_t i = 0; i < a->place_count; i++) {
        const dj_sharing_tally *s = a->places[i].tally.sharing;
        first = first ? first : s;
        if (s && (s->cache_count != first->cache_count || !adds_up(s, a->places[i].tally.accesses)))
            return dj_fail(context, DJ_ERR_INPUT, "places[%zu]: the counts of sharing do not add up", i);
        true_sharing += s ? s->counts.true_sharing : 0;
        false_sharing += s ? s->counts.false_sharing : 0;
    }
    if (a->shared_block_count != 0 && a->shared_block_count != a->object_count)
        return dj_fail(context, DJ_ERR_INPUT, "shared_blocks has %zu numbers for %zu objects",
                       a->shared_block_count, a->object_count);
    for (size_t i = 0; i < a->shared_block_count; i++)
        if (a->shared_blocks[i] > a->objects[i].distinct)
            return dj_fail(context, DJ_ERR_INPUT, "shared_blocks[%zu] exceeds the blocks of the object", i);
    return check_invalidations(context, a, true_sharing, false_sharing);
}

static int check_total(dj_context *context, const dj_attribution *a)
{
    uint64_t total = 0;
    for (size_t i = 0; i < a->place_count; i++)
        if (__builtin_add_overflow(total, a->places[i].tally.accesses, &total))
            return dj_fail(context, DJ_ERR_INPUT, "the places have more than 2^64 - 1 accesses");
    return DJ_OK;
}

static int check_carriers(dj_context *context, const dj_attribution *a)
{
    for (size_t i = 0; i < a->pair_count; i++) {
        const dj_pair_row *pair = &a->pairs[i];
        const bool named = pair->carrier != DJ_NOWHERE;
        if (pair->carried == DJ_CARRIED_BY_LOOP ? !named : named && pair->carried == DJ_CARRIED_UNKNOWN)
            return dj_fail(context, DJ_ERR_INPUT, "pairs[%zu]: its carrier does not fit how it is carried",
                           i);
    }
    return DJ_OK;
}

int dj_attribution_check_values(dj_context *context, const dj_attribution *a)
{
    int err = check_chains(context, a);
    for (size_t i = 0; !err && i < a->place_count; i++)
        err = check_tally(context, a, "places", i, &a->places[i].tally);
    for (size_t i = 0; !err && i < a->place_count; i++)
        err = check_missed(context, i, &a->places[i].tally);
    for (size_t i = 0; !err && i < a->pair_count; i++)
        err = check_tally(context, a, "pairs", i, &a->pairs[i].tally);
    if (!err)
        err = check_carriers(context, a);
    if (!err)
        err = check_alike(context, a);
    if (!err)
        err = check_total(context, a);
    return err ? err : check_sharing(context, a);
}
