// SPDX-License-Identifier: MIT
#include "view/groups.h"

#include <stdlib.h>

#include "base/dictionary.h"

static int number(dj_context *context, const dj_attribution *a, dj_view_hash *hash, const void *user,
                  dj_view_groups *to)
{
    dj_dictionary ids = {0};
    int err = dj_dictionary_create(&ids, context);
    for (uint32_t i = 0; !err && i < a->place_count; i++) {
        bool fresh = false;
        err = dj_dictionary_value(&ids, context, hash(user, i), &to->group_of[i], &fresh);
        to->count += fresh;
    }
    dj_dictionary_destroy(&ids);
    return err;
}

static uint64_t weight_of(const dj_view_breakdowns *of, const dj_tally *tally, size_t by)
{
    const dj_attribution *a = of->a;
    if (by == 0)
        return tally->accesses;
    if (by <= a->cut_count)
        return (uint64_t)(dj_tally_misses(tally, a, a->cuts[by - 1].blocks) + 0.5);
    const int64_t poor = dj_view_poor(&of->measured, tally);
    return poor > 0 ? (uint64_t)poor : 0;
}

int dj_view_weights_create(dj_context *context, const dj_view_breakdowns *of, dj_view_weights *out)
{
    const size_t places = of->a->place_count;
    *out = (dj_view_weights){.measures = 1 + of->a->cut_count + (of->measured.spatial != NULL)};
    out->list = calloc(out->measures * places + 1, sizeof *out->list);
    if (!out->list)
        return dj_fail_memory(context, "a page", out->measures * places * sizeof *out->list);
    for (size_t by = 0; by < out->measures; by++)
        for (size_t i = 0; i < places; i++)
            out->list[by * places + i] = weight_of(of, &of->a->places[i].tally, by);
    return DJ_OK;
}

void dj_view_weights_free(dj_view_weights *weights)
{
    free(weights->list);
    *weights = (dj_view_weights){.list = NULL};
}

static int choose(dj_context *context, const dj_attribution *a, const dj_view_weights *weights, size_t most,
                  dj_view_groups *to)
{
    dj_view_cut cut;
    int err = dj_view_cut_create(context, to->count, most, &cut);
    if (err)
        return err;
    for (size_t by = 0; by < weights->measures; by++) {
        for (size_t i = 0; i < to->count; i++)
            cut.weights[i] = 0;
        for (size_t i = 0; i < a->place_count; i++)
            cut.weights[to->group_of[i]] += weights->list[by * a->place_count + i];
        dj_view_cut_keep(&cut);
    }
    to->row_of = malloc((to->count + 1) * sizeof *to->row_of);
    if (!to->row_of)
        err = dj_fail_memory(context, "a page", to->count * sizeof *to->row_of);
    for (size_t i = 0; !err && i < to->count; i++)
        to->row_of[i] = cut.kept[i] ? (uint32_t)to->row_count++ : DJ_NOWHERE;
    dj_view_cut_free(&cut);
    return err;
}

static int sum_up(dj_context *context, const dj_attribution *a, dj_view_groups *to)
{
    int err = DJ_OK;
    to->rest.rows = to->count - to->row_count;
    to->tallies = calloc(to->row_count + 1, sizeof *to->tallies);
    to->place = malloc((to->row_count + 1) * sizeof *to->place);
    if (!to->tallies || !to->place)
        return dj_fail_memory(context, "a page", to->row_count * sizeof *to->tallies);
    for (uint32_t i = 0; !err && i < a->place_count; i++) {
        const uint32_t row = to->row_of[to->group_of[i]];
        dj_tally *tally = row == DJ_NOWHERE ? &to->rest.tally : &to->tallies[row];
        if (row != DJ_NOWHERE && tally->accesses == 0)
            to->place[row] = i;
        err = dj_tally_add(tally, context, &a->places[i].tally);
    }
    return err;
}

int dj_view_groups_create(dj_context *context, const dj_attribution *a, const dj_view_weights *weights,
                          dj_view_hash *hash, const void *user, size_t most, dj_view_groups *out)
{
    *out = (dj_view_groups){.group_of = malloc((a->place_count + 1) * sizeof *out->group_of)};
    int err =
        out->group_of ? DJ_OK : dj_fail_memory(context, "a page", a->place_count * sizeof *out->group_of);
    if (!err)
        err = number(context, a, hash, user, out);
    if (!err)
        err = choose(context, a, weights, most, out);
    if (!err)
        err = sum_up(context, a, out);
    if (err)
        dj_view_groups_free(out);
    return err;
}

void dj_view_groups_free(dj_view_groups *g)
{
    for (size_t i = 0; g->tallies && i < g->row_count; i++)
        dj_tally_free(&g->tallies[i]);
    dj_tally_free(&g->rest.tally);
    free(g->tallies);
    free(g->place);
    free(g->group_of);
    free(g->row_of);
    *g = (dj_view_groups){.count = 0};
}
