// SPDX-License-Identifier: MIT
#include <deja/breakdown.h>
#include <stdlib.h>
#include <string.h>

#include "model/reuse.h"

static int compare(const void *left, const void *right, void *user)
{
    const dj_reuse *a = left, *b = right;
    const size_t *cut = user;
    uint64_t x = cut ? a->misses[*cut] : 0, y = cut ? b->misses[*cut] : 0;
    if (x == y) {
        x = a->tally.accesses;
        y = b->tally.accesses;
    }
    if (x != y)
        return x > y ? -1 : 1;
    int names = strcmp(a->from_name, b->from_name);
    names = names ? names : strcmp(a->to_name, b->to_name);
    return names ? names : strcmp(a->data_name, b->data_name);
}

int dj_reuses_order(dj_reuses *reuses, dj_context *context, const dj_attribution *a)
{
    size_t cells = (reuses->count + 2) * a->cut_count;
    uint64_t *at = reuses->miss_table = calloc(cells + 1, sizeof *at);
    if (!at)
        return dj_fail_memory(context, "reuse pairs", cells * sizeof *at);
    int err = DJ_OK;
    for (size_t i = 0; i < reuses->count && !err; i++) {
        dj_reuse *reuse = &reuses->list[i];
        err = dj_tally_add(&reuses->total, context, &reuse->tally);
        dj_tally_cuts(&reuse->tally, a, at);
        reuse->misses = at;
        at += a->cut_count;
    }
    dj_tally_cuts(&reuses->total, a, at);
    reuses->total_misses = at;
    dj_tally all = {0};
    for (size_t i = 0; i < a->place_count && !err; i++)
        err = dj_tally_add(&all, context, &a->places[i].tally);
    dj_tally_cuts(&all, a, at += a->cut_count);
    dj_tally_free(&all);
    reuses->all_misses = at;
    reuses->sort_cut = dj_attribution_telling_cut(a);
    if (!err && reuses->count > 0)
        qsort_r(reuses->list, reuses->count, sizeof *reuses->list, compare,
                reuses->sort_cut < a->cut_count ? &reuses->sort_cut : NULL);
    return err;
}

void dj_reuses_destroy(dj_reuses *reuses)
{
    if (!reuses)
        return;
    for (size_t i = 0; i < reuses->count; i++) {
        dj_reuse *reuse = &reuses->list[i];
        free(reuse->from_name);
        free(reuse->to_name);
        free(reuse->data_name);
        free(reuse->loop_name);
        free(reuse->text);
        dj_tally_free(&reuse->tally);
    }
    free(reuses->list);
    free(reuses->miss_table);
    dj_tally_free(&reuses->total);
    free(reuses);
}
