// SPDX-License-Identifier: MIT
// Places are summed up in two passes: for the entity that each belongs to, then for everything that
// contains it.
#include "model/breakdown/breakdown.h"

#include <stdlib.h>

static int add_exclusive(dj_grouping *groups, dj_context *context, dj_tally *total)
{
    const dj_attribution *a = groups->a;
    int err = DJ_OK;
    for (size_t i = 0; i < a->place_count && !err; i++) {
        const dj_place_row *place = &a->places[i];
        uint32_t id;
        uint64_t key = dj_key_of(a, groups->by, place->site, place->cct_node, place->object);
        err = dj_grouping_find(groups, context, key, &id);
        if (!err)
            err = dj_tally_add(&groups->entities[id].exclusive, context, &place->tally);
    }
    for (size_t i = 0; i < groups->count && !err; i++)
        err = dj_tally_add(total, context, &groups->entities[i].exclusive);
    return err;
}

static size_t context_of(const dj_attribution *a, size_t place)
{
    const uint32_t context = a->places[place].cct_node;
    return context < a->cct_count ? context : a->cct_count;
}

// Places by context, in linear time. NULL if memory runs out.
static uint32_t *order_by_context(const dj_attribution *a)
{
    uint32_t *order = calloc(a->place_count + 1, sizeof *order);
    size_t *next = calloc(a->cct_count + 2, sizeof *next);
    if (!order || !next) {
        free(order);
        free(next);
        return NULL;
    }
    for (size_t i = 0; i < a->place_count; i++)
        next[context_of(a, i) + 1]++;
    for (size_t i = 1; i <= a->cct_count; i++)
        next[i] += next[i - 1];
    for (size_t i = 0; i < a->place_count; i++)
        order[next[context_of(a, i)]++] = (uint32_t)i;
    free(next);
    return order;
}

static int add_to(dj_grouping *groups, dj_context *context, uint64_t key, const dj_tally *tally)
{
    uint32_t id;
    int err = dj_grouping_find(groups, context, key, &id);
    return err ? err : dj_tally_add(&groups->entities[id].inclusive, context, tally);
}

// Adds to what contains place and site beyond their calling context.
static int add_place(dj_grouping *groups, dj_context *context, const dj_place_row *place)
{
    size_t outer = groups->around_count;
    int err = dj_keys_around_site(groups, context, place->site);
    for (size_t i = outer; i < groups->around_count && !err; i++)
        err = add_to(groups, context, groups->around[i], &place->tally);
    groups->around_count = outer;
    // An entity without a row is in no path: nothing else contains it.
    uint64_t own = dj_key_of(groups->a, groups->by, place->site, place->cct_node, place->object);
    return err || !dj_key_is_rest(own) ? err : add_to(groups, context, own, &place->tally);
}

// Adds places order[first] to order[end − 1], all in one calling context. The entities around that context
// are found once and get the sum.
static int add_context(dj_grouping *groups, dj_context *context, const uint32_t *order, size_t first,
                       size_t end)
{
    const dj_place_row *places = groups->a->places;
    dj_tally sum = {0};
    int err = dj_keys_around_context(groups, context, places[order[first]].cct_node);
    for (size_t i = first; i < end && !err; i++) {
        err = add_place(groups, context, &places[order[i]]);
        if (!err)
            err = dj_tally_add(&sum, context, &places[order[i]].tally);
    }
    for (size_t i = 0; i < groups->around_count && !err; i++)
        err = add_to(groups, context, groups->around[i], &sum);
    dj_tally_free(&sum);
    return err;
}

// Of calling contexts: their places have been summed up already.
static int add_callers(dj_grouping *groups, dj_context *context)
{
    const size_t count = groups->count;
    int err = DJ_OK;
    for (uint32_t row = 0; row < groups->a->cct_count && !err; row++) {
        const uint32_t found = dj_grouping_get(groups, row);
        if (found == 0 || found > count)
            continue;
        err = dj_keys_around_context(groups, context, row);
        for (size_t i = 0; i < groups->around_count && !err; i++) {
            const dj_tally own = groups->entities[found - 1].exclusive; // entities may move
            err = add_to(groups, context, groups->around[i], &own);
        }
    }
    for (size_t i = 0; i < count && !err; i++)
        if (dj_key_is_rest(groups->keys[i]))
            err = dj_tally_add(&groups->entities[i].inclusive, context, &groups->entities[i].exclusive);
    return err;
}

static int add_inclusive(dj_grouping *groups, dj_context *context)
{
    const dj_attribution *a = groups->a;
    if (groups->by == DJ_BY_CALLING_CONTEXT)
        return add_callers(groups, context);
    uint32_t *order = order_by_context(a);
    if (!order)
        return dj_fail_memory(context, "a breakdown", a->place_count * sizeof *order);
    int err = DJ_OK;
    for (size_t first = 0, end; first < a->place_count && !err; first = end) {
        for (end = first + 1; end < a->place_count; end++)
            if (a->places[order[end]].cct_node != a->places[order[first]].cct_node)
                break;
        err = add_context(groups, context, order, first, end);
    }
    free(order);
    return err;
}

void dj_tally_cuts(const dj_tally *tally, const dj_attribution *a, uint64_t *out)
{
    for (size_t i = 0; i < a->cut_count; i++)
        out[i] = (uint64_t)(dj_tally_misses(tally, a, a->cuts[i].blocks) + 0.5);
}

static int count_misses(dj_breakdown *b, dj_context *context, const dj_attribution *a)
{
    size_t rows = 1 + b->count * (b->has_inclusive ? 2 : 1);
    uint64_t *at = b->miss_table = calloc(rows * a->cut_count + 1, sizeof *b->miss_table);
    if (!at)
        return dj_fail_memory(context, "a breakdown", rows * a->cut_count * sizeof *at);
    dj_tally_cuts(&b->total, a, at);
    b->total_misses = at;
    for (size_t i = 0; i < b->count; i++) {
        dj_entity *entity = &b->entities[i];
        dj_tally_cuts(&entity->exclusive, a, at += a->cut_count);
        entity->misses = at;
        if (b->has_inclusive) {
            dj_tally_cuts(&entity->inclusive, a, at += a->cut_count);
            entity->inclusive_misses = at;
        }
    }
    return DJ_OK;
}

static void time_entities(dj_breakdown *b, const dj_stall_model *model)
{
    b->timed = true;
    for (size_t i = 0; i < b->count; i++) {
        b->entities[i].stall = dj_tally_stall(&b->entities[i].exclusive, model);
        b->entities[i].inclusive_stall = dj_tally_stall(&b->entities[i].inclusive, model);
    }
}

static int build(dj_grouping *groups, dj_context *context, const dj_stall_model *model, dj_breakdown *b)
{
    int err = add_exclusive(groups, context, &b->total);
    if (!err && b->has_inclusive)
        err = add_inclusive(groups, context);
    if (!err)
        err = dj_breakdown_describe(groups, context);
    if (!err)
        err = dj_breakdown_count_distinct(groups, context);
    if (err)
        return err;
    b->entities = groups->entities;
    b->count = groups->count;
    groups->entities = NULL;
    for (size_t i = 0; i < b->count; i++)
        b->has_iterations = b->has_iterations || b->entities[i].iterations > 0;
    err = count_misses(b, context, groups->a);
    if (!err)
        b->sort_cut = dj_breakdown_sort_cut(b, groups->a);
    if (!err && model)
        time_entities(b, model);
    return err ? err : dj_breakdown_order(b, context, groups->a);
}

int dj_breakdown_create(dj_context *context, const dj_attribution *attribution, enum dj_by by,
                        dj_breakdown **out)
{
    return dj_breakdown_create_timed(context, attribution, by, NULL, out);
}

int dj_breakdown_create_timed(dj_context *context, const dj_attribution *attribution, enum dj_by by,
                              const dj_stall_model *model, dj_breakdown **out)
{
    dj_grouping groups = {0};
    dj_breakdown *b = calloc(1, sizeof *b);
    if (!b)
        return dj_fail_memory(context, "a breakdown", sizeof *b);
    b->by = by;
    b->has_inclusive = by == DJ_BY_FUNCTION || by == DJ_BY_LOOP || by == DJ_BY_CALLING_CONTEXT;
    int err = dj_grouping_create(&groups, context, attribution, by);
    if (!err)
        err = build(&groups, context, model, b);
    dj_grouping_destroy(&groups);
    if (err) {
        dj_breakdown_destroy(b);
        return err;
    }
    *out = b;
    return DJ_OK;
}

void dj_breakdown_destroy(dj_breakdown *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->count; i++) {
        free(b->entities[i].name);
        dj_tally_free(&b->entities[i].exclusive);
        dj_tally_free(&b->entities[i].inclusive);
    }
    free(b->entities);
    free(b->miss_table);
    dj_tally_free(&b->total);
    free(b);
}
